import { equal, ok, rejects } from "node:assert/strict";
import { getEventListeners } from "node:events";
import { inspect } from "node:util";
import { DeliveryError } from "@trunkline/core";
import { eventually } from "../../eventually.ts";
import type { DelivererBench, DelivererCase } from "../deliverer-case.ts";
import { answersOf, classOf, failureOf } from "../failures.ts";
import { printedDuring } from "../printed-during.ts";
import { createBench } from "../run-deliverer-case.ts";

const classified: readonly DelivererCase[] = [
  {
    name: "429 is retryable and carries the platform's wait",
    async run(bench) {
      const { rateLimited } = answersOf(bench.options);
      const error = await failureOf(bench, rateLimited);
      equal(classOf(error), "retryable");
      equal(DeliveryError.isInstance(error) ? error.retryAfterMs : undefined, rateLimited.waitMs);
    },
  },
  {
    name: "a refused recipient is permanent",
    async run(bench) {
      equal(classOf(await failureOf(bench, answersOf(bench.options).refusedRecipient)), "permanent");
    },
  },
  {
    name: "an error of the platform's own, 5xx, is retryable",
    async run(bench) {
      equal(classOf(await failureOf(bench, answersOf(bench.options).serverError)), "retryable");
    },
  },
  {
    name: "no answer is ambiguous, never failed",
    async run(bench) {
      equal(classOf(await failureOf(bench, answersOf(bench.options).dropped)), "ambiguous");
    },
  },
];

export const failingCases: readonly DelivererCase[] = [
  ...classified,
  {
    name: "abort stops the request and leaves no listener",
    async run({ send, server }) {
      server.answer({ hang: true });
      const controller = new AbortController();
      const settled = send("never answered", { signal: controller.signal }).then(
        () => "resolved",
        () => "rejected",
      );
      await eventually(() => server.requests.length > 0, "the request reaches the platform");
      controller.abort();
      const patience = new Promise<string>((resolve) => setTimeout(resolve, 3000, "still waiting"));
      equal(await Promise.race([settled, patience]), "rejected", "what became of the aborted send");
      await eventually(() => server.requests.every((request) => request.left), "the platform sees the client leave");
      equal(getEventListeners(controller.signal, "abort").length, 0, "the number of listeners left on the signal");
      server.answer();
      const before = server.requests.length;
      await rejects(send("too late", { signal: controller.signal }), "a send whose signal is aborted already rejects");
      equal(server.requests.length, before, "the number of requests, none for a send aborted before it began");
    },
  },
  {
    name: "the secret is in no error, log or URL",
    async run(bench) {
      const errors: unknown[] = [];
      const printed = await printedDuring(async () => {
        await bench.send("hello");
        for (const answer of Object.values(answersOf(bench.options))) errors.push(await failureOf(bench, answer));
      });
      const secret = secretOf(bench);
      ok(!printed.includes(secret), "the secret was printed");
      for (const error of errors)
        ok(!inspect(error, { depth: 12, showHidden: true }).includes(secret), "the secret is in an error");
      for (const { path, query } of bench.server.requests) {
        ok(!Object.values(query).includes(secret), "the secret is in a URL's query");
        ok(bench.options.secretInPath || !path.includes(secret), "the secret is in a URL's path");
      }
    },
  },
  {
    name: "a mutant that swallows failures is caught",
    async run({ options, server, deliverer }) {
      const swallowing = createBench(options, server, {
        ...deliverer,
        send: async (message, sendOptions) => {
          try {
            return await deliverer.send(message, sendOptions);
          } catch {
            return { messageIds: ["made-up"] };
          }
        },
      });
      for (const one of classified)
        await rejects(one.run(swallowing), `"${one.name}" passes although the failure was swallowed`);
    },
  },
];

function secretOf({ options, server }: DelivererBench): string {
  const header = server.requests.map((request) => request.headers["authorization"]).find(Boolean);
  const secret = options.secret ?? header?.split(" ").at(-1);
  ok(secret, "the suite has to know the secret: give testDeliverer the option `secret`");
  return secret;
}
