import { mkdtemp, rm } from "node:fs/promises";
import { availableParallelism, tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { benches } from "./benches.ts";
import { openAnchor } from "./harness/anchor.ts";
import { type BenchResult, jsonOf, tableOf } from "./harness/report.ts";

const { values: flags, positionals: names } = parseArgs({
  allowPositionals: true,
  options: {
    json: { type: "boolean", default: false },
    quick: { type: "boolean", default: false },
    help: { type: "boolean", default: false },
  },
});

if (flags.help) {
  const lines = benches.map(({ name, about }) => `  ${name.padEnd(12)} ${about}`);
  console.log(["Usage: main.ts [name…] [--quick] [--json]", "", ...lines].join("\n"));
} else {
  await runAll();
}

async function runAll(): Promise<void> {
  const unknown = names.filter((name) => !benches.some((bench) => bench.name === name));
  if (unknown.length > 0) throw new Error(`no bench is named ${unknown.join(", ")}; --help lists them`);
  const wanted = names.length === 0 ? benches : benches.filter(({ name }) => names.includes(name));
  const directory = await mkdtemp(join(tmpdir(), "trunkline-benchmarks-"));
  const anchor = openAnchor(directory, availableParallelism());
  const results: BenchResult[] = [];
  try {
    for (const bench of wanted) {
      console.error(`${bench.name}: ${bench.about} …`);
      const findings = await bench.run({ quick: flags.quick, directory });
      results.push({ bench: bench.name, findings, anchor: await anchor.look() });
    }
  } finally {
    anchor.close();
    await rm(directory, { recursive: true, force: true });
  }
  console.log(flags.json ? jsonOf(results) : tableOf(results));
}
