import {
  effectiveTools,
  isSandboxedByConfig,
  parseToolName,
  type RunRecord,
  type RunTool,
  type SessionRecord,
  ToolInputError,
  toolTable,
} from "@trunkline/core";
import type { Engine } from "../engine.ts";
import { callTool } from "./call-tool.ts";
import { toolCaller } from "./effective-tools.ts";

/** The tools of a run, bound to it; wrong arguments come back as a result that the model can read. */
export function runTools(engine: Engine, run: RunRecord, session: SessionRecord): readonly RunTool[] {
  const byConfig = isSandboxedByConfig(engine.config, session.agentId, session.kind === "main");
  const { tools } = effectiveTools(
    engine.config,
    toolCaller(engine, { session, sandboxed: byConfig || session.sandboxed === 1 }),
  );
  return tools.map((name) => {
    const { description, inputSchema } = toolTable[name];
    return {
      name,
      description,
      inputSchema,
      call: (args) => callForRun(engine, run, session, name, args),
    };
  });
}

async function callForRun(
  engine: Engine,
  run: RunRecord,
  session: SessionRecord,
  name: string,
  args: unknown,
): Promise<unknown> {
  if (!engine.live.has(run.id)) return runOver;
  try {
    return await callTool(
      engine,
      { sessionKey: session.sessionKey, agentId: session.agentId, runId: run.id },
      parseToolName(name),
      args,
    );
  } catch (error) {
    if (ToolInputError.isInstance(error)) {
      const path = error.path === undefined ? {} : { path: error.path };
      const fix = error.fix === undefined ? "" : ` ${error.fix}`;
      return { status: "error", code: "invalid_input", error: `${error.message}.${fix}`.trim(), ...path };
    }
    engine.logger.error({ err: error, tool: name, runId: run.id }, "a tool call failed");
    return { status: "error", code: "busy", error: "the session store could not be reached; try again" };
  }
}

const runOver = { status: "error", code: "run_cancelled", error: "this run is over; its tools do nothing any more" };
