import type { TrunklineConfigInput } from "@trunkline/core";
import type { ScriptedHandler } from "@trunkline/testkit";
import { expect, test } from "vitest";
import { type Answer, answerAfter, callTool, type Harness, type HarnessOptions, openHarness } from "../harness.ts";
import { findViolations } from "../invariants/find-violations.ts";
import {
  childKey,
  completions,
  main,
  spawn,
  spawnIn,
  spawning,
  spawningAndYielding,
  spawnsOf,
  usedSlots,
} from "./family.ts";

const slack = { channel: "slack" } as const;
const asked = { channel: "slack", peer: { kind: "direct", id: "U1" }, threadId: "T7", text: "go" } as const;
const deep: TrunklineConfigInput = {
  agents: { defaults: { subagents: { maxSpawnDepth: 5 } }, list: [{ id: "a", default: true }] },
};

const openDeep = (options: HarnessOptions = {}) => openHarness({ config: deep, channels: [slack], ...options });

function byDepth(answers: Readonly<Record<number, Answer>>): ScriptedHandler {
  return (request) => {
    const found = answers[request.session.spawnDepth] ?? "";
    return typeof found === "string" ? found : found(request);
  };
}

async function onlyChild(h: Harness, key: string) {
  const [spawned] = await spawnsOf(h, key);
  if (!spawned) throw new Error(`${key} has no child`);
  return { spawned, key: await childKey(h, spawned) };
}

test("scenario 40: a child that ends early is continued once, with both results in creation order, and announces once", async () => {
  const h = await openDeep();
  const delays: Record<string, number> = { first: 9000, second: 3000 };
  h.script({
    [`${main} inbound`]: spawning(["whole"], "on it"),
    child: (request) => {
      const word = Object.keys(delays).find((name) => request.prompt.endsWith(name));
      if (word !== undefined) return answerAfter(h.clock, delays[word] ?? 0, `${word} result`)(request);
      return (async () => {
        await spawnIn(request, { task: "first" });
        await spawnIn(request, { task: "second" });
        return "I end early";
      })();
    },
    child_announce: byDepth({ 1: "the whole", 2: "" }),
    continuation: "both are in",
  });
  await h.trunkline.receive(asked);
  await h.advance(3000);
  expect(h.channel("slack").sent.map(({ text }) => text)).toEqual(["on it"]);
  expect(await usedSlots(h, main)).toBe(1);
  await h.advance(6000);
  await h.settle();
  const { spawned, key } = await onlyChild(h, main);
  const [, continuation, step] = h.requests(key);
  expect(continuation?.run.kind).toBe("continuation");
  expect(continuation?.prompt.indexOf("first result")).toBeGreaterThan(0);
  expect(continuation?.prompt.indexOf("second result")).toBeGreaterThan(
    continuation?.prompt.indexOf("first result") ?? 0,
  );
  expect(step?.prompt).toContain("both are in");
  expect(h.requests(key)).toHaveLength(3);
  expect(h.channel("slack").sent.map(({ text }) => text)).toEqual(["on it", (await completions(h, main))[0]]);
  expect((await completions(h, main))[0]).toContain("Result: the whole");
  expect(await completions(h, key)).toHaveLength(2);
  expect(spawned).toMatchObject({ state: "settled", outcome: "success", continued: 1 });
  expect(await findViolations(h.store)).toEqual([]);
});

test("B32: the thread and account of the message that asked survive two levels of children", async () => {
  const h = await openDeep();
  h.script({
    [`${main} inbound`]: spawningAndYielding(["whole"]),
    child: byDepth({
      1: async (request) => {
        await spawnIn(request, { task: "part" });
        await callTool(request, "sessions_yield", {});
        return "";
      },
      2: "part result",
    }),
    resume: (request) => (request.session.spawnDepth === 0 ? "final answer" : "whole result"),
  });
  await h.trunkline.receive({ ...asked, accountId: "team" });
  await h.settle();
  expect(h.channel("slack").sent).toHaveLength(1);
  expect(h.channel("slack").sent[0]).toMatchObject({
    text: "final answer",
    route: { channel: "slack", to: "U1", accountId: "team", threadId: "T7" },
  });
});

test("B31: a completion goes to the thread in which its child was asked for, though the chat has moved on", async () => {
  const h = await openDeep();
  h.script({
    [`${main} inbound`]: spawning(["work"]),
    child: answerAfter(h.clock, 5000, "result"),
    child_announce: "summary",
  });
  await h.trunkline.receive(asked);
  await h.advance(0);
  h.script({ [`${main} inbound`]: "elsewhere" });
  await h.trunkline.receive({ ...asked, threadId: "T8", text: "by the way" });
  await h.advance(5000);
  await h.settle();
  expect(h.channel("slack").sent.at(-1)).toMatchObject({ route: { channel: "slack", to: "U1", threadId: "T7" } });
});

