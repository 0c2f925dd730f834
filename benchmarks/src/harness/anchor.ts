import { loadavg } from "node:os";
import { join } from "node:path";
import Database from "better-sqlite3";
import { median } from "./median.ts";

/** What the machine does at the moment, without any code of ours: to be read beside every figure. */
export interface Anchor {
  /** Insert of 400 bytes and update of a row in one transaction of the raw driver, WAL, `synchronous = normal`. */
  readonly rawAppendUs: number;
  readonly eventLoopTurnUs: number;
  /** Runnable processes for each processor, over the last minute. */
  readonly load: number;
}

/** Opens the anchor's own database once; each call of the result measures anew, in about 20 ms. */
export function openAnchor(directory: string, processors: number): { look(): Promise<Anchor>; close(): void } {
  const database = new Database(join(directory, "anchor.db"));
  database.pragma("journal_mode = wal");
  database.pragma("synchronous = normal");
  database.exec("create table rows (id integer primary key, body text); create table touched (id integer, at integer)");
  database.exec("insert into touched values (1, 0)");
  const insert = database.prepare("insert into rows (body) values (?)");
  const touch = database.prepare("update touched set at = ? where id = 1");
  const append = database.transaction((body: string, at: number) => {
    insert.run(body);
    touch.run(at);
  });
  const body = "x".repeat(400);
  return {
    async look() {
      const appends: number[] = [];
      const turns: number[] = [];
      for (let call = 0; call < 100; call++) appends.push(elapsed(() => append.immediate(body, call)));
      for (let turn = 0; turn < 100; turn++) {
        const start = performance.now();
        await new Promise(setImmediate);
        turns.push(performance.now() - start);
      }
      return {
        rawAppendUs: median(appends) * 1000,
        eventLoopTurnUs: median(turns) * 1000,
        load: (loadavg()[0] ?? 0) / processors,
      };
    },
    close: () => void database.close(),
  };
}

function elapsed(work: () => void): number {
  const start = performance.now();
  work();
  return performance.now() - start;
}
