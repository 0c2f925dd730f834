import { canonicalSessionKey, defaultAgentId, parseConfig } from "@trunkline/core";
import type { CommandDefinition } from "../command-definition.ts";
import { CommandError } from "../command-error.ts";
import { exitCodes } from "../exit-code.ts";
import { listenForInterruption } from "../interruption.ts";
import { openDeliveringLocal } from "../open-delivering-local.ts";

const drainMs = 10_000;

/** `mcp`. */
export const mcpCommand: CommandDefinition = {
  path: ["mcp"],
  summary: "Serve MCP on stdin and stdout, to a client that starts this",
  flags: [],
  examples: [
    { line: "mcp", description: "as the main session of the default agent" },
    { line: "mcp --as agent:editor:main", description: "as the editor's main session" },
  ],
  exitCodes: [0, 2, 7],
  async run(context) {
    const { url, as } = context.globals;
    if (url !== undefined) {
      throw new CommandError("invalid_input", "a gateway serves MCP itself, at /mcp", {
        fix: "Give the client the gateway's address with /mcp and the token in an Authorization header; leave out --url",
        path: "--url",
      });
    }
    const [{ serveMcpStdio }, { createLogger }] = await Promise.all([
      import("@trunkline/mcp"),
      import("../../runtime/create-logger.ts"),
    ]);
    const logger = createLogger(context);
    using interruption = listenForInterruption();
    const { trunkline, setup, close } = await openDeliveringLocal(context);
    try {
      const config = parseConfig(setup.engineInput);
      const { mainKey } = config.session;
      const sessionKey = canonicalSessionKey(as ?? `agent:${defaultAgentId(config)}:${mainKey}`, { mainKey });
      // A caller that cannot be is told now, not to the client's first call.
      await trunkline.listTools({ sessionKey });
      await trunkline.start();
      const server = serveMcpStdio(trunkline, {
        caller: { sessionKey },
        onError: (error) => logger.error({ err: error }, "a call failed"),
        onRejected: (error) => logger.debug({ err: error }, "a message was refused"),
      });
      context.note(`serving MCP as ${sessionKey} until stdin closes`);
      await Promise.race([server.closed, interruption.happened]);
      await server.close();
      return exitCodes.done;
    } finally {
      await close(drainMs);
    }
  },
};
