import { randomUUID } from "node:crypto";
import type { Deliverer } from "@trunkline/core";
import type { FakePlatformServer } from "../platform/fake-platform-server.ts";
import { type PlatformRequest, stringsIn } from "../platform/platform-request.ts";
import type { DelivererBench, DelivererCase, DelivererNeed, DelivererSuiteOptions } from "./deliverer-case.ts";

/** Runs one case with a fake platform of its own. Resolves to what the case needs and the deliverer does not declare. */
export async function runDelivererCase(
  one: DelivererCase,
  options: DelivererSuiteOptions,
): Promise<"passed" | { readonly notAsked: DelivererNeed }> {
  const server = await options.createServer();
  try {
    const deliverer = await options.create(server);
    if (one.requires && !has(one.requires, deliverer, options)) return { notAsked: one.requires };
    await one.run(createBench(options, server, deliverer));
    return "passed";
  } finally {
    server.answer();
    await server.close();
  }
}

function has(need: DelivererNeed, { capabilities }: Deliverer, options: DelivererSuiteOptions): boolean {
  return need === "createWithoutSecret" ? options.createWithoutSecret !== undefined : capabilities[need] === true;
}

/** A bench on any deliverer and fake, for cases that put another deliverer in the place of the suite's. */
export function createBench(
  options: DelivererSuiteOptions,
  server: FakePlatformServer,
  deliverer: Deliverer,
): DelivererBench {
  return {
    options,
    server,
    deliverer,
    send: (text, over = {}) =>
      deliverer.send(
        { route: over.route ?? options.route, text },
        {
          idempotencyKey: over.idempotencyKey ?? randomUUID(),
          signal: over.signal ?? new AbortController().signal,
        },
      ),
    carrying: (text) => server.requests.filter((request) => carries(request, text, options)),
  };
}

function carries(request: PlatformRequest, text: string, { textOf }: DelivererSuiteOptions): boolean {
  return textOf ? textOf(request) === text : stringsIn(request).includes(text);
}
