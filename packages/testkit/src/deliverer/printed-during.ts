import { inspect } from "node:util";

const methods = ["log", "info", "warn", "error", "debug"] as const;

/** Everything that is written to the console, or to the standard streams, while `work` runs; nothing of it is shown. */
export async function printedDuring(work: () => Promise<void>): Promise<string> {
  const printed: string[] = [];
  const undo: (() => void)[] = [];
  for (const stream of [process.stdout, process.stderr]) {
    const { write } = stream;
    undo.push(() => {
      stream.write = write;
    });
    stream.write = (chunk: unknown) => {
      printed.push(String(chunk));
      return true;
    };
  }
  for (const method of methods) {
    const log = console[method];
    undo.push(() => {
      console[method] = log;
    });
    console[method] = (...parts: unknown[]) => void printed.push(inspect(parts, { depth: 8 }));
  }
  try {
    await work();
  } finally {
    for (const restore of undo) restore();
  }
  return printed.join("\n");
}
