import { randomUUID } from "node:crypto";
import { join } from "node:path";
import type { SessionStore } from "@trunkline/core";
import { openStore } from "../fixtures/installation.ts";
import { openRawAppend } from "../fixtures/raw-append.ts";
import { groupKey, seedTranscript } from "../fixtures/seed.ts";
import { prose } from "../fixtures/texts.ts";
import { atMost, type Bench, type BenchContext, type Finding } from "../harness/bench.ts";
import { compare, type Work } from "../harness/compare.ts";
import { growthExponent } from "../harness/growth.ts";
import { median } from "../harness/median.ts";

/** Targets 7 and 8: one message and the session's touch in one transaction. */
export const append: Bench = {
  name: "append",
  about: "append one message of 400 bytes: beside the raw driver, and in transcripts up to 100 k",
  async run(context) {
    return [
      ...(await againstRaw(context, "normal", 2)),
      ...(await againstRaw(context, "full", 1.3)),
      await growth(context),
    ];
  },
};

function appender(store: SessionStore, session: string): Work {
  let turn = 0;
  return () => {
    turn++;
    const body = { content: prose(turn) };
    const row = { id: randomUUID(), role: "user", class: 0, body } as const;
    const messages = [row];
    return store.commit({
      at: turn,
      sessions: [{ id: session, set: { updatedAt: turn }, append: [{ from: "outside", messages }] }],
    });
  };
}

async function againstRaw(
  context: BenchContext,
  synchronous: "normal" | "full",
  target: number,
): Promise<readonly Finding[]> {
  const { store } = await openStore(context, { synchronous });
  const session = await seedTranscript(store, groupKey(0), 1);
  const raw = await openRawAppend(join(context.directory, `raw-${synchronous}.db`), synchronous);
  const append = appender(store, session);
  const twenty = Array.from({ length: 20 });
  const single = await compare(append, () => raw.append(), context);
  const grouped = await compare(
    () => Promise.all(twenty.map(append)),
    () => twenty.forEach(raw.append),
    context,
  );
  raw.close();
  await store.close();
  const what = `synchronous ${synchronous} : raw`;
  return [
    {
      line: "7",
      what: `append, ${what}`,
      value: single.ratio,
      unit: "×",
      target: atMost(target),
      detail: single.detail,
    },
    { line: "7", what: `20 appends at once, ${what}`, value: grouped.ratio, unit: "×", detail: grouped.detail },
  ];
}

async function growth(context: BenchContext): Promise<Finding> {
  const sizes = context.quick ? [1, 1000, 10_000] : [1, 1000, 10_000, 100_000];
  const { store } = await openStore(context);
  const threads = [];
  for (const size of sizes) {
    const work = appender(store, await seedTranscript(store, groupKey(size), size));
    threads.push({ size: size + 200, work, times: [] as number[] });
  }
  // In turns, so that what else the machine does meets every size alike.
  for (let turn = 0; turn < 400; turn++) {
    for (const { work, times } of threads) {
      const start = performance.now();
      await work();
      times.push(performance.now() - start);
    }
  }
  await store.close();
  const points = threads.map(({ size, times }) => ({ size, time: median(times) }));
  return {
    line: "8",
    what: `append, thread of 1 → ${sizes.at(-1)}`,
    value: growthExponent(points),
    unit: "exponent",
    target: atMost(0.1),
    detail: points.map(({ size, time }) => `${size}: ${(time * 1000).toFixed(0)} µs`).join(", "),
  };
}
