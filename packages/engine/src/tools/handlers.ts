import type { ToolInput, ToolName, ToolResult } from "@trunkline/core";
import type { Engine } from "../engine.ts";
import type { ResolvedCaller } from "../sessions/resolved-caller.ts";
import { agentsList } from "./agents-list.ts";
import { sessionStatus } from "./session-status.ts";
import { sessions } from "./sessions.ts";
import { sessionsHistory } from "./sessions-history.ts";
import { sessionsList } from "./sessions-list.ts";
import { sessionsSearch } from "./sessions-search.ts";
import { sessionsSend } from "./sessions-send.ts";
import { sessionsSpawn } from "./sessions-spawn.ts";
import { sessionsYield } from "./sessions-yield.ts";
import { subagents } from "./subagents.ts";

type Handler<N extends ToolName> = (
  engine: Engine,
  caller: ResolvedCaller,
  input: ToolInput<N>,
) => Promise<ToolResult<N>>;

type Handlers = { readonly [N in ToolName]: Handler<N> };

const byName: Handlers = {
  sessions_list: sessionsList,
  sessions_history: sessionsHistory,
  sessions_send: sessionsSend,
  sessions_spawn: sessionsSpawn,
  subagents,
  sessions_yield: sessionsYield,
  session_status: sessionStatus,
  agents_list: agentsList,
  sessions_search: sessionsSearch,
  sessions,
};

/** One handler a tool; the input was parsed with the same tool's schema. */
export const handlers = byName as { readonly [N in ToolName]: Handler<ToolName> };
