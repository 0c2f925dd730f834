import type { Deliverer } from "@trunkline/core";

/** A text that reached the console channel. */
export interface ConsoleMessage {
  readonly to: string;
  readonly text: string;
}

/** The console channel. One key shows one text, however often it is sent, so it may be sent again after a crash. */
export function createConsoleDeliverer(show: (message: ConsoleMessage) => void): Deliverer {
  const shown = new Set<string>();
  return {
    channel: "console",
    capabilities: { maxTextLength: 100_000, idempotent: true },
    async send({ route, text }, { idempotencyKey }) {
      if (!shown.has(idempotencyKey)) show({ to: route.to, text });
      shown.add(idempotencyKey);
      return { messageIds: [idempotencyKey] };
    },
  };
}
