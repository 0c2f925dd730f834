import { join } from "node:path";
import { configuredAgentIds, defaultAgentId } from "@trunkline/core";
import type { Hono } from "hono";
import { openToken } from "../auth/token-file.ts";
import { createChannelDeliverers } from "../channels/create-channel-deliverers.ts";
import type { CommandContext } from "../cli/command-context.ts";
import { displayPath } from "../config/store-location.ts";
import { createQuietDemoRunner } from "../demo/quiet-demo-runner.ts";
import { createHttpApp } from "../http/create-http-app.ts";
import { listen } from "../http/listen.ts";
import { serveChannels } from "../http/serve-channels.ts";
import { serveMcp } from "../http/serve-mcp.ts";
import { createModelRunner } from "../models/create-model-runner.ts";
import { createLogger } from "./create-logger.ts";
import type { LocalSetup } from "./local-setup.ts";
import { openLocal } from "./open-local.ts";

/** What there is to say about a running gateway. */
export interface GatewayFacts {
  readonly url: string;
  readonly store: string;
  readonly schema: number;
  readonly agents: readonly string[];
  /** The session that the token acts as. */
  readonly sessionKey: string;
  readonly tokenFile: string;
  /** Only when the token was made by this start: it is shown once. */
  readonly token?: string;
  readonly hasModel: boolean;
  /** Channels whose webhooks are taken below `/channels`. */
  readonly channels: readonly string[];
}

export interface RunningGateway {
  readonly facts: GatewayFacts;
  /** Takes no new request, lets running ones end for ten seconds, stops the engine, closes the store. */
  stop(): Promise<void>;
}

const drainMs = 10_000;

/** Opens the port first, so that a taken one leaves everything untouched; then the store, the token and the engine. */
export async function startGateway(
  context: CommandContext,
  setup: LocalSetup,
  address: { readonly host: string; readonly port: number },
): Promise<RunningGateway> {
  const ready = Promise.withResolvers<Hono>();
  ready.promise.catch(() => undefined);
  const server = await listen({ ...address, fetch: async (request) => (await ready.promise).fetch(request) });
  try {
    const { app, facts, close } = await openBehind(context, setup, address.host);
    ready.resolve(app);
    return {
      facts: { ...facts, url: server.url },
      async stop() {
        await Promise.all([server.close(drainMs), close()]);
      },
    };
  } catch (error) {
    ready.reject(error);
    await server.close(0);
    throw error;
  }
}

async function openBehind(context: CommandContext, setup: LocalSetup, listenHost: string) {
  const logger = createLogger(context);
  const { config } = setup.loaded;
  const runner = setup.isDemo
    ? createQuietDemoRunner(context.surroundings.workingDirectory)
    : createModelRunner(config);
  const deliverers = createChannelDeliverers(config);
  const local = await openLocal(setup, { policy: "own", logger, deliverers, ...(runner ? { runner } : {}) });
  try {
    const agentId = setup.isDemo ? "main" : defaultAgentId(config);
    const tokenFile = join(setup.stateDirectory, "token.json");
    const { access, created } = await openToken(tokenFile, `agent:${agentId}:${config.session.mainKey}`);
    const mcp = serveMcp(local.trunkline, access, listenHost, logger);
    const channels = serveChannels(local.trunkline, deliverers, logger);
    const app = createHttpApp({ host: local.trunkline, access, listenHost, logger, mcp, channels });
    await local.trunkline.start();
    const { current } = await local.store.schemaVersion();
    const facts = {
      store: setup.location.kind === "sqlite" ? `sqlite ${setup.databaseName}` : setup.databaseName,
      schema: current,
      agents: setup.isDemo ? ["main", "editor"] : configuredAgentIds(config),
      sessionKey: access.sessionKey,
      tokenFile: displayPath(tokenFile, context.surroundings.workingDirectory),
      ...(created === undefined ? {} : { token: created }),
      hasModel: runner !== undefined,
      channels: deliverers.map(({ channel }) => channel),
    };
    return {
      app,
      facts,
      async close() {
        await local.close(drainMs);
        // What still streams then would stay open for as long as its client likes.
        await mcp.close();
      },
    };
  } catch (error) {
    await local.close();
    throw error;
  }
}
