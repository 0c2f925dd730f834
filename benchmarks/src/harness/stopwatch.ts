import { median, quantile } from "./median.ts";

/** Times single pieces of work. The fastest tenth and the processor time show what a busy machine hides in the median. */
export interface Stopwatch {
  time<T>(work: () => Promise<T>): Promise<T>;
  /** What one piece takes; the first third is left out, it is the compiler's. */
  milliseconds(): { readonly value: number; readonly unit: "ms"; readonly detail: string };
  /** How many are done in a second, each piece being so many. */
  perSecond(each: number): { readonly value: number; readonly unit: "/s"; readonly detail: string };
}

export function createStopwatch(): Stopwatch {
  const pieces: { readonly wallMs: number; readonly cpuMs: number }[] = [];

  function warm() {
    const kept = pieces.slice(Math.floor(pieces.length / 3));
    const cpuMs = kept.reduce((sum, piece) => sum + piece.cpuMs, 0) / kept.length;
    return { times: kept.map(({ wallMs }) => wallMs), cpuMs };
  }

  return {
    async time(work) {
      const cpu = process.threadCpuUsage();
      const start = performance.now();
      const result = await work();
      const wallMs = performance.now() - start;
      const { user, system } = process.threadCpuUsage(cpu);
      pieces.push({ wallMs, cpuMs: (user + system) / 1000 });
      return result;
    },
    milliseconds() {
      const { times, cpuMs } = warm();
      const detail = `fastest tenth ${quantile(times, 0.1).toFixed(2)} ms, processor time ${cpuMs.toFixed(2)} ms`;
      return { value: median(times), unit: "ms", detail };
    },
    perSecond(each) {
      const { times, cpuMs } = warm();
      const rate = (ms: number) => (each * 1000) / ms;
      const fastest = rate(quantile(times, 0.1)).toFixed(0);
      const detail = `fastest tenth ${fastest} /s, processor time ${(cpuMs / each).toFixed(2)} ms each`;
      return { value: rate(median(times)), unit: "/s", detail };
    },
  };
}
