import { familyScenarios } from "./family-scenarios.ts";
import { messageScenarios } from "./message-scenarios.ts";
import type { Scenario } from "./scenario.ts";

/** Every scenario by name. */
export const scenarios = { ...messageScenarios, ...familyScenarios } satisfies { readonly [name: string]: Scenario };

export type ScenarioName = keyof typeof scenarios;
