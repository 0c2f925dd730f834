import { DeliveryError, type DeliveryRecord } from "@trunkline/core";
import type { RecordingDelivererOptions } from "@trunkline/testkit";
import { type Harness, type HarnessOptions, openHarness } from "../harness.ts";

export const main = "agent:a:main";
export const slack = { channel: "slack" } as const;

type OnSend = NonNullable<RecordingDelivererOptions["onSend"]>;

/** An engine with one Slack chat, whose agent answers every message with its text in capitals. */
export function openChat(
  onSend?: OnSend,
  capabilities: Partial<RecordingDelivererOptions> = {},
  options: HarnessOptions = {},
): Promise<Harness> {
  return openHarness({
    channels: [{ ...slack, ...capabilities, ...(onSend ? { onSend } : {}) }],
    ...options,
    script: { [`${main} inbound`]: ({ prompt }) => prompt.toUpperCase(), ...options.script },
  });
}

/** One message from the chat's person. */
export function say(h: Harness, text: string, to = "U1") {
  return h.trunkline.receive({ channel: "slack", peer: { kind: "direct", id: to }, text });
}

/** A platform that refuses the first attempts and then works. */
export function failing(times: number, error: () => unknown): OnSend {
  let calls = 0;
  return () => {
    calls++;
    if (calls <= times) throw error();
    return undefined;
  };
}

export const busy = (retryAfterMs?: number) =>
  new DeliveryError("retryable", "slow down", { code: "rate_limited", ...(retryAfterMs ? { retryAfterMs } : {}) });
export const gone = () => new DeliveryError("permanent", "no such chat", { code: "chat_not_found" });
export const unclear = () => new DeliveryError("ambiguous", "connection reset", { code: "connection_reset" });

/** The only delivery of the main session. */
export async function onlyDelivery(h: Harness): Promise<DeliveryRecord> {
  const [delivery, ...more] = await h.deliveries(main);
  if (!delivery || more.length > 0) throw new Error(`${more.length + (delivery ? 1 : 0)} deliveries, not one`);
  return delivery;
}
