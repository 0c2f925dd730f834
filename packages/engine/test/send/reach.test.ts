import { expect, test } from "vitest";
import { openHarness } from "../harness.ts";

const a = "agent:a:main";
const b = "agent:b:main";

test("scenario 11: each visibility mode reaches exactly its sessions, and a refusal changes nothing", async () => {
  const reach = {
    self: ["self"],
    tree: ["self", "child"],
    agent: ["self", "child", "sibling"],
    all: ["self", "child", "sibling", "other"],
  } as const;
  for (const [visibility, allowed] of Object.entries(reach)) {
    const h = await openHarness({
      config: {
        tools: { sessions: { visibility: visibility as keyof typeof reach }, agentToAgent: { enabled: true } },
      },
      script: { send: "yes", turn: "REPLY_SKIP", default: "NO_REPLY" },
    });
    await h.human(a, "hi");
    await h.human("agent:a:other", "hi");
    await h.human(b, "hi");
    const spawned = await h.call(a, "sessions_spawn", { task: "sit there" });
    if (spawned.status !== "accepted") throw new Error("no child");
    await h.settle();
    const targets = { self: a, child: spawned.childSessionKey, sibling: "agent:a:other", other: b };
    for (const [name, key] of Object.entries(targets)) {
      const { updatedAt } = await h.session(key);
      await h.advance(1);
      const result = await h.send(a, key, "x", { timeoutSeconds: 0 });
      if (allowed.some((one) => one === name)) {
        expect([visibility, name, result.status]).toEqual([visibility, name, "accepted"]);
        await h.settle();
      } else {
        const refused = name === "other" && visibility === "agent" ? "forbidden" : "error";
        expect([visibility, name, result.status]).toEqual([visibility, name, refused]);
        expect((await h.session(key)).updatedAt).toBe(updatedAt);
      }
    }
  }
});

test("scenario 12: agent-to-agent needs both ends in its list; sends inside one agent ignore it", async () => {
  const h = await openHarness({
    config: {
      agents: { list: [{ id: "a", default: true }, { id: "b2" }, { id: "c" }] },
      tools: { sessions: { visibility: "all" }, agentToAgent: { enabled: true, allow: ["a", "b*"] } },
    },
    script: { send: "yes", default: "NO_REPLY" },
  });
  await h.human("agent:a:side", "hi");
  expect(await h.send(a, "agent:b2:main", "x")).toMatchObject({ status: "ok" });
  expect(await h.send(a, "agent:c:main", "x")).toMatchObject({ status: "forbidden", code: "agent_to_agent" });
  expect(await h.send("agent:c:main", a, "x")).toMatchObject({ status: "forbidden", code: "agent_to_agent" });
  expect(await h.send(a, "agent:a:side", "x")).toMatchObject({ status: "ok" });
  await h.settle();
});

test("scenario 13: a sandboxed session reaches its own children only, and hidden and missing look the same", async () => {
  const sandboxed = { agents: { list: [{ id: "a", default: true, sandbox: { mode: "all" as const } }] } };
  const h = await openHarness({ config: sandboxed, script: { send: "yes", default: "NO_REPLY" } });
  await h.human(a, "hi");
  await h.human("agent:a:other", "hi");
  const spawned = await h.call(a, "sessions_spawn", { task: "sit there" });
  if (spawned.status !== "accepted") throw new Error("no child");
  await h.settle();
  const hidden = await h.send(a, "agent:a:other", "x");
  const missing = await h.send(a, "agent:a:nobody", "x");
  expect(hidden).toMatchObject({ status: "error", code: "not_found" });
  expect(JSON.stringify(hidden).replaceAll("other", "nobody")).toBe(JSON.stringify(missing));
  expect(await h.send(a, spawned.childSessionKey, "x")).toMatchObject({ status: "ok" });
  await h.settle();

  const open = await openHarness({
    config: {
      agents: { ...sandboxed.agents, defaults: { sandbox: { sessionToolsVisibility: "all" } } },
    },
    script: { send: "yes", default: "NO_REPLY" },
  });
  await open.human("agent:a:other", "hi");
  await open.settle();
  expect(await open.send(a, "agent:a:other", "x")).toMatchObject({ status: "ok" });
  await open.settle();
});
