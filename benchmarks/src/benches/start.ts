import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { openStore } from "../fixtures/installation.ts";
import { seedSessions } from "../fixtures/seed.ts";
import { atMost, type Bench } from "../harness/bench.ts";
import { median } from "../harness/median.ts";

interface Started {
  readonly answeredMs: number;
  readonly sinceStartMs: number;
  readonly rssMb: number;
  readonly idleCpuPercent: number;
}

const program = fileURLToPath(new URL("../open-and-answer.mjs", import.meta.url));
/** Users run built packages; without a build the sources are measured, and the compiler's part of memory with them. */
const isBuilt = existsSync(new URL("../../../packages/engine/dist/index.js", import.meta.url));
const run = promisify(execFile);
/** Milliseconds to settle (after activity the store looks for other processes' hints more often for five seconds) and to idle. */
const idling = ["7000", "10000"];

/** Target 15: a process that opens a large store and answers. */
export const start: Bench = {
  name: "start",
  about: "open a store of 10 k sessions in a process of its own: first answer, memory, idle",
  async run(context) {
    const { store, path } = await openStore(context);
    await seedSessions(store, context.quick ? 2000 : 10_000, 2);
    await store.close();
    const started: Started[] = [];
    for (let turn = 0; turn < (context.quick ? 3 : 7); turn++) {
      const flags = isBuilt ? [] : process.execArgv;
      const { stdout } = await run(process.execPath, [...flags, program, path, ...(turn === 0 ? idling : [])]);
      started.push(JSON.parse(stdout));
    }
    const of = (name: keyof Started) => median(started.map((each) => each[name]));
    const what = isBuilt ? "built packages" : "sources, types stripped at run time";
    const whole = `${what}; process start to answer ${of("sinceStartMs").toFixed(0)} ms`;
    return [
      {
        line: "15",
        what: "open → first answer",
        value: of("answeredMs"),
        unit: "ms",
        target: atMost(300),
        detail: whole,
      },
      { line: "15", what: "resident memory", value: of("rssMb"), unit: "MB", target: atMost(120), detail: what },
      {
        line: "15",
        what: "processor while idle",
        value: started[0]?.idleCpuPercent ?? Number.NaN,
        unit: "%",
        target: atMost(0.5),
      },
    ];
  },
};
