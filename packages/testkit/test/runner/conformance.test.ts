import { testRunner } from "@trunkline/testkit";
import { createLoopRunner } from "./loop-runner.ts";

testRunner({ name: "loop", create: (model) => createLoopRunner(model) });
