import { type Deliverer, DeliveryError } from "@trunkline/core";
import { describe, expect, test } from "vitest";
import {
  createFakePlatformServer,
  type DelivererCase,
  type DelivererSuiteOptions,
  delivererCases,
  runDelivererCase,
} from "../../src/index.ts";
import { createNoteDeliverer } from "./note-deliverer.ts";

const token = ["example", "token"].join("-");

const noteSuite: DelivererSuiteOptions = {
  name: "note",
  route: { channel: "note", to: "room-1" },
  createServer: () =>
    createFakePlatformServer({
      routes: { "POST /send": { json: { id: "m1" } }, "POST /threads": { json: { id: "t1" } } },
    }),
  create: (server) => createNoteDeliverer({ url: server.url, token }),
};

type Send = Deliverer["send"];

/** A fault of `send`, and the case that has to find it. */
const mutants: readonly (readonly [string, string, (send: Send) => Send])[] = [
  [
    "sends twice",
    "reaches the platform once",
    (send) => async (message, options) => {
      await send(message, options);
      return send(message, options);
    },
  ],
  [
    "loses the id",
    "its id comes back",
    (send) => async (message, options) => {
      await send(message, options);
      return { messageIds: [] };
    },
  ],
  [
    "answers before the platform has the text",
    "order is kept",
    (send) => async (message, options) => {
      setTimeout(() => void send(message, options).catch(() => undefined), 50);
      return { messageIds: ["m"] };
    },
  ],
  [
    "escapes markup",
    "hostile text",
    (send) => (message, options) => send({ ...message, text: message.text.replaceAll("<", "&lt;") }, options),
  ],
  [
    "cuts a long text",
    "hostile text",
    (send) => (message, options) => send({ ...message, text: message.text.slice(0, 400) }, options),
  ],
  [
    "trims the lines",
    "hostile text",
    (send) => (message, options) => send({ ...message, text: message.text.replaceAll(/\n\s+/g, "\n") }, options),
  ],
  [
    "invents a new key for each attempt",
    "the platform gets the key",
    (send) => (message, options) => send(message, { ...options, idempotencyKey: `${Math.random()}` }),
  ],
  ["forgets the wait", "429", (send) => reclassified(send, (error) => new DeliveryError(error.class, "x"))],
  ["gives up at 429", "429", (send) => reclassified(send, () => new DeliveryError("permanent", "x"))],
  [
    "retries a refused recipient",
    "a refused recipient",
    (send) => reclassified(send, () => new DeliveryError("retryable", "x")),
  ],
  [
    "calls a lost answer a failure",
    "no answer is ambiguous",
    (send) => async (message, options) => {
      try {
        return await send(message, options);
      } catch (error) {
        throw DeliveryError.isInstance(error) ? error : new DeliveryError("permanent", "no answer");
      }
    },
  ],
  [
    "does not pass the signal on",
    "abort stops the request",
    (send) => (message, options) => send(message, { ...options, signal: new AbortController().signal }),
  ],
  [
    "leaves a listener",
    "abort stops the request",
    (send) => (message, options) => {
      options.signal.addEventListener("abort", () => undefined);
      return send(message, options);
    },
  ],
  [
    "puts its headers into the error",
    "the secret is in no error",
    (send) => async (message, options) => {
      try {
        return await send(message, options);
      } catch (error) {
        throw Object.assign(new Error("failed"), {
          request: { authorization: `Bearer ${token}` },
          error,
        });
      }
    },
  ],
  [
    "prints its headers",
    "the secret is in no error",
    (send) => (message, options) => {
      console.log(`Bearer ${token}`);
      return send(message, options);
    },
  ],
];

function reclassified(send: Send, change: (error: DeliveryError) => DeliveryError): Send {
  return async (message, options) => {
    try {
      return await send(message, options);
    } catch (error) {
      throw DeliveryError.isInstance(error) ? change(error) : error;
    }
  };
}

function caseWith(part: string): DelivererCase {
  const found = delivererCases.find((one) => one.name.includes(part));
  if (!found) throw new Error(`no case is named "${part}"`);
  return found;
}

describe("a deliverer with one fault is caught", () => {
  test.each(mutants)("%s", { timeout: 30_000 }, async (_fault, caughtBy, mutate) => {
    const suite = {
      ...noteSuite,
      create: async (server: Parameters<typeof noteSuite.create>[0]) => {
        const deliverer = await noteSuite.create(server);
        return { ...deliverer, send: mutate((message, options) => deliverer.send(message, options)) };
      },
    };
    await expect(runDelivererCase(caseWith(caughtBy), suite)).rejects.toThrow();
  });
});

test("a case that a capability switches off is not asked", async () => {
  const suite = {
    ...noteSuite,
    create: async (server: Parameters<typeof noteSuite.create>[0]) => ({
      ...(await noteSuite.create(server)),
      capabilities: { maxTextLength: 500 },
    }),
  };
  expect(await runDelivererCase(caseWith("a thread is opened"), suite)).toEqual({ notAsked: "threads" });
  expect(await runDelivererCase(caseWith("the platform gets the key"), suite)).toEqual({ notAsked: "idempotent" });
});
