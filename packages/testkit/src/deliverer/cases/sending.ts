import { deepEqual, equal, ok, throws } from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { TrunklineError } from "@trunkline/core";
import { stringsIn } from "../../platform/platform-request.ts";
import type { DelivererCase } from "../deliverer-case.ts";

/** What a channel must pass on as it is. */
const hostileTexts: readonly string[] = [
  "emoji \u{1f469}\u200d\u{1f680} and \u{20bb7}",
  "\u05e9\u05dc\u05d5\u05dd \u0645\u0631\u062d\u0628\u0627 \u202eright to left",
  "<b>bold</b> &amp; \"quotes\" 'single' <script>",
  "a replaced \ufffd character",
  "*stars* _lines_ [brackets](x) `code` ~ | \\ # > - = {} . !",
  "two\nlines\n\n  and an indent",
  '{"json":true}',
];

const ofLength = (units: number): string =>
  "long text "
    .repeat(Math.ceil(units / 10))
    .slice(0, units - 1)
    .concat("!");

export const sendingCases: readonly DelivererCase[] = [
  {
    name: "declares a channel id and a text limit",
    async run({ deliverer, options }) {
      equal(deliverer.channel, options.route.channel, "the deliverer's channel is that of the suite's route");
      ok(
        /^[a-z][a-z0-9-]*$/.test(deliverer.channel),
        `"${deliverer.channel}" is a channel id: lower case, digits, "-"`,
      );
      const { maxTextLength } = deliverer.capabilities;
      ok(Number.isInteger(maxTextLength) && maxTextLength > 0, `maxTextLength is a whole number, got ${maxTextLength}`);
    },
  },
  {
    name: "refuses a config without its secret",
    requires: "createWithoutSecret",
    async run({ options, server }) {
      throws(
        () => options.createWithoutSecret?.(server),
        (error: unknown) => TrunklineError.isInstance(error) && error.code === "invalid_config",
        "a config without its secret is refused with invalid_config",
      );
    },
  },
  {
    name: "a message reaches the platform once and its id comes back",
    async run({ send, carrying }) {
      const { messageIds } = await send("hello there");
      equal(carrying("hello there").length, 1, "the number of requests that carried the text");
      ok(messageIds.length > 0, "the receipt names at least one message id");
      for (const id of messageIds)
        ok(typeof id === "string" && id !== "", `a message id is a string, got ${JSON.stringify(id)}`);
    },
  },
  {
    name: "order is kept for one route: a send is over when the platform has it",
    async run({ send, carrying, server }) {
      const numbered = ["first", "second", "third", "fourth"].map((word) => `${word} of four`);
      for (const [index, text] of numbered.entries()) {
        await send(text);
        const arrived = numbered.filter((one) => carrying(one).length === 1);
        deepEqual(arrived, numbered.slice(0, index + 1), `what the platform has after send ${index + 1}`);
      }
      const order = numbered.map((text) => server.requests.findIndex((request) => carrying(text).includes(request)));
      deepEqual(
        order,
        order.toSorted((a, b) => a - b),
      );
    },
  },
  {
    name: "hostile text arrives as it is, and a text of the full length arrives whole",
    async run({ send, carrying, deliverer }) {
      for (const text of hostileTexts.filter((one) => one.length <= deliverer.capabilities.maxTextLength)) {
        await send(text);
        equal(carrying(text).length, 1, `the number of requests that carried ${JSON.stringify(text)}`);
      }
      const full = ofLength(deliverer.capabilities.maxTextLength);
      await send(full);
      equal(carrying(full).length, 1, `the number of requests that carried all ${full.length} units of a text`);
    },
  },
  {
    name: "a thread is opened below a route, and a send into it arrives",
    requires: "threads",
    async run({ deliverer, options, send, carrying }) {
      const signal = new AbortController().signal;
      const opening = { route: options.route, title: "a thread" };
      const route = await deliverer.createThread?.(opening, { idempotencyKey: "thread-1", signal });
      ok(route, "a deliverer that declares threads has createThread");
      deepEqual([route.channel, typeof route.threadId], [options.route.channel, "string"]);
      await send("into the thread", { route });
      equal(carrying("into the thread").length, 1, "the number of requests that carried the text");
    },
  },
  {
    name: "the platform gets the key: the same for a repeated send, another for another",
    requires: "idempotent",
    async run({ send, server }) {
      const stringsOf = async (idempotencyKey: string) => {
        const before = server.requests.length;
        await send("the same text", { idempotencyKey });
        return new Set(server.requests.slice(before).flatMap((request) => [request.path, ...stringsIn(request)]));
      };
      const [key, otherKey] = [randomUUID(), randomUUID()];
      const [first, again, other] = [await stringsOf(key), await stringsOf(key), await stringsOf(otherKey)];
      // Short strings are lengths, dates and counts that may happen to agree.
      const shared = [...first].filter((text) => text.length >= 8 && again.has(text) && !other.has(text));
      ok(shared.length > 0, "two sends with one key share something that a send with another key does not have");
    },
  },
];
