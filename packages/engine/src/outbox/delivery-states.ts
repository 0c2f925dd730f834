import type { DeliveryState } from "@trunkline/core";

/** Whether a delivery has come to its end, well or not. */
export function isTerminal(state: DeliveryState): boolean {
  return state !== "pending" && state !== "sending";
}
