import type { ToolName } from "@trunkline/core";
import { openInstallation, openStore } from "../fixtures/installation.ts";
import { groupKey, mainKey, seedSessions, seedTranscript } from "../fixtures/seed.ts";
import { atMost, type Bench, type Finding } from "../harness/bench.ts";
import { eventLoopBlock } from "../harness/event-loop-block.ts";
import { median } from "../harness/median.ts";

/** Target 18: for how long a tool call keeps everything else waiting. */
export const block: Bench = {
  name: "block",
  about: "the event loop's longest standstill in each tool call, 10 k sessions and a transcript of 20 k",
  async run(context) {
    const { store } = await openStore(context);
    await seedSessions(store, context.quick ? 2000 : 10_000, 1);
    const long = "agent:main:telegram:group:long";
    await seedTranscript(store, long, context.quick ? 4000 : 20_000);
    const trunkline = await openInstallation({ store });
    await trunkline.start();
    const child = await trunkline.callTool({ sessionKey: mainKey }, "sessions_spawn", { task: "Look into it" });
    if (child.status !== "accepted") throw new Error("the spawn was refused");
    const rich = { limit: 200, messageLimit: 20, includeDerivedTitles: true, includeLastMessage: true };
    const calls: readonly (readonly [what: string, tool: ToolName, args: object])[] = [
      ["sessions_list, 200 rows with titles, previews and 20 messages each", "sessions_list", rich],
      ["sessions_list, search that finds nothing", "sessions_list", { search: "no such text" }],
      ["sessions_history, 200 messages", "sessions_history", { sessionKey: long, limit: 200 }],
      ["sessions_history, page with a count", "sessions_history", { sessionKey: long, limit: 200, offset: 15_000 }],
      ["sessions_search", "sessions_search", { query: "reviewers tests", limit: 50 }],
      ["sessions_send", "sessions_send", { sessionKey: groupKey(1), message: "Hello" }],
      ["sessions_send to the long transcript", "sessions_send", { sessionKey: long, message: "Hello" }],
      ["sessions_spawn", "sessions_spawn", { task: "Look into it" }],
      ["sessions_spawn, forked", "sessions_spawn", { task: "Look into it", context: "fork" }],
      ["subagents", "subagents", {}],
      ["session_status", "session_status", { sessionKey: long, changesSince: 0 }],
      ["agents_list", "agents_list", {}],
      ["sessions, patch", "sessions", { action: "patch", sessionKey: child.childSessionKey, label: "renamed" }],
    ];
    await trunkline.callTool({ sessionKey: mainKey }, "sessions_search", { query: "warm" });
    const findings: Finding[] = [];
    for (const [what, tool, args] of calls) {
      const blocks: number[] = [];
      for (let turn = 0; turn < 7; turn++) {
        blocks.push(await eventLoopBlock(() => trunkline.callTool({ sessionKey: mainKey }, tool, args)));
        await trunkline.waitForIdle({ timeoutMs: 30_000 });
      }
      const detail = `shortest ${Math.min(...blocks).toFixed(2)} ms`;
      findings.push({ line: "18", what, value: median(blocks), unit: "ms", target: atMost(50), detail });
    }
    await trunkline.stop();
    await store.close();
    return findings;
  },
};
