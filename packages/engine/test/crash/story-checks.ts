import { textOf } from "@trunkline/core";
import { expect } from "vitest";
import type { Snapshot } from "../invariants/snapshot.ts";
import type { LogEntry } from "./crash-log.ts";
import type { ScenarioName } from "./scenarios.ts";

type Check = (after: Snapshot, log: readonly LogEntry[]) => void;

/** What else has to hold at the end of a story. */
export const storyChecks: { readonly [N in ScenarioName]?: Check } = {
  notice(after, log) {
    const shown = log.flatMap((entry) =>
      entry.what === "ran" && entry.prompt.includes("The watched session") ? [entry.runId] : [],
    );
    const ended = after.run.filter(({ id, state }) => shown.includes(id) && state === "ok");
    expect(ended, "runs that were shown the notice and ended").toHaveLength(1);
    expect(after.message.filter(({ provenance }) => provenance?.kind === "notice")).toHaveLength(1);
  },
  steer(after) {
    const answers = after.message.filter(({ role }) => role === "assistant").map(({ body }) => textOf(body.content));
    const merged = after.run.some(({ state }) => state === "merged");
    expect(answers.filter((text) => text.includes("by the way"))).toEqual([
      merged ? "start, then by the way" : "about by the way",
    ]);
  },
  family(after, log) {
    const entries = after.message.filter(({ provenance }) => provenance?.kind === "subagent_completion");
    for (const entry of log) {
      if (entry.what !== "ran" || entry.kind !== "resume") continue;
      expect(entry.prompt).toContain("waiting for two");
      for (const { body } of entries) expect(entry.prompt).toContain(textOf(body.content));
      expect(entries).toHaveLength(2);
    }
  },
  thread(after) {
    expect(after.binding.filter(({ state }) => state === "bound")).toHaveLength(after.spawn.length);
  },
};
