import type { RunRequest } from "@trunkline/core";
import { expect, test } from "vitest";
import { callTool, type Harness, openHarness } from "../harness.ts";

const a = "agent:a:main";
const b = "agent:b:main";
const c = "agent:c:main";

/** Runs that one outside message may set off: maxHops 8, 5 turns. */
const most = 1 + 8 * (5 + 2) + 2 * 8;

async function ring(size: number, how: "waits" | "does not wait"): Promise<Harness> {
  const ids = Array.from({ length: size }, (_, index) => `r${index}`);
  const h = await openHarness({
    config: { agents: { list: ids.map((id, index) => ({ id, default: index === 0 })) } },
    script: {
      default: async (request: RunRequest) => {
        const next = ids[(ids.indexOf(request.session.agentId) + 1) % size];
        const timeoutSeconds = how === "waits" ? 30 : 0;
        await callTool(request, "sessions_send", { agentId: next, message: "pass it on", timeoutSeconds });
        return `always talking, ${request.session.agentId}`;
      },
    },
  });
  await h.human("agent:r0:main", "start");
  await h.advance(300_000);
  await h.settle();
  return h;
}

for (const size of [2, 3, 6]) {
  for (const how of ["waits", "does not wait"] as const) {
    test(`a ring of ${size} agents that always talk and forward, each of which ${how}, comes to an end`, async () => {
      const h = await ring(size, how);
      const calls = h.runner.requests.length;
      expect(calls).toBeGreaterThan(size);
      expect(calls).toBeLessThanOrEqual(most);
      await h.advance(600_000);
      expect(h.runner.requests).toHaveLength(calls);
    });
  }
}

test("a chain longer than maxHops is refused with loop_detected, which names no session", async () => {
  const ids = Array.from({ length: 6 }, (_, index) => `r${index}`);
  const refusals: unknown[] = [];
  const h = await openHarness({
    config: {
      agents: { list: ids.map((id, index) => ({ id, default: index === 0 })) },
      session: { agentToAgent: { maxHops: 3, maxPingPongTurns: 0 } },
    },
    script: {
      flow_announce: "ANNOUNCE_SKIP",
      default: async (request: RunRequest) => {
        const next = ids[ids.indexOf(request.session.agentId) + 1];
        const result = await callTool(request, "sessions_send", { agentId: next, message: "on" });
        if (JSON.stringify(result).includes("forbidden")) refusals.push(result);
        return "said";
      },
    },
  });
  await h.human("agent:r0:main", "start");
  await h.settle();
  expect(refusals).toEqual([{ status: "forbidden", code: "loop_detected", error: expect.any(String) }]);
  expect(JSON.stringify(refusals)).not.toContain("agent:");
  expect(await h.find("agent:r3:main")).toBeDefined();
  expect(await h.find("agent:r4:main")).toBeUndefined();
  const hops = await Promise.all(ids.slice(1, 4).map(async (id) => (await h.runs(`agent:${id}:main`))[0]?.hop));
  expect(hops).toEqual([1, 2, 3]);
});

test("first sends of one run, to however many sessions, are never counted as a loop", async () => {
  const ids = ["a", ...Array.from({ length: 12 }, (_, index) => `w${index}`)];
  const statuses: unknown[] = [];
  const h = await openHarness({
    config: { agents: { list: ids.map((id, index) => ({ id, default: index === 0 })) } },
    script: {
      [`${a} inbound`]: async (request: RunRequest) => {
        for (const id of ids.slice(1)) {
          const result = await callTool(request, "sessions_send", { agentId: id, message: "x", timeoutSeconds: 0 });
          statuses.push(result);
        }
        return "sent";
      },
      default: "NO_REPLY",
    },
  });
  await h.human(a, "tell everyone");
  await h.settle();
  expect(statuses).toHaveLength(12);
  for (const status of statuses) expect(status).toMatchObject({ status: "accepted" });
});

test("a message from outside starts a new chain at hop 0, and so does a call without a run", async () => {
  const h = await openHarness({ script: { default: "NO_REPLY" } });
  for (let round = 0; round < 12; round++) {
    expect(await h.send(a, b, `round ${round}`)).toMatchObject({ status: "ok" });
    expect(await h.send(b, a, `round ${round}`)).toMatchObject({ status: "ok" });
  }
  await h.settle();
  for (const run of [...(await h.runs(a)), ...(await h.runs(b))]) expect(run.hop).toBe(0);
});

