import type { Runner } from "@trunkline/core";
import { answerWordLimit, editorKey } from "../runtime/demo-setup.ts";
import { createDemoRunner } from "./agents/create-demo-runner.ts";
import type { CoordinatorObserver } from "./agents/run-coordinator.ts";
import { defaultDocumentLimit, documentsToRead } from "./documents-to-read.ts";

const unobserved: CoordinatorObserver = {
  documentsToRead() {},
  spawned() {},
  yielded() {},
  composing() {},
  sent() {},
};

/** The demo's agents without a timeline, for every command with `--demo`; they read the default documents. */
export function createQuietDemoRunner(workingDirectory: string): Runner {
  return createDemoRunner({
    workingDirectory,
    wordLimit: answerWordLimit,
    editorKey,
    observer: unobserved,
    documents: async () => (await documentsToRead({ limit: defaultDocumentLimit, workingDirectory })).documents,
  });
}
