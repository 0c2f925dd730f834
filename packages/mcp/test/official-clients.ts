import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { Client as EarlierClient } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport as EarlierTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";

/** A tool as a client saw it listed. */
export interface ListedTool {
  readonly name: string;
  readonly description?: string | undefined;
  readonly inputSchema: Readonly<Record<string, unknown>>;
  readonly outputSchema?: Readonly<Record<string, unknown>> | undefined;
}

export interface CallResult {
  readonly structured: Readonly<Record<string, unknown>>;
  readonly text: string;
  readonly isError: boolean;
}

export interface ProgressEvent {
  readonly progress: number;
  readonly message?: string | undefined;
}

/** What the tests do with a client of any generation. */
export interface OfficialClient extends AsyncDisposable {
  readonly protocolVersion: string | undefined;
  listTools(): Promise<readonly ListedTool[]>;
  /** Rejects when the client finds that a result does not fit its schema. */
  callTool(
    name: string,
    args?: Record<string, unknown>,
    onProgress?: (event: ProgressEvent) => void,
  ): Promise<CallResult>;
  listResources(cursor?: string): Promise<{
    readonly resources: readonly { readonly uri: string; readonly name: string }[];
    readonly nextCursor?: string | undefined;
  }>;
  readResource(uri: string): Promise<unknown>;
}

export type ClientHeaders = Readonly<Record<string, string>>;

/** Connects a client of some generation over HTTP. */
export type ConnectClient = (url: URL, headers: ClientHeaders) => Promise<OfficialClient>;

const identity = { name: "trunkline-test", version: "1.0.0" };

/** The generations in use: the current client on the current specification, the same on an earlier one, the client before it. */
export const generations: readonly { readonly name: string; readonly connect: ConnectClient }[] = [
  { name: "client 2, specification 2026-07-28", connect: (url, headers) => connectCurrent(url, headers, "2026-07-28") },
  { name: "client 2, specification 2025-11-25", connect: (url, headers) => connectCurrent(url, headers, undefined) },
  { name: "sdk 1", connect: connectEarlier },
];

async function connectCurrent(url: URL, headers: ClientHeaders, pin: string | undefined): Promise<OfficialClient> {
  const client = new Client(identity, pin === undefined ? {} : { versionNegotiation: { mode: { pin } } });
  await client.connect(new StreamableHTTPClientTransport(url, { requestInit: { headers } }));
  return currentClient(client);
}

async function connectEarlier(url: URL, headers: ClientHeaders): Promise<OfficialClient> {
  const client = new EarlierClient(identity);
  const transport = new EarlierTransport(url, { requestInit: { headers } });
  await client.connect(transport as Parameters<EarlierClient["connect"]>[0]);
  return earlierClient(client);
}

/** The common face of a connected client of the current generation. */
export function currentClient(client: Client): OfficialClient {
  return {
    protocolVersion: client.getNegotiatedProtocolVersion(),
    listTools: async () => (await client.listTools()).tools,
    callTool: async (name, args = {}, onprogress) =>
      toCallResult(await client.callTool({ name, arguments: args }, onprogress === undefined ? {} : { onprogress })),
    listResources: (cursor) => client.listResources(cursor === undefined ? {} : { cursor }),
    readResource: async (uri) => textOf((await client.readResource({ uri })).contents[0]),
    [Symbol.asyncDispose]: () => client.close(),
  };
}

/** The common face of a connected client of the generation before. */
export function earlierClient(client: EarlierClient): OfficialClient {
  return {
    protocolVersion: undefined,
    listTools: async () => (await client.listTools()).tools,
    callTool: async (name, args = {}, onprogress) =>
      toCallResult(
        await client.callTool({ name, arguments: args }, undefined, onprogress === undefined ? {} : { onprogress }),
      ),
    listResources: (cursor) => client.listResources(cursor === undefined ? {} : { cursor }),
    readResource: async (uri) => textOf((await client.readResource({ uri })).contents[0]),
    [Symbol.asyncDispose]: () => client.close(),
  };
}

function toCallResult(result: object): CallResult {
  const { structuredContent, content, isError } = result as {
    readonly structuredContent?: Readonly<Record<string, unknown>>;
    readonly content?: readonly { readonly text?: string }[];
    readonly isError?: boolean;
  };
  if (structuredContent === undefined) throw new Error("the result has no structured content");
  return { structured: structuredContent, text: content?.[0]?.text ?? "", isError: isError === true };
}

function textOf(content: object | undefined): unknown {
  if (content === undefined || !("text" in content)) throw new Error("the resource has no text");
  return JSON.parse(String(content.text));
}
