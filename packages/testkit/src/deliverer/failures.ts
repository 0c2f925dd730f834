import { ok } from "node:assert/strict";
import { DeliveryError, type DeliveryErrorClass } from "@trunkline/core";
import type { PlatformResponse } from "../platform/platform-request.ts";
import type { DelivererBench, DelivererSuiteOptions } from "./deliverer-case.ts";

/** How the platform says no in the cases. */
export function answersOf({ answers = {} }: DelivererSuiteOptions) {
  return {
    rateLimited: answers.rateLimited ?? { status: 429, headers: { "retry-after": "7" }, json: {}, waitMs: 7000 },
    refusedRecipient: answers.refusedRecipient ?? { status: 403, json: {} },
    serverError: answers.serverError ?? { status: 503, text: "unavailable" },
    dropped: { drop: true },
  } satisfies Record<string, PlatformResponse>;
}

/** Sends while the platform answers so, and gives back what the deliverer threw; fails the case where it did not. */
export async function failureOf({ send, server }: DelivererBench, answer: PlatformResponse): Promise<unknown> {
  server.answer(answer);
  try {
    const receipt = await send("a text that does not arrive");
    ok(false, `the send failed at the platform, but the deliverer resolved with ${JSON.stringify(receipt)}`);
  } catch (error) {
    if (error instanceof Error && error.name === "AssertionError") throw error;
    return error;
  } finally {
    server.answer();
  }
}

/** The class that the host gives an error: anything but a `DeliveryError` is ambiguous. */
export function classOf(error: unknown): DeliveryErrorClass {
  return DeliveryError.isInstance(error) ? error.class : "ambiguous";
}
