import { isDeepStrictEqual } from "node:util";
import type { BenchContext, Finding } from "../harness/bench.ts";
import { compare, type Work } from "../harness/compare.ts";
import type { Thread, ThreadStorage } from "./thread-storage.ts";

const newest = 100;
const last = 50;

/** All work that both can do, on data of the same sizes: how many times as long the peer takes as we do. */
export async function compareStorages(
  peer: ThreadStorage,
  ours: ThreadStorage,
  context: BenchContext,
): Promise<readonly Finding[]> {
  // In this order, because threads that were written to would be the newest.
  return [
    ...(await listing(peer, ours, context)),
    await reading(peer, ours, context),
    ...(await appending(peer, ours, context)),
  ];
}

async function listing(peer: ThreadStorage, ours: ThreadStorage, context: BenchContext): Promise<readonly Finding[]> {
  const { listing: theirs } = peer;
  const { listing: own } = ours;
  if (theirs === undefined || own === undefined) return [];
  const count = many(context);
  await theirs.add(count);
  await own.add(count);
  const what = `list ${newest} of ${count} threads`;
  return [
    await sameAnswer(
      what,
      () => theirs.newest(newest),
      () => own.newest(newest),
      context,
    ),
  ];
}

async function reading(peer: ThreadStorage, ours: ThreadStorage, context: BenchContext): Promise<Finding> {
  const count = many(context);
  const theirs = await peer.addThread(count);
  const own = await ours.addThread(count);
  const what = `last ${last} of ${count} messages`;
  return await sameAnswer(
    what,
    () => theirs.last(last),
    () => own.last(last),
    context,
  );
}

async function appending(peer: ThreadStorage, ours: ThreadStorage, context: BenchContext): Promise<readonly Finding[]> {
  const findings: Finding[] = [];
  for (const count of context.quick ? [1, 1000] : [1, 1000, 10_000]) {
    const theirs = await peer.addThread(count);
    const own = await ours.addThread(count);
    findings.push(await beside(`append to a thread of ${count}`, theirs.append, own.append, context));
    await demandKept(theirs);
    await demandKept(own);
  }
  return findings;
}

async function sameAnswer(
  what: string,
  theirs: () => Promise<readonly string[]>,
  own: () => Promise<readonly string[]>,
  context: BenchContext,
): Promise<Finding> {
  if (!isDeepStrictEqual(await theirs(), await own())) throw new Error(`the answers differ: ${what}`);
  return await beside(what, theirs, own, context);
}

async function beside(what: string, theirs: Work, own: Work, context: BenchContext): Promise<Finding> {
  const { ratio, detail } = await compare(theirs, own, { ...context, between: eventLoopTurn });
  return { line: "–", what, value: ratio, unit: "×", detail };
}

/** What a large piece of work leaves to be done, such as collecting its garbage, is not the next one's. */
async function eventLoopTurn(): Promise<void> {
  await new Promise(setImmediate);
}

async function demandKept(thread: Thread): Promise<void> {
  const text = await thread.append();
  if (!isDeepStrictEqual(await thread.last(1), [text])) throw new Error("the last message is not the appended one");
}

function many({ quick }: BenchContext): number {
  return quick ? 1000 : 10_000;
}
