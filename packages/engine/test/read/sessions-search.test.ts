import type { ToolResult } from "@trunkline/core";
import { expect, test } from "vitest";
import { type Harness, openHarness } from "../harness.ts";

type Search = Extract<ToolResult<"sessions_search">, { hits: unknown }>;

async function search(harness: Harness, query: string, more: object = {}, from = "agent:a:main"): Promise<Search> {
  const result = await harness.trunkline.callTool({ sessionKey: from }, "sessions_search", { query, ...more });
  if (!("hits" in result)) throw new Error("refused");
  return result;
}

const token = ["gh", "p_", "a1B2".repeat(9)].join("");

test("words are found whatever their case, in visible transcripts only, newest first", async () => {
  const harness = await openHarness({ config: { tools: { sessions: { visibility: "agent" } } } });
  await harness.human("agent:a:telegram:group:1", "The invoice of Müller is open");
  await harness.advance(1000);
  await harness.human("agent:a:telegram:group:2", "müller: INVOICE paid");
  await harness.human("agent:b:main", "invoice Müller, secret of b");
  await harness.settle();
  const found = await search(harness, "invoice MÜLLER");
  expect(found.hits.map(({ sessionKey }) => sessionKey)).toEqual([
    "agent:a:telegram:group:2",
    "agent:a:telegram:group:1",
  ]);
  expect(found).toMatchObject({ count: 2, hasMore: false, visibility: { mode: "agent" } });
  expect(await search(harness, "invoice nowhere")).toMatchObject({ count: 0, hits: [] });
});

test("an excerpt is bounded, sanitised and redacted before it is cut", async () => {
  const harness = await openHarness({
    script: { default: `<think>needle in thought</think>${"pad ".repeat(500)} needle ${token} ${"pad ".repeat(500)}` },
  });
  await harness.human("agent:a:telegram:group:1", "go");
  await harness.settle();
  const [hit] = (await search(harness, "needle")).hits;
  expect(hit?.excerpt).toContain("needle");
  expect(hit?.excerpt).not.toContain("thought");
  expect(hit?.excerpt.length).toBeLessThanOrEqual(310);
  expect(hit?.contentRedacted).toBe(true);
  expect(JSON.stringify(hit)).not.toContain(token);
});

test("pages follow a cursor; hidden replies and closed incarnations are not found", async () => {
  const harness = await openHarness({ start: false });
  for (let index = 0; index < 25; index++) await harness.human("agent:a:telegram:group:1", `needle ${index}`);
  const first = await search(harness, "needle", { limit: 10 });
  const second = await search(harness, "needle", { limit: 10, cursor: first.nextCursor });
  const third = await search(harness, "needle", { limit: 10, cursor: second.nextCursor });
  expect([first.count, second.count, third.count]).toEqual([10, 10, 5]);
  expect(new Set([...first.hits, ...second.hits, ...third.hits].map(({ messageId }) => messageId)).size).toBe(25);
  await harness.trunkline.resetSession("agent:a:telegram:group:1");
  expect(await search(harness, "needle")).toMatchObject({ count: 0 });
});

test("a query's punctuation is data: quotes, operators and stars are no syntax", async () => {
  const harness = await openHarness({ start: false });
  await harness.human("agent:a:telegram:group:1", 'say "hello" AND NOT (goodbye) now*');
  for (const query of ['"hello"', "AND NOT", "(goodbye)", "now*", '" OR 1=1 --', "hello NEAR goodbye"]) {
    expect((await search(harness, query)).count, query).toBe(query.includes("1=1") || query.includes("NEAR") ? 0 : 1);
  }
});
