import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { FakeModel, ModelAnswer } from "@trunkline/testkit";

/** What the server does to a request instead of answering it well. */
export type Trouble =
  | { readonly kind: "status"; readonly status: number; readonly headers?: Readonly<Record<string, string>> }
  /** The connection is cut after the first words. */
  | { readonly kind: "drop" }
  /** A line of the stream is no JSON. */
  | { readonly kind: "garbage" };

export interface ChatServer {
  readonly url: string;
  /** Requests so far. */
  readonly requests: number;
  close(): Promise<void>;
}

/** A real HTTP server that speaks the chat-completions protocol of OpenAI, streaming, with trouble on demand. */
export async function startChatServer(
  model: Pick<FakeModel, "answer">,
  troubles: (Trouble | undefined)[] = [],
): Promise<ChatServer> {
  let requests = 0;
  const server = createServer((request, response) => {
    requests++;
    answer(model, troubles.shift(), request, response).catch((error: unknown) => {
      const message = error instanceof Error ? error.message : String(error);
      if (!response.headersSent) response.writeHead(400, { "content-type": "application/json" });
      response.end(JSON.stringify({ error: { message, type: "server_error" } }));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  const port = typeof address === "object" && address ? address.port : 0;
  return {
    url: `http://127.0.0.1:${port}/v1`,
    get requests() {
      return requests;
    },
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}

async function answer(
  model: Pick<FakeModel, "answer">,
  trouble: Trouble | undefined,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const body = await readBody(request);
  if (trouble?.kind === "status") {
    response.writeHead(trouble.status, { "content-type": "application/json", ...trouble.headers });
    response.end(JSON.stringify({ error: { message: "try later", type: "rate_limit" } }));
    return;
  }
  const gone = new AbortController();
  response.on("close", () => gone.abort());
  const said = await model.answer(body, gone.signal);
  if (!body.includes('"stream":true')) {
    response.writeHead(200, { "content-type": "application/json" });
    response.end(JSON.stringify(wholeOf(said)));
    return;
  }
  response.writeHead(200, { "content-type": "text/event-stream" });
  const chunks = chunksOf(said);
  for (const [index, chunk] of chunks.entries()) {
    if (trouble?.kind === "garbage" && index === 1) response.write('data: {"id": "broken\n\n');
    response.write(`data: ${JSON.stringify(chunk)}\n\n`);
    if (trouble?.kind === "drop" && index === 1) {
      await new Promise((resolve) => setTimeout(resolve, 10));
      response.destroy();
      return;
    }
  }
  response.end("data: [DONE]\n\n");
}

function chunksOf({ text, toolCalls, usage }: ModelAnswer): object[] {
  const chunk = (delta: object, finish_reason: string | null = null) => ({
    id: "chat-1",
    object: "chat.completion.chunk",
    created: 1,
    model: "fake",
    choices: [{ index: 0, delta, finish_reason }],
  });
  const half = Math.ceil(text.length / 2);
  return [
    chunk({ role: "assistant", content: "" }),
    ...(text === "" ? [] : [chunk({ content: text.slice(0, half) }), chunk({ content: text.slice(half) })]),
    ...toolCalls.map(({ id, name, argumentsText }, index) =>
      chunk({ tool_calls: [{ index, id, type: "function", function: { name, arguments: argumentsText } }] }),
    ),
    chunk({}, toolCalls.length > 0 ? "tool_calls" : "stop"),
    {
      ...chunk({}),
      choices: [],
      usage: {
        prompt_tokens: usage.inputTokens,
        completion_tokens: usage.outputTokens,
        total_tokens: usage.inputTokens + usage.outputTokens,
      },
    },
  ];
}

function wholeOf({ text, usage }: ModelAnswer): object {
  return {
    id: "chat-1",
    object: "chat.completion",
    created: 1,
    model: "fake",
    choices: [{ index: 0, message: { role: "assistant", content: text }, finish_reason: "stop" }],
    usage: { prompt_tokens: usage.inputTokens, completion_tokens: usage.outputTokens },
  };
}

async function readBody(request: IncomingMessage): Promise<string> {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(Buffer.from(part));
  return Buffer.concat(parts).toString("utf8");
}
