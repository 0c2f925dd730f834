import type { CommandDefinition, CommandGroup } from "./command-definition.ts";
import { demoCommand } from "./commands/demo.ts";
import { explainCommand } from "./commands/explain.ts";
import { mcpCommand } from "./commands/mcp.ts";
import { migrateSqlCommand, migrateStatusCommand, migrateUpCommand } from "./commands/migrate.ts";
import { redactCommand } from "./commands/redact.ts";
import { sendCommand } from "./commands/send.ts";
import { serveCommand } from "./commands/serve.ts";
import { sessionsHistoryCommand } from "./commands/sessions-history.ts";
import { sessionsListCommand } from "./commands/sessions-list.ts";
import { sessionsStatusCommand } from "./commands/sessions-status.ts";
import { toolsCommand } from "./commands/tools.ts";

/** Every command, in the order of the help. */
export const commands: readonly CommandDefinition[] = [
  demoCommand,
  serveCommand,
  mcpCommand,
  sendCommand,
  sessionsListCommand,
  sessionsHistoryCommand,
  sessionsStatusCommand,
  toolsCommand,
  explainCommand,
  redactCommand,
  migrateUpCommand,
  migrateStatusCommand,
  migrateSqlCommand,
];

/** Words that lead to several commands. */
export const commandGroups: readonly CommandGroup[] = [
  { path: ["sessions"], summary: "List sessions, show a transcript, show the state of one" },
  { path: ["migrate"], summary: "Bring the store's schema up to date" },
];
