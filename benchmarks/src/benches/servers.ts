import { randomUUID } from "node:crypto";
import { type BenchServer, benchServers, type ServerBench } from "../fixtures/raw-servers.ts";
import { prose } from "../fixtures/texts.ts";
import { atLeast, atMost, type Bench, type BenchContext, type Finding } from "../harness/bench.ts";
import { compare } from "../harness/compare.ts";

const targets: { readonly [name: string]: number } = { postgres: 1.3, mariadb: 2, mysql: 2 };
const connections = 10;
const appendsAtOnce = 20;

/** Target 9: an append on a server, beside one raw INSERT of the same row, which does not touch the session. */
export const servers: Bench = {
  name: "servers",
  about: "append one message of 400 bytes on PostgreSQL, MariaDB and MySQL, beside one raw insert; servers that answer",
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
  const { append, insert } = await workers(bench);
  const single = await compare(
    () => append(0),
    () => insert(0),
    context,
  );
  const many = (work: (worker: number) => Promise<unknown>) => () =>
    Promise.all(
      Array.from({ length: connections }, async (_value, worker) => {
        for (let count = 0; count < appendsAtOnce; count++) await work(worker);
      }),
    );
  const pool = await compare(many(append), many(insert), context);
  await bench.close();
  return [
    {
      line: "9",
      what: `append, ${server.name} : raw insert`,
      value: single.ratio,
      unit: "×",
      target: atMost(targets[server.name] ?? 2),
      detail: single.detail,
    },
    {
      line: "9",
      what: `throughput of ${connections} connections, ${server.name} : raw insert`,
      value: 1 / pool.ratio,
      unit: "×",
      target: atLeast(0.7),
      detail: pool.detail,
    },
  ];
}

/** A session for each worker, and a transcript for its raw rows. */
async function workers({ store, insert }: ServerBench) {
  const sessions = Array.from({ length: connections }, () => randomUUID());
  for (const id of sessions) {
    const create = { sessionKey: `agent:main:direct:${id}`, sessionId: id, agentId: "main", kind: "other" } as const;
    await store.commit({ at: 0, sessions: [{ id, create: { ...create, channel: "unknown" } }] });
  }
  let turn = 0;
  return {
    async append(worker: number): Promise<void> {
      turn++;
      const row = { id: randomUUID(), role: "user", class: 0, body: { content: prose(turn) } } as const;
      const id = sessions[worker] ?? "";
      const messages = [row];
      await store.commit({
        at: turn,
        sessions: [{ id, set: { updatedAt: turn }, append: [{ from: "outside", messages }] }],
      });
    },
    insert(worker: number): Promise<unknown> {
      turn++;
      return insert(`raw ${worker}`, turn, JSON.stringify({ content: prose(turn) }));
    },
  };
}
