import { type Caller, notFoundResult, parseConfig } from "@trunkline/core";
import { type LocalSetup, readLocalSetup } from "../runtime/local-setup.ts";
import type { CommandContext } from "./command-context.ts";
import { createGatewayClient } from "./gateway-client.ts";
import { findSession } from "./session-target.ts";

/** Reads sessions with the tools, for whoever asks. */
export interface SessionReader {
  /** A session asks (`--as`, or a gateway's token): its tool results are printed unchanged. */
  readonly asSession: boolean;
  /** Calls a tool that names no session. */
  call(name: string, args: object): Promise<unknown>;
  /** Calls a tool about one session, named as typed. */
  callAbout(typed: string, name: string, args: object): Promise<unknown>;
  close(): Promise<void>;
}

/** Opens what the global flags ask for, and says on stderr which it is. */
export async function openReader(context: CommandContext): Promise<SessionReader> {
  const { url, as } = context.globals;
  if (url !== undefined) return gatewayReader(context, url);
  const setup = readLocalSetup(context);
  const reader = as === undefined ? await operatorReader(setup) : await sessionReader(setup, { sessionKey: as });
  context.note(`via ${setup.databaseName}`);
  return reader;
}

function gatewayReader(context: CommandContext, url: string): SessionReader {
  const client = createGatewayClient(url, context.surroundings.environment["TRUNKLINE_TOKEN"]);
  context.note(`via ${client.url}`);
  return {
    asSession: true,
    call: client.callTool,
    callAbout: (typed, name, args) => client.callTool(name, { ...args, sessionKey: typed }),
    close: () => Promise.resolve(),
  };
}

async function sessionReader(setup: LocalSetup, caller: Caller): Promise<SessionReader> {
  const { openLocal } = await import("../runtime/open-local.ts");
  const { trunkline, close } = await openLocal(setup, { policy: "own" });
  return {
    asSession: true,
    call: (name, args) => trunkline.callTool(caller, name, args),
    callAbout: (typed, name, args) => trunkline.callTool(caller, name, { ...args, sessionKey: typed }),
    close,
  };
}

/** The operator reads each session as that session reads itself, so every session is reached and none is made. */
async function operatorReader(setup: LocalSetup): Promise<SessionReader> {
  const { openLocal } = await import("../runtime/open-local.ts");
  const { store, trunkline, close } = await openLocal(setup, { policy: "operator" });
  const config = parseConfig(setup.engineInput);
  const anySession = async (): Promise<string | undefined> => {
    for (const archived of [false, true]) {
      const [row] = await store.listSessions({ scope: { every: true }, archived, limit: 1 });
      if (row !== undefined) return row.sessionKey;
    }
    return undefined;
  };
  return {
    asSession: false,
    async call(name, args) {
      const sessionKey = await anySession();
      return sessionKey === undefined
        ? { count: 0, sessions: [], hasMore: false }
        : trunkline.callTool({ sessionKey }, name, args);
    },
    async callAbout(typed, name, args) {
      const { sessionKey, exists } = await findSession(store, config, typed);
      if (!exists) return notFoundResult(typed);
      return trunkline.callTool({ sessionKey }, name, { ...args, sessionKey: "current" });
    },
    close,
  };
}
