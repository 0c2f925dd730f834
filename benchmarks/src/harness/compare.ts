import { median } from "./median.ts";

export type Work = () => unknown;

export interface Comparison {
  /** Median over the rounds of each round's ratio of medians, time(a) : time(b). */
  readonly ratio: number;
  /** Medians of one call, in milliseconds. */
  readonly aMs: number;
  readonly bMs: number;
  /** For people. */
  readonly detail: string;
}

export interface Measurement {
  /** Median of one call. */
  readonly ms: number;
}

export interface CompareOptions {
  readonly quick: boolean;
  /** Done before each timed call, outside its time. */
  readonly between?: Work;
}

const rounds = 9;
// In processor time, so that a busy machine shortens nothing. The compiler has settled after some thousand calls of a commit.
const warmUpMs = 1500;
const quickWarmUpMs = 300;
/** However little of the processor is left for us. */
const wallTimes = 10;

/**
 * Times two pieces of work in turns, A, B, A, B …, in one process. What else the machine does meets both alike, and a
 * call that was interrupted is an outlier that no median sees.
 */
export async function compare(a: Work, b: Work, { quick, between }: CompareOptions): Promise<Comparison> {
  await repeat(quick ? quickWarmUpMs : warmUpMs, a);
  await repeat(quick ? quickWarmUpMs : warmUpMs, b);
  const aTimes: number[] = [];
  const bTimes: number[] = [];
  const ratios: number[] = [];
  for (let round = 0; round < rounds; round++) {
    const [aRound, bRound]: [number[], number[]] = [[], []];
    await repeat(quick ? 15 : 60, async () => {
      await between?.();
      aRound.push(await timeOf(a));
      await between?.();
      bRound.push(await timeOf(b));
    });
    ratios.push(median(aRound) / median(bRound));
    aTimes.push(...aRound);
    bTimes.push(...bRound);
  }
  const [aMs, bMs] = [median(aTimes), median(bTimes)];
  return { ratio: median(ratios), aMs, bMs, detail: `${aMs.toFixed(3)} ms : ${bMs.toFixed(3)} ms` };
}

/** Times one piece of work over as many rounds. */
export async function measure(work: Work, { quick }: { readonly quick: boolean }): Promise<Measurement> {
  await repeat(quick ? quickWarmUpMs : warmUpMs, work);
  const times: number[] = [];
  await repeat((quick ? 8 : 30) * rounds, async () => times.push(await timeOf(work)));
  return { ms: median(times) };
}

async function timeOf(work: Work): Promise<number> {
  const start = performance.now();
  await work();
  return performance.now() - start;
}

/** At least three times, then until so much processor time is used. */
async function repeat(cpuMs: number, work: Work): Promise<void> {
  const start = process.threadCpuUsage();
  const end = performance.now() + cpuMs * wallTimes;
  for (let call = 0; call < 3 || (usedMs(start) < cpuMs && performance.now() < end); call++) await work();
}

function usedMs(since: NodeJS.CpuUsage): number {
  const { user, system } = process.threadCpuUsage(since);
  return (user + system) / 1000;
}
