import { coordinatorKey } from "../runtime/demo-setup.ts";
import type { TimelineEntry } from "../timeline/timeline-entry.ts";
import type { CoordinatorObserver } from "./agents/run-coordinator.ts";

/** Tells what the coordinator does inside its turns as lines of the timeline. */
export function narrateCoordinator(tell: (entry: TimelineEntry) => void): CoordinatorObserver {
  const entry = (type: string, runId: string, step: Pick<TimelineEntry, "glyph" | "verb" | "text">): TimelineEntry => ({
    type,
    at: Date.now(),
    who: "coordinator",
    sessionKey: coordinatorKey,
    session: { name: "main" },
    runId,
    ...step,
  });
  return {
    documentsToRead(runId, count, alreadyRead) {
      const kept = alreadyRead === 0 ? "" : `, ${alreadyRead} read before`;
      tell(entry("run_started", runId, { glyph: "run", verb: "run", text: `${documents(count)} to read${kept}` }));
    },
    spawned(runId, document, childSessionKey, tookMs) {
      const step = { glyph: "spawn", verb: "spawn", text: `a reader for ${document}` } as const;
      const fold = { key: "spawn", leads: false, describe: (count: number) => `${count} readers accepted` };
      tell({ ...entry("spawn", runId, step), sessionKey: childSessionKey, tookMs, fold });
    },
    yielded(runId, readers) {
      tell(entry("yield", runId, { glyph: "wait", verb: "yield", text: `waits for ${readers} readers` }));
    },
    composing(runId, { results, readers }) {
      const text = `${results} of ${readers} results, each once`;
      tell(entry("resume", runId, { glyph: "run", verb: "resume", text }));
    },
    sent(runId, text) {
      const [firstLine = ""] = text.split("\n");
      const step = { glyph: "out", verb: "send", text: `"${firstLine}"` } as const;
      tell({ ...entry("send", runId, step), session: { name: "editor" } });
    },
  };
}

function documents(count: number): string {
  return `${count} ${count === 1 ? "document" : "documents"}`;
}