test("in a primary or loop turn a send to the other side is refused under every name; third parties are not", async () => {
  const seen: Record<string, unknown> = {};
  const h = await openHarness({
    config: { session: { agentToAgent: { maxPingPongTurns: 2 } } },
    script: { [`${c} send`]: "NO_REPLY", flow_announce: "ANNOUNCE_SKIP" },
  });
  await h.human(a, "hi");
  await h.settle();
  const { sessionId } = await h.trunkline.patchSession(a, { label: "boss" });
  const names = (key: string, agentId: string, label: string | undefined, id: string) => ({
    key: { sessionKey: key },
    upper: { sessionKey: key.toUpperCase().replace("AGENT", "agent") },
    sessionId: { sessionId: id },
    agent: { agentId },
    ...(label === undefined ? {} : { label: { label } }),
  });
  async function tryAll(request: RunRequest, targets: Record<string, Record<string, string>>, as: string) {
    for (const [name, target] of Object.entries(targets)) {
      const { sessionId: id, ...rest } = target;
      seen[`${as} ${name}`] = await callTool(request, "sessions_send", {
        ...rest,
        ...(id === undefined ? {} : { sessionKey: id }),
        message: "again",
        timeoutSeconds: 0,
      });
    }
    seen[`${as} third`] = await callTool(request, "sessions_send", { sessionKey: c, message: "fyi" });
    return "text";
  }
  h.script({
    [`${b} send`]: (request) => tryAll(request, names(a, "a", "boss", sessionId), "b primary"),
    [`${a} turn`]: async (request) =>
      tryAll(request, names(b, "b", undefined, (await h.session(b)).sessionId), "a turn"),
    [`${b} turn`]: (request) => tryAll(request, names(a, "a", "boss", sessionId), "b turn"),
  });
  await h.send(a, b, "q");
  await h.settle();
  const groups = Object.entries(seen);
  expect(groups).toHaveLength(5 + 1 + 4 + 1 + 5 + 1);
  for (const [name, result] of groups) {
    const expected = name.endsWith("third")
      ? { status: "ok" }
      : { status: "forbidden", code: "reply_already_returned" };
    expect([name, result]).toEqual([name, expect.objectContaining(expected)]);
  }
});

test("the alias main is the caller's own: in a turn of the main session's own agent it is the other side", async () => {
  const side = "agent:a:side";
  const seen: unknown[] = [];
  const h = await openHarness({ script: { default: "NO_REPLY", flow_announce: "ANNOUNCE_SKIP" } });
  await h.human(side, "hi");
  await h.settle();
  h.script({
    [`${side} send`]: async (request) => {
      seen.push(await callTool(request, "sessions_send", { sessionKey: "main", message: "x" }));
      return "NO_REPLY";
    },
  });
  await h.send(a, side, "q");
  await h.settle();
  expect(seen).toEqual([expect.objectContaining({ code: "reply_already_returned" })]);
});

test("a loop turn that yielded and was resumed is still a step of its exchange: what it sends draws on the budget", async () => {
  const h = await openHarness({
    script: { default: "NO_REPLY", [`${b} send`]: "text", child_announce: "done", child: "done" },
  });
  h.script({
    [`${a} turn`]: async (request) => {
      await callTool(request, "sessions_spawn", { task: "t" });
      await callTool(request, "sessions_yield", {});
      return "";
    },
    [`${a} resume`]: async (request) => {
      await callTool(request, "sessions_send", { sessionKey: c, message: "x" });
      return "REPLY_SKIP";
    },
  });
  await h.send(a, b, "q");
  await h.settle();
  expect((await h.runs(c)).map(({ kind, guarded }) => [kind, guarded])).toEqual([["send", 1]]);
});

test("a session that answers its own message is on nobody's other side: it may write to itself again, within the budget", async () => {
  const seen: { readonly status?: string; readonly code?: string }[] = [];
  const h = await openHarness({ script: { default: "NO_REPLY" } });
  h.script({
    [`${a} send`]: async (request) => {
      const again = { sessionKey: "current", message: "again", timeoutSeconds: 0 };
      seen.push(Object(await callTool(request, "sessions_send", again)));
      return "NO_REPLY";
    },
  });
  await h.send(a, a, "first", { timeoutSeconds: 0 });
  await h.settle();
  expect(seen.slice(0, -1).every(({ status }) => status === "accepted")).toBe(true);
  expect(seen.at(-1)).toMatchObject({ status: "forbidden", code: "loop_detected" });
  expect(seen).toHaveLength(9);
});
