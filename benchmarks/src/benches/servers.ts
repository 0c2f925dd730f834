import { randomUUID } from "node:crypto";
import { recordTables } from "@trunkline/core";
import { type BenchServer, benchServers, type ServerBench } from "../fixtures/raw-servers.ts";
import { columnName, createSession, messageInsert, multiply, updateOf } from "../fixtures/server-rows.ts";
import { rawRuns, storeRuns } from "../fixtures/server-runs.ts";
import { prose } from "../fixtures/texts.ts";
import { atLeast, atMost, type Bench, type BenchContext, type Finding, type Target } from "../harness/bench.ts";
import { type Comparison, compare } from "../harness/compare.ts";
import { messagingOnPostgres } from "./servers-messaging.ts";

const targets: { readonly [name: string]: number } = { postgres: 1.3, mariadb: 2, mysql: 2 };
const connections = 10;
const appendsAtOnce = 20;

/** Target 9: an append on a server, beside one raw INSERT of the same row, which does not touch the session. */
export const servers: Bench = {
  name: "servers",
  about: "commits and reads on PostgreSQL, MariaDB and MySQL beside the raw driver, sends on PostgreSQL",
  async run(context) {
    const findings: Finding[] = [];
    for (const server of benchServers) findings.push(...(await onServer(server, context)));
    return findings;
  },
};

async function onServer(server: BenchServer, context: BenchContext): Promise<readonly Finding[]> {
  const bench = await server.open(connections).catch(() => undefined);
  if (bench === undefined) {
    console.error(`  NOT RUN: ${server.name} does not answer`);
    return [];
  }
  const line = (number: string, what: string, { ratio, detail }: Comparison, target?: Target): Finding => ({
    line: number,
    what: `${what}, ${server.name} : raw`,
    value: ratio,
    unit: "×",
    detail,
    ...(target && { target }),
  });
  const { single, pool, byHand } = await appends(bench, context);
  const runs = await ofRuns(bench, context);
  const reads = await ofReads(bench, context);
  const findings = [
    line("9", "append", single, atMost(targets[server.name] ?? 2)),
    line("9", `throughput of ${connections} connections`, { ...pool, ratio: 1 / pool.ratio }, atLeast(0.7)),
    line("9", "append, with the session moved in its lists by hand too", byHand),
    line("9", "admit a message and its run", runs.admit),
    line("9", "claim and complete a run", runs.finish),
    line("1", `list 100 of ${reads.rows} sessions`, reads.list),
    line("6", `last 50 of ${reads.rows} messages`, reads.tail),
  ];
  await bench.close();
  if (server.name === "postgres") findings.push(...(await messagingOnPostgres(context)));
  return findings;
}

/** A session for each worker, and a transcript for its raw rows. */
async function appends(bench: ServerBench, context: BenchContext) {
  const sessions: string[] = [];
  for (let worker = 0; worker < connections; worker++) sessions.push(await createSession(bench));
  let turn = 0;
  const append = (worker: number): Promise<unknown> => {
    turn++;
    const row = { id: randomUUID(), role: "user", class: 0, body: { content: prose(turn) } } as const;
    const write = { set: { updatedAt: turn }, append: [{ from: "outside", messages: [row] }] } as const;
    return bench.store.commit({ at: turn, sessions: [{ id: sessions[worker] ?? "", ...write }] });
  };
  const insert = (worker: number): Promise<unknown> => bench.run(messageInsert(`raw ${worker}`, ++turn));
  const many = (work: (worker: number) => Promise<unknown>) => () =>
    Promise.all(
      sessions.map(async (_session, worker) => {
        for (let count = 0; count < appendsAtOnce; count++) await work(worker);
      }),
    );
  const single = await compare(
    () => append(0),
    () => insert(0),
    context,
  );
  const pool = await compare(many(append), many(insert), context);
  const touched = await createSession(bench);
  await withoutWords(bench, touched);
  const byHand = await compare(
    () => append(0),
    () => {
      const at = ++turn;
      const set = { updatedAt: at, listRank: -at, lastSeq: at, version: at };
      return bench.transaction([updateOf("sessions", set, { id: touched }), messageInsert(touched, at)]);
    },
    context,
  );
  return { single, pool, byHand };
}

async function ofRuns(bench: ServerBench, context: BenchContext) {
  const [ours, raw] = [await storeRuns(bench), await rawRuns(bench)];
  const drain = () => Promise.all([ours.drain(), raw.drain()]);
  const admit = await compare(ours.admit, raw.admit, { ...context, between: drain });
  await drain();
  return { admit, finish: await compare(ours.finish, raw.finish, { ...context, between: fill }) };

  // Each work finds a run that waits, admitted outside of its time.
  async function fill(): Promise<void> {
    await drain();
    await Promise.all([ours.admit(), raw.admit()]);
  }
}

async function ofReads(bench: ServerBench, context: BenchContext) {
  const digits = context.quick ? 4 : 5;
  const session = await createSession(bench);
  await withoutWords(bench, session);
  const columnsOf = (kind: "session" | "message") => Object.keys(recordTables[kind].columns).map(columnName);
  const owned = ["search_text", "stamp", "words_due"];
  await multiply(bench, "sessions", [...columnsOf("session"), ...owned], {
    id: session,
    digits,
    changed: {
      id: "concat('copy ', {n})",
      session_key: "concat('agent:main:telegram:group:', {n})",
      session_id: "concat('copy ', {n})",
      root_id: "concat('copy ', {n})",
      list_rank: "-1000000 - {n}",
    },
  });
  const message = messageInsert(session, 1);
  await bench.run(message);
  const id = String(message[1][2]);
  await multiply(bench, "messages", columnsOf("message"), {
    id,
    digits,
    changed: { id: "concat('copy ', {n})", seq: "2 + {n}" },
  });
  const listed = columnsOf("session").join(", ");
  const listSql = `select ${listed} from sessions where archived = 0 order by list_rank, session_key limit 101`;
  const tailSql = `select ${columnsOf("message").join(", ")} from messages where session_row = ? and class = 0 order by seq desc limit 51`;
  const list = await compare(
    () => bench.store.listSessions({ scope: { every: true }, archived: false, limit: 101 }),
    () => bench.run([listSql, []]),
    context,
  );
  const tail = await compare(
    () => bench.store.readMessages({ sessionRow: session, firstSeq: 1, classes: [0], from: "newest", limit: 50 }),
    () => bench.run([tailSql, [session]]),
    context,
  );
  return { rows: 10 ** digits, list, tail };
}

/** Rows of this session are written past the store, and would be added to its index beside the works that are timed. */
function withoutWords(bench: ServerBench, id: string): Promise<unknown> {
  return bench.run(updateOf("sessions", { wordsDue: 0 }, { id }));
}
