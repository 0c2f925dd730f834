import { TrunklineError } from "@trunkline/core";
import { isLoopback } from "../../http/guard-requests.ts";
import { readLocalSetup } from "../../runtime/local-setup.ts";
import type { GatewayFacts } from "../../runtime/start-gateway.ts";
import { formatDuration } from "../../terminal/durations.ts";
import type { CommandContext } from "../command-context.ts";
import type { CommandDefinition } from "../command-definition.ts";
import { exitCodes } from "../exit-code.ts";
import { listenForInterruption } from "../interruption.ts";
import { programVersion } from "../print-versions.ts";
import { countFlag, textFlag } from "../read-flags.ts";

/** `serve`. */
export const serveCommand: CommandDefinition = {
  path: ["serve"],
  summary: "Run the gateway: HTTP and MCP on this machine, with a token",
  flags: [
    { flags: "--host <address>", description: "a loopback address; default 127.0.0.1" },
    { flags: "--port <number>", description: "default 4747; 0 takes any free port" },
  ],
  examples: [
    { line: "serve", description: "store in .trunkline/, token printed once" },
    { line: "serve --port 4750", description: "on another port" },
  ],
  exitCodes: [0, 2, 7],
  async run(context, { flags }) {
    const setup = readLocalSetup(context);
    const host = textFlag(flags, "host") ?? setup.loaded.config.gateway.host;
    if (!isLoopback(host)) throw exposed(host);
    const port =
      countFlag(flags, "port", { minimum: 0, maximum: 65_535, example: 4748 }) ?? setup.loaded.config.gateway.port;
    const { startGateway } = await import("../../runtime/start-gateway.ts");
    using interruption = listenForInterruption();
    const startedAt = performance.now();
    const gateway = await startGateway(context, setup, { host, port });
    const readyMs = Math.round(performance.now() - startedAt);
    context.result({ v: 1, type: "ready", ...gateway.facts, readyMs }, () =>
      readyLines(context, gateway.facts, readyMs),
    );
    const signal = await interruption.happened;
    context.note(`${signal}: draining; press Ctrl-C again to stop at once`);
    await gateway.stop();
    context.result({ v: 1, type: "stopped" }, () => ["Stopped, nothing lost."]);
    return exitCodes.done;
  },
};

function readyLines({ paint }: CommandContext, facts: GatewayFacts, readyMs: number): readonly string[] {
  const { store, schema, agents, url, sessionKey, token, tokenFile, hasModel, channels } = facts;
  const tokenLine =
    token === undefined
      ? `Token     kept as a hash in ${tokenFile}; to make a new one, delete that file and start again`
      : `Token     shown once, kept only as a hash:  ${token}`;
  return [
    paint("bold", `Trunkline ${programVersion()}   store ${store} (schema ${schema})   agents ${agents.join(", ")}`),
    `API       ${url}/v1   MCP ${url}/mcp   health ${url}/healthz`,
    tokenLine,
    `          it acts as ${sessionKey}`,
    ...channels.map((channel) => `Channel   ${channel}: webhook at ${url}/channels/${channel}`),
    ...(hasModel
      ? []
      : [
          paint(
            "waiting",
            "No model: agents answer nothing until models.providers and a model are set (docs/models-and-runners).",
          ),
        ]),
    `Ready in ${formatDuration(readyMs)}. Only this machine can connect.  Ctrl-C drains and stops.`,
  ];
}

function exposed(host: string): TrunklineError {
  return new TrunklineError("gateway_exposed", `${host} can be reached from other machines; nothing was started`, {
    fix: "Serve this machine only: npx trunkline serve --host 127.0.0.1",
    path: "gateway.host",
  });
}
