import { describe, expect, test } from "vitest";
import { bothWays, startMcpEndpoint, tokens } from "./mcp-endpoint.ts";
import { generations, type ProgressEvent } from "./official-clients.ts";

const asMain = { authorization: `Bearer ${tokens.main}` };

/** An endpoint whose agents answer when they are told to. */
async function startSlowEndpoint() {
  const answered = Promise.withResolvers<string>();
  const started = Promise.withResolvers<void>();
  const endpoint = await startMcpEndpoint({
    config: bothWays,
    progressIntervalMs: 20,
    answer() {
      started.resolve();
      return answered.promise;
    },
  });
  return { endpoint, started: started.promise, answer: answered.resolve };
}

describe.each(generations)("$name", ({ connect }) => {
  test("is told of progress while a call waits, growing, and not after it", async () => {
    const { endpoint, answer } = await startSlowEndpoint();
    await using _ = endpoint;
    await using client = await connect(endpoint.url, asMain);
    const events: ProgressEvent[] = [];
    const enough = Promise.withResolvers<void>();
    const call = client.callTool("sessions_send", { agentId: "editor", message: "Ready?" }, (event) => {
      events.push(event);
      if (events.length === 3) enough.resolve();
    });
    await enough.promise;
    answer("Ready.");
    expect((await call).structured).toMatchObject({ status: "ok", reply: "Ready." });
    const told = events.length;
    const values = events.map(({ progress }) => progress);
    expect(values).toEqual([...new Set(values)].sort((left, right) => left - right));
    expect(events[0]?.message).toMatch(/^waiting for \d+ s$/);
    await client.callTool("agents_list");
    expect(events).toHaveLength(told);
  });

  test("gets no notifications that it did not ask for", async () => {
    const { endpoint, started, answer } = await startSlowEndpoint();
    await using _ = endpoint;
    await using client = await connect(endpoint.url, asMain);
    const call = client.callTool("sessions_send", { agentId: "editor", message: "Ready?" });
    await started;
    await new Promise((resolve) => setTimeout(resolve, 80));
    answer("Ready.");
    expect((await call).structured).toMatchObject({ status: "ok" });
    expect(endpoint.errors).toEqual([]);
  });

  test("a connection that is lost ends no run and loses no reply", async () => {
    const { endpoint, started, answer } = await startSlowEndpoint();
    await using _ = endpoint;
    const client = await connect(endpoint.url, asMain);
    const call = client.callTool("sessions_send", { agentId: "editor", message: "Ready?", idempotencyKey: "k1" });
    const lost = call.then(
      () => "answered",
      () => "lost",
    );
    await started;
    await client[Symbol.asyncDispose]();
    expect(await lost).toBe("lost");
    answer("Ready.");
    await using again = await connect(endpoint.url, asMain);
    const repeated = await again.callTool("sessions_send", {
      agentId: "editor",
      message: "Ready?",
      idempotencyKey: "k1",
    });
    expect(repeated.structured).toMatchObject({ status: "ok", reply: "Ready." });
  });
});
