/** One request as the fake platform received it. */
export interface PlatformRequest {
  readonly method: string;
  /** The path without the query, as sent. */
  readonly path: string;
  readonly query: Readonly<Record<string, string>>;
  /** What stood for `:name` in the route, decoded. */
  readonly params: Readonly<Record<string, string>>;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** The body as text. */
  readonly body: string;
  /** The body decoded, where it is JSON; else undefined. */
  readonly json: unknown;
  /** True once the client left before it had the answer. */
  readonly left: boolean;
}

/** What the fake platform answers; with nothing given, status 200 and no body. */
export interface PlatformResponse {
  readonly status?: number;
  readonly json?: unknown;
  readonly text?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Real milliseconds before the answer. */
  readonly delayMs?: number;
  /** Never answers; the client has to give up. */
  readonly hang?: boolean;
  /** Closes the connection in place of an answer, after the request was read. */
  readonly drop?: boolean;
}

/** Answers the requests of one route. */
export type PlatformRoute =
  | PlatformResponse
  | ((request: PlatformRequest) => PlatformResponse | Promise<PlatformResponse>);

/** Every string in a request: header and query values, and what its JSON, form or plain body holds. */
export function stringsIn(request: PlatformRequest): readonly string[] {
  const found: string[] = [...Object.values(request.headers), ...Object.values(request.query)];
  if (request.json !== undefined) collect(request.json, found);
  else if (request.headers["content-type"]?.startsWith("application/x-www-form-urlencoded"))
    found.push(...new URLSearchParams(request.body).values());
  else found.push(request.body);
  return found;
}

function collect(value: unknown, into: string[]): void {
  if (typeof value === "string") into.push(value);
  else if (typeof value === "object" && value !== null)
    for (const member of Object.values(value)) collect(member, into);
}
