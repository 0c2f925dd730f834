import type { Runner } from "@trunkline/core";
import { type CoordinatorOptions, runCoordinator } from "./run-coordinator.ts";
import { runEditor } from "./run-editor.ts";
import { runReader } from "./run-reader.ts";

export interface DemoRunnerOptions extends CoordinatorOptions {
  readonly workingDirectory: string;
}

/** The runner of the demo's agents: small deterministic programs on real files, no model. */
export function createDemoRunner(options: DemoRunnerOptions): Runner {
  return {
    id: "demo",
    run(request) {
      if (request.session.spawnedBy !== undefined) return runReader(request, options.workingDirectory);
      return request.session.agentId === "editor" ? runEditor(request) : runCoordinator(request, options);
    },
  };
}
