import type {
  Deliverer,
  DelivererCapabilities,
  DeliveryReceipt,
  InboundRequest,
  InboundResult,
  Route,
} from "@trunkline/core";

/** One text as the deliverer was asked to post it. */
export interface RecordedSend {
  readonly route: Route;
  readonly text: string;
  readonly idempotencyKey: string;
}

/** What `onSend` sees: the send, its signal, and which attempt with this key it is (from 1). */
export interface SendAttempt extends RecordedSend {
  readonly attempt: number;
  readonly signal: AbortSignal;
}

export interface RecordingDelivererOptions extends Partial<DelivererCapabilities> {
  readonly channel: string;
  /** Stands for the platform: throw (a `DeliveryError`) to refuse, wait to delay, return a receipt to choose the ids. */
  readonly onSend?: (attempt: SendAttempt) => DeliveryReceipt | undefined | Promise<DeliveryReceipt | undefined>;
  readonly parseInbound?: (request: InboundRequest) => InboundResult | Promise<InboundResult>;
  /** Default, where `threads` is true: the route with the thread id `<channel>-thread-<n>`. */
  readonly createThread?: (request: { readonly route: Route; readonly title: string }) => Route | Promise<Route>;
}

export interface RecordingDeliverer extends Deliverer {
  /** What the platform shows: each send that `onSend` let through; with `idempotent`, one for each key. */
  readonly sent: readonly RecordedSend[];
  /** Every call, refused and repeated ones too. */
  readonly attempts: readonly RecordedSend[];
  /** Every thread that was opened. */
  readonly threads: readonly { readonly route: Route; readonly title: string }[];
}

/** A channel without a platform: keeps what was sent; message ids are `<channel>-1`, `<channel>-2` … (default limit 100 000 units). */
export function createRecordingDeliverer(options: RecordingDelivererOptions): RecordingDeliverer {
  const { channel, onSend, parseInbound, createThread, maxTextLength = 100_000, ...declared } = options;
  const sent: RecordedSend[] = [];
  const attempts: RecordedSend[] = [];
  const threads: { route: Route; title: string }[] = [];
  const receipts = new Map<string, DeliveryReceipt>();

  const openThread = (request: { readonly route: Route; readonly title: string }) => ({
    ...request.route,
    threadId: `${channel}-thread-${threads.length}`,
  });

  return {
    channel,
    capabilities: { maxTextLength, ...declared },
    sent,
    attempts,
    threads,
    async send({ route, text }, { idempotencyKey, signal }) {
      const record: RecordedSend = { route, text, idempotencyKey };
      attempts.push(record);
      const attempt = attempts.filter((one) => one.idempotencyKey === idempotencyKey).length;
      const chosen = await onSend?.({ ...record, attempt, signal });
      const shown = declared.idempotent ? receipts.get(idempotencyKey) : undefined;
      if (shown) return shown;
      sent.push(record);
      const receipt = chosen ?? { messageIds: [`${channel}-${sent.length}`] };
      receipts.set(idempotencyKey, receipt);
      return receipt;
    },
    ...(parseInbound && { parseInbound }),
    ...((createThread ?? declared.threads) && {
      async createThread(request: { readonly route: Route; readonly title: string }) {
        threads.push({ route: request.route, title: request.title });
        return (createThread ?? openThread)(request);
      },
    }),
  };
}
