import type { Deliverer, DeliveryReceipt, Route } from "@trunkline/core";
import type { FakePlatformServer } from "../platform/fake-platform-server.ts";
import type { PlatformRequest, PlatformResponse } from "../platform/platform-request.ts";

export interface DelivererSuiteOptions {
  /** Heads the report, e.g. `matrix`. */
  readonly name: string;
  /** Where the cases send to; its channel is the deliverer's. */
  readonly route: Route;
  /** Starts the fake of the platform, for each case anew. */
  createServer(): FakePlatformServer | Promise<FakePlatformServer>;
  /** The deliverer, talking to that fake. */
  create(server: FakePlatformServer): Deliverer | Promise<Deliverer>;
  /** Makes the deliverer with its secret left out; must throw `invalid_config`. Without it that case is not asked. */
  readonly createWithoutSecret?: (server: FakePlatformServer) => unknown;
  /** The secret given to `create`; default: what follows the scheme in the `authorization` header. */
  readonly secret?: string;
  /** The platform itself wants the secret in the path, as `/bot<token>/send`; then only the query is searched for it. */
  readonly secretInPath?: boolean;
  /** The text of a send as its reader will see it, where the request holds it escaped or converted. */
  readonly textOf?: (request: PlatformRequest) => string | undefined;
  /** How this platform says no, where it does not use the plain status codes. */
  readonly answers?: {
    /** Default: status 429 with `retry-after: 7`. `waitMs` is what the error must carry. */
    readonly rateLimited?: PlatformResponse & { readonly waitMs: number };
    /** Default: status 403. */
    readonly refusedRecipient?: PlatformResponse;
    /** Default: status 503. */
    readonly serverError?: PlatformResponse;
  };
}

/** What a case works with: one deliverer and the fake it talks to. */
export interface DelivererBench {
  readonly options: DelivererSuiteOptions;
  readonly server: FakePlatformServer;
  readonly deliverer: Deliverer;
  /** Sends to the suite's route; the key defaults to a new one. */
  send(text: string, over?: SendOptions): Promise<DeliveryReceipt>;
  /** The requests that carried this text. */
  carrying(text: string): readonly PlatformRequest[];
}

export interface SendOptions {
  readonly idempotencyKey?: string;
  readonly signal?: AbortSignal;
  readonly route?: Route;
}

/** Why a case may be left out: the capability or the option that it needs. */
export type DelivererNeed = "threads" | "idempotent" | "createWithoutSecret";

/** A rule of deliverers as data: `run` rejects where one breaks it. */
export interface DelivererCase {
  readonly name: string;
  readonly requires?: DelivererNeed;
  run(bench: DelivererBench): Promise<void>;
}