test("a yielded child is not over: its resume ends it and reports upward", async () => {
  const h = await openDeep();
  h.script({
    [`${main} inbound`]: spawning(["whole"]),
    child: byDepth({
      1: async (request) => {
        await spawnIn(request, { task: "part" });
        await callTool(request, "sessions_yield", {});
        return "not a reply";
      },
      2: answerAfter(h.clock, 5000, "part result"),
    }),
    resume: "whole result",
  });
  await h.trunkline.receive(asked);
  await h.advance(4999);
  expect(await completions(h, main)).toEqual([]);
  await h.advance(1);
  await h.settle();
  expect((await completions(h, main))[0]).toContain("Result: whole result");
  const { key } = await onlyChild(h, main);
  expect(h.requests(key).map(({ run }) => run.kind)).toEqual(["child", "resume", "child_announce"]);
  expect(await findViolations(h.store)).toEqual([]);
});

test("a child that has ended in its parent's run, unseen, is handed to one continuation", async () => {
  const h = await openDeep();
  h.script({
    [`${main} inbound`]: spawning(["whole"]),
    child: byDepth({
      1: async (request) => {
        const part = await spawnIn(request, { task: "part" });
        await callTool(request, "subagents", { action: "wait", runIds: [part.runId] });
        return "I did not look";
      },
      2: "part result",
    }),
    continuation: "now I have seen it",
  });
  await h.trunkline.receive(asked);
  await h.settle();
  expect((await completions(h, main))[0]).toContain("Result: now I have seen it");
  expect(await findViolations(h.store)).toEqual([]);
});

test("a message in a child's session that outlives the last of its children does not keep the child from going on", async () => {
  const h = await openDeep();
  h.script({
    [`${main} inbound`]: spawning(["whole"]),
    child: byDepth({
      1: async (request) => {
        await spawnIn(request, { task: "part" });
        return "ended early";
      },
      2: answerAfter(h.clock, 1000, "part result"),
    }),
    continuation: "continued",
  });
  await h.trunkline.receive(asked);
  await h.advance(0);
  const { key } = await onlyChild(h, main);
  h.script({
    [`${key} send`]: async (request) => {
      await spawnIn(request, { task: "guest's part" });
      return answerAfter(h.clock, 20_000, "guest answer")(request);
    },
  });
  const sending = h.send(main, key, "meanwhile", { timeoutSeconds: 60 });
  await h.advance(10_000);
  expect(await completions(h, main)).toEqual([]);
  await h.advance(10_000);
  expect(await sending).toMatchObject({ status: "ok", reply: "guest answer" });
  await h.settle();
  expect((await completions(h, main))[0]).toContain("Result: continued");
  expect(await usedSlots(h, key)).toBe(0);
  expect(await findViolations(h.store)).toEqual([]);
});

test("a guest's yield in a child's session takes its own children, and the child goes on all the same", async () => {
  const h = await openDeep();
  h.script({
    [`${main} inbound`]: spawning(["whole"]),
    child: byDepth({
      1: async (request) => {
        await spawnIn(request, { task: "part" });
        return "ended early";
      },
      2: (request) => answerAfter(h.clock, request.prompt.includes("guest") ? 9000 : 1000, "part result")(request),
    }),
    continuation: "continued",
    resume: "guest resumed",
  });
  await h.trunkline.receive(asked);
  await h.advance(0);
  const { key } = await onlyChild(h, main);
  h.script({ [`${key} send`]: spawningAndYielding(["guest's part"]) });
  const sending = h.send(main, key, "meanwhile", { timeoutSeconds: 60 });
  await h.advance(20_000);
  expect(await sending).toMatchObject({ status: "ok", reply: "guest resumed" });
  await h.settle();
  expect((await completions(h, main))[0]).toContain("Result: continued");
  expect(h.requests(key).map(({ run }) => run.kind)).toEqual([
    "child",
    "send",
    "resume",
    "continuation",
    "child_announce",
  ]);
  expect(await findViolations(h.store)).toEqual([]);
});

test("an announce step starts no children: the task is done", async () => {
  const h = await openDeep();
  let refusal: unknown;
  h.script({
    child: "result",
    child_announce: async (request) => {
      refusal = await callTool(request, "sessions_spawn", { task: "more" });
      return "summary";
    },
  });
  await spawn(h, main, { task: "work" });
  await h.settle();
  expect(refusal).toMatchObject({ status: "forbidden", code: "tool_not_allowed" });
  expect((await completions(h, main))[0]).toContain("Result: summary");
});
