import { median } from "./median.ts";

export type Work = () => unknown;

export interface Comparison {
  /** Median over the rounds of time(a) / time(b), each round's two halves taken one after the other. */
  readonly ratio: number;
  /** The same of the processor time of this thread, which other processes disturb less; disk waits are not in it. */
  readonly cpuRatio: number;
  /** Medians of one call, in milliseconds. */
  readonly aMs: number;
  readonly bMs: number;
}

const rounds = 9;
/** Long enough for the compiler to have settled on what it makes of the code. */
const warmUpMs = 400;

/** Times two pieces of work in turns, A, B, A, B …, so that what else the machine does meets both alike. */
export async function compare(a: Work, b: Work, { quick }: { readonly quick: boolean }): Promise<Comparison> {
  const sliceMs = quick ? 10 : 40;
  const counts = [await warmCallsIn(sliceMs, a), await warmCallsIn(sliceMs, b)] as const;
  const times: { readonly a: Time; readonly b: Time }[] = [];
  for (let round = 0; round < rounds; round++) {
    times.push({ a: await timeOf(a, counts[0]), b: await timeOf(b, counts[1]) });
  }
  return {
    ratio: median(times.map((time) => time.a.wallMs / time.b.wallMs)),
    // Of sums: the kernel may count processor time in steps as long as a round.
    cpuRatio: sum(times.map((time) => time.a.cpuMs)) / sum(times.map((time) => time.b.cpuMs)),
    aMs: median(times.map((time) => time.a.wallMs)),
    bMs: median(times.map((time) => time.b.wallMs)),
  };
}

export interface Measurement {
  /** Median of one call. */
  readonly ms: number;
  /** The same of the processor time of this thread. */
  readonly cpuMs: number;
  readonly detail: string;
}

/** Times one piece of work over several rounds. */
export async function measure(work: Work, { quick }: { readonly quick: boolean }): Promise<Measurement> {
  const calls = await warmCallsIn(quick ? 10 : 40, work);
  const times: Time[] = [];
  for (let round = 0; round < rounds; round++) times.push(await timeOf(work, calls));
  const cpuMs = sum(times.map((time) => time.cpuMs)) / rounds;
  return { ms: median(times.map((time) => time.wallMs)), cpuMs, detail: `processor time ${cpuMs.toFixed(3)} ms` };
}

/** How a comparison reads beside its ratio. */
export function comparisonDetail({ aMs, bMs, cpuRatio }: Comparison): string {
  return `${aMs.toFixed(3)} ms : ${bMs.toFixed(3)} ms, processor time ${cpuRatio.toFixed(2)} ×`;
}

interface Time {
  readonly wallMs: number;
  readonly cpuMs: number;
}

/** Of one call. */
async function timeOf(work: Work, calls: number): Promise<Time> {
  const cpu = process.threadCpuUsage();
  const start = performance.now();
  for (let call = 0; call < calls; call++) await work();
  const wallMs = performance.now() - start;
  const { user, system } = process.threadCpuUsage(cpu);
  return { wallMs: wallMs / calls, cpuMs: (user + system) / 1000 / calls };
}

/** How many calls fill the time once they are warm. */
async function warmCallsIn(sliceMs: number, work: Work): Promise<number> {
  await callsIn(warmUpMs, work);
  return callsIn(sliceMs, work);
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

async function callsIn(ms: number, work: Work): Promise<number> {
  const end = performance.now() + ms;
  let calls = 0;
  do {
    await work();
    calls++;
  } while (performance.now() < end);
  return calls;
}
