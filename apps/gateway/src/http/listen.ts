import type { Server } from "node:http";
import { createAdaptorServer } from "@hono/node-server";
import { TrunklineError } from "@trunkline/core";

export interface ListenOptions {
  readonly host: string;
  /** 0 takes any free port. */
  readonly port: number;
  fetch(request: Request): Response | Promise<Response>;
}

/** An HTTP server that accepts connections. */
export interface ListeningServer {
  readonly url: string;
  readonly port: number;
  /** Takes no new request and resolves once the running ones are answered, at most `drainMs` later. */
  close(drainMs: number): Promise<void>;
}

/** Opens the port; throws `gateway_port_taken` when it is in use or may not be opened. */
export async function listen({ host, port, fetch }: ListenOptions): Promise<ListeningServer> {
  const server = createAdaptorServer({
    fetch,
    serverOptions: { requestTimeout: 60_000, headersTimeout: 10_000, keepAliveTimeout: 5_000 },
  }) as Server;
  await new Promise<void>((resolve, reject) => {
    server.once("error", (error) => reject(portTaken(host, port, error)));
    server.listen(port, host, resolve);
  });
  const address = server.address();
  const actualPort = typeof address === "object" && address !== null ? address.port : port;
  return {
    url: `http://${host.includes(":") ? `[${host}]` : host}:${actualPort}`,
    port: actualPort,
    close: (drainMs) => closeServer(server, drainMs),
  };
}

async function closeServer(server: Server, drainMs: number): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  server.closeIdleConnections();
  const timer = setTimeout(() => server.closeAllConnections(), drainMs);
  await closed;
  clearTimeout(timer);
}

function portTaken(host: string, port: number, error: NodeJS.ErrnoException): TrunklineError {
  const why =
    error.code === "EADDRINUSE" ? "is in use" : `cannot be opened${error.code === undefined ? "" : ` (${error.code})`}`;
  const other = port >= 1024 && port < 65_535 ? port + 1 : 4747;
  return new TrunklineError(
    "gateway_port_taken",
    `${host}:${port} ${why}; nothing was started and the store was not touched`,
    { fix: `Stop that process, or choose another port: npx trunkline serve --port ${other}`, cause: error },
  );
}
