import { redactSecrets, sanitizeAssistantText } from "@trunkline/core";
import { hostileShapes } from "../fixtures/hostile-shapes.ts";
import { prose } from "../fixtures/texts.ts";
import { atLeast, atMost, type Bench, type BenchContext, type Finding } from "../harness/bench.ts";
import { measure } from "../harness/compare.ts";
import { growthExponent } from "../harness/growth.ts";

const megabyte = 1_000_000;

/** Targets 16 and 17: sanitising and redacting, of ordinary text and of the worst. */
export const view: Bench = {
  name: "view",
  about: "sanitise and redact: 1 MB as messages and as one string, and hostile shapes up to 1 MiB",
  async run(context) {
    return [...(await throughput(context)), ...(await hostile(context))];
  },
};

const clean = (text: string) => redactSecrets(sanitizeAssistantText(text)).text.length;

async function throughput(context: BenchContext): Promise<readonly Finding[]> {
  const messages = Array.from({ length: megabyte / 320 }, (_, index) => prose(index, 320));
  const whole = messages.join("\n");
  const small = await measure(() => messages.reduce((sum, text) => sum + clean(text), 0), context);
  const large = await measure(() => clean(whole), context);
  const rate = (what: string, { ms }: { readonly ms: number }, size: number) =>
    ({
      line: "16",
      what,
      value: size / megabyte / (ms / 1000),
      unit: "MB/s",
      target: atLeast(20),
    }) as const;
  return [
    rate("1 MB as messages of 320 bytes", small, messages.length * 320),
    rate("1 MB as one string", large, whole.length),
  ];
}

async function hostile(context: BenchContext): Promise<readonly Finding[]> {
  const sizes = context.quick ? [2 ** 13, 2 ** 16, 2 ** 18] : [2 ** 13, 2 ** 15, 2 ** 17, 2 ** 20];
  const worst: { readonly name: string; readonly exponent: number; readonly largestMs: number }[] = [];
  for (const { name, text } of hostileShapes) {
    const points = [];
    for (const size of sizes) {
      const input = text(size);
      points.push({ size, time: processorMs(() => clean(input)) });
    }
    worst.push({ name, exponent: growthExponent(points), largestMs: points.at(-1)?.time ?? 0 });
  }
  const byGrowth = [...worst].sort((a, b) => b.exponent - a.exponent);
  const bySize = [...worst].sort((a, b) => b.largestMs - a.largestMs);
  return [
    {
      line: "17",
      what: `growth of the worst of ${worst.length} shapes, ${sizes[0]} → ${sizes.at(-1)}`,
      value: byGrowth[0]?.exponent ?? Number.NaN,
      unit: "exponent",
      target: atMost(1.15),
      detail: byGrowth
        .slice(0, 3)
        .map(({ name, exponent }) => `${name} ${exponent.toFixed(2)}`)
        .join(", "),
    },
    {
      line: "17",
      what: `the slowest shape at ${sizes.at(-1)}, processor time`,
      value: bySize[0]?.largestMs ?? Number.NaN,
      unit: "ms",
      target: atMost(150),
      detail: bySize
        .slice(0, 3)
        .map(({ name, largestMs }) => `${name} ${largestMs.toFixed(0)} ms`)
        .join(", "),
    },
  ];
}

/** Processor time of one call in milliseconds, from many: what else the machine does is not in it. */
function processorMs(work: () => unknown): number {
  for (let call = 0; call < 3; call++) work();
  const start = process.threadCpuUsage();
  let calls = 0;
  let ms = 0;
  do {
    work();
    calls++;
    const { user, system } = process.threadCpuUsage(start);
    ms = (user + system) / 1000;
  } while (ms < 60);
  return ms / calls;
}
