import { testRunner } from "../../src/index.ts";
import { loopSuite } from "./loop-runner.ts";

testRunner(loopSuite);
