import type { Route } from "./route.ts";

/** What a channel can do; the host cuts, converts and retries accordingly. */
export interface DelivererCapabilities {
  /** The longest text of one message, in UTF-16 units. */
  readonly maxTextLength: number;
  readonly threads?: boolean;
  /** The markdown flavour that the channel renders, e.g. `telegram-html`; absent = plain text. */
  readonly markdown?: string;
  /** Sending again with the same key shows one message: an unclear outcome is then retried. */
  readonly idempotent?: boolean;
  readonly editing?: boolean;
}

export interface DeliveryMessage {
  readonly route: Route;
  readonly text: string;
}

export interface DeliveryOptions {
  readonly idempotencyKey: string;
  readonly signal: AbortSignal;
}

/** The platform's ids of what was posted; an empty list is not a receipt (the outcome is then unknown). */
export interface DeliveryReceipt {
  readonly messageIds: string[];
}

/** A channel's request as the gateway received it, before any trust. */
export interface InboundRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** One message read from a channel's request; the shape that `trunkline.receive` takes, without the channel. */
export interface InboundMessage {
  readonly peer: { readonly kind: "direct" | "group" | "channel"; readonly id: string };
  readonly accountId?: string;
  readonly threadId?: string;
  readonly senderId?: string;
  readonly isOwner?: boolean;
  readonly text: string;
  readonly idempotencyKey?: string;
}

/** What `parseInbound` decided: messages to receive, and the answer the platform expects. */
export interface InboundResult {
  readonly messages: readonly InboundMessage[];
  readonly response?: {
    readonly status: number;
    readonly body?: string;
    readonly headers?: Readonly<Record<string, string>>;
  };
}

/** Posts text to one channel. Chunking, skip words, send policy, retries and the outbox are the host's. */
export interface Deliverer {
  readonly channel: string;
  readonly capabilities: DelivererCapabilities;
  /** Posts one text; throws `DeliveryError` (or any error, which then counts as ambiguous). */
  send(message: DeliveryMessage, options: DeliveryOptions): Promise<DeliveryReceipt>;
  /** Verifies and reads a channel's webhook request. */
  parseInbound?(request: InboundRequest): Promise<InboundResult> | InboundResult;
  /** Opens a thread below `route` and returns the route to it. */
  createThread?(request: { readonly route: Route; readonly title: string }, options: DeliveryOptions): Promise<Route>;
}
