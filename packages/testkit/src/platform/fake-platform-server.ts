import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { setTimeout as delay } from "node:timers/promises";
import { matchRoute } from "./match-route.ts";
import type { PlatformRequest, PlatformResponse, PlatformRoute } from "./platform-request.ts";

export interface FakePlatformOptions {
  /** By method and path: `"POST /bot:token/sendMessage": ({ params }) => ({ json: { ok: true } })`. */
  readonly routes: Readonly<Record<string, PlatformRoute>>;
}

export interface FakePlatformServer extends AsyncDisposable {
  /** `http://127.0.0.1:<port>`, without a final slash. */
  readonly url: string;
  /** Every request, those without a route too (answered 404), in the order of their arrival. */
  readonly requests: readonly PlatformRequest[];
  /** Answers every request so, whatever its route, until called without a response. */
  answer(response?: PlatformResponse): void;
  /** Ends every connection and stops listening. */
  close(): Promise<void>;
}

/** Starts a vendor's HTTP service in small: a real server on a free local port, with these routes. */
export async function createFakePlatformServer({ routes }: FakePlatformOptions): Promise<FakePlatformServer> {
  const table = Object.entries(routes).map(([key, route]) => ({ ...matchRoute(key), route }));
  const requests: PlatformRequest[] = [];
  let always: PlatformResponse | undefined;

  async function answerTo(request: PlatformRequest, route: PlatformRoute | undefined): Promise<PlatformResponse> {
    if (always) return always;
    if (!route) return { status: 404, json: { error: `no route for ${request.method} ${request.path}` } };
    return typeof route === "function" ? route(request) : route;
  }

  async function serve(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    const body = await readBody(incoming);
    const url = new URL(incoming.url ?? "/", "http://127.0.0.1");
    const method = incoming.method ?? "GET";
    let params: Readonly<Record<string, string>> = {};
    const found = table.find((entry) => {
      const matched = entry.match(method, url.pathname);
      if (matched) params = matched;
      return matched !== undefined;
    });
    const request = {
      method,
      path: url.pathname,
      query: Object.fromEntries(url.searchParams),
      params,
      headers: headersOf(incoming),
      body,
      json: decodeJson(body),
      left: false,
    };
    outgoing.on("close", () => {
      request.left = !outgoing.writableFinished;
    });
    requests.push(request);
    await reply(outgoing, await answerTo(request, found?.route));
  }

  const server = createServer((incoming, outgoing) => {
    serve(incoming, outgoing).catch((error: unknown) => {
      outgoing.statusCode = 500;
      outgoing.end(`the fake platform's route failed: ${error instanceof Error ? error.message : String(error)}`);
    });
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(0, "127.0.0.1", resolve);
  });
  const address = server.address();
  const port = typeof address === "object" && address ? address.port : 0;

  async function close(): Promise<void> {
    server.closeAllConnections();
    await new Promise<void>((resolve) => server.close(() => resolve()));
  }
  return {
    url: `http://127.0.0.1:${port}`,
    requests,
    answer(response) {
      always = response;
    },
    close,
    [Symbol.asyncDispose]: close,
  };
}

async function reply(outgoing: ServerResponse, response: PlatformResponse): Promise<void> {
  if (response.hang) return;
  if (response.delayMs) await delay(response.delayMs);
  if (response.drop) {
    outgoing.socket?.destroy();
    return;
  }
  const body = response.json === undefined ? (response.text ?? "") : JSON.stringify(response.json);
  const type = response.json === undefined ? "text/plain; charset=utf-8" : "application/json";
  outgoing.writeHead(response.status ?? 200, { "content-type": type, ...response.headers });
  outgoing.end(body);
}

async function readBody(incoming: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(Buffer.from(chunk));
  return Buffer.concat(chunks).toString("utf8");
}

function headersOf(incoming: IncomingMessage): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(incoming.headers).map(([name, value]) => [
      name,
      Array.isArray(value) ? value.join(", ") : (value ?? ""),
    ]),
  );
}

function decodeJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
