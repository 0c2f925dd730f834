import { textOf } from "@trunkline/core";
import { expect, test } from "vitest";
import { hang, openHarness } from "../harness.ts";
import { main, spawn, spawnIn } from "./family.ts";

test("scenario 34: a fork copies the parent's transcript with its running turn; later text of the parent is absent, the task comes last", async () => {
  const h = await openHarness({ script: { [`${main} inbound`]: "first answer", child: hang } });
  await h.human(main, "first question");
  await h.settle();
  let child = "";
  h.script({
    [`${main} inbound`]: async (request) => {
      child = (await spawnIn(request, { task: "the task", context: "fork" })).childSessionKey;
      return "second answer";
    },
  });
  await h.human(main, "second question");
  await h.advance(0);
  expect(await h.transcript(child)).toEqual([
    "user: first question",
    "assistant: first answer",
    "user: second question",
    "user: [Subagent Task]\n\nthe task",
  ]);
  const [request] = h.requests(child);
  expect(request?.prompt).toBe("[Subagent Task]\n\nthe task");
  expect(request?.messages.map(({ content }) => textOf(content))).toEqual([
    "first question",
    "first answer",
    "second question",
  ]);
  const own = await h.rows(main);
  const copied = await h.rows(child);
  const ids = new Set(own.map(({ id }) => id));
  expect(copied.some(({ id }) => ids.has(id))).toBe(false);
  expect(copied.map(({ seq }) => seq)).toEqual([1, 2, 3, 4]);
});

test("a fork takes in what the running turn has stored so far, tool results too, and nothing of an earlier incarnation", async () => {
  const h = await openHarness({ script: { child: hang } });
  await h.human(main, "forgotten");
  await h.settle();
  await h.trunkline.resetSession(main);
  let child = "";
  h.script({
    [`${main} inbound`]: async (request) => {
      request.emit({ type: "message", message: { role: "assistant", content: "I look first" } });
      request.emit({ type: "message", message: { role: "toolResult", content: "found it", toolCallId: "t1" } });
      child = (await spawnIn(request, { task: "the task", context: "fork" })).childSessionKey;
      return "";
    },
  });
  await h.human(main, "go");
  await h.advance(0);
  expect(await h.transcript(child)).toEqual([
    "user: go",
    "assistant: I look first",
    "toolResult: found it",
    "user: [Subagent Task]\n\nthe task",
  ]);
});

test("scenario 34: a transcript over the fork's size starts the child isolated and says so", async () => {
  const config = { agents: { defaults: { subagents: { forkMaxTokens: 1000 } }, list: [{ id: "a" }] } };
  const h = await openHarness({ config, script: { child: hang, [`${main} inbound`]: "ok" } });
  await h.human(main, "x".repeat(4100));
  await h.settle();
  const child = await spawn(h, main, { task: "work", context: "fork" });
  expect(child).toMatchObject({ context: "isolated", note: expect.stringContaining("too large to fork") });
  expect(await h.transcript(child.childSessionKey)).toEqual(["user: [Subagent Task]\n\nwork"]);
});

test("the size of a fork is also the last reported input, whatever the transcript's bytes; 120 000 tokens are too many by default", async () => {
  const h = await openHarness({
    script: { child: hang, [`${main} inbound`]: () => ({ text: "ok", usage: { inputTokens: 120_000 } }) },
  });
  await h.human(main, "hello");
  await h.settle();
  expect(await spawn(h, main, { task: "work", context: "fork" })).toMatchObject({ context: "isolated" });
  h.script({ [`${main} inbound`]: () => ({ text: "ok", usage: { inputTokens: 100_000 } }) });
  await h.human(main, "hello");
  await h.advance(0);
  expect(await spawn(h, main, { task: "work", context: "fork" })).toMatchObject({ context: "fork" });
});

test("a repeated spawn answers with the same note", async () => {
  const config = { agents: { defaults: { subagents: { forkMaxTokens: 0 } }, list: [{ id: "a" }] } };
  const h = await openHarness({ config, script: { child: hang, [`${main} inbound`]: "ok" } });
  await h.human(main, "hello");
  await h.settle();
  const args = { task: "work", context: "fork", idempotencyKey: "k" } as const;
  expect(await spawn(h, main, args)).toEqual(await spawn(h, main, args));
});

test("a fork takes completion entries of earlier children along as text, and is no second requester of them", async () => {
  const h = await openHarness({ script: { child: "r", child_announce: "first summary" } });
  await spawn(h, main, { task: "first" });
  await h.settle();
  h.script({ child: hang });
  const forked = await spawn(h, main, { task: "second", context: "fork" });
  const rows = await h.rows(forked.childSessionKey);
  expect(rows.map(({ provenance }) => provenance?.kind)).toEqual(["subagent_completion", "subagent_task"]);
  expect(rows[0]?.dedupeKey).toBeNull();
});
