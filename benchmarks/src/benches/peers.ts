import { join } from "node:path";
import { createPostgresStore } from "@trunkline/store-postgres";
import { openStore } from "../fixtures/installation.ts";
import { createPostgresDatabase, postgresServer } from "../fixtures/own-database.ts";
import type { Bench, BenchContext, Finding } from "../harness/bench.ts";
import { compareStorages } from "../storages/compare-storages.ts";
import { openLangGraphPostgres, openLangGraphSqlite } from "../storages/langgraph-threads.ts";
import { openMastraLibSql, openMastraPostgres } from "../storages/mastra-threads.ts";
import { loadPeers, type PeerPackages } from "../storages/peer-packages.ts";
import type { ThreadStorage } from "../storages/thread-storage.ts";
import { openTrunkline } from "../storages/trunkline-threads.ts";

interface Engine {
  readonly name: string;
  ours(): Promise<ThreadStorage>;
  readonly peers: readonly (() => Promise<ThreadStorage>)[];
}

/** The same work in the storage of others, as a ratio to ours; nothing is gated on it. */
export const peers: Bench = {
  name: "peers",
  about: "the same work in LangGraph's checkpointers and Mastra's storage, on files and on PostgreSQL; when installed",
  async run(context) {
    const packages = await loadPeers();
    if (packages === undefined) {
      console.error("  NOT RUN: what it compares with is not installed; pnpm --dir benchmarks/peers install");
      return [];
    }
    const findings = await onEngine(onFiles(context, packages), context);
    return [...findings, ...(await onEngine(onPostgres(packages), context))];
  },
};

function onFiles(context: BenchContext, packages: PeerPackages): Engine {
  return {
    name: "sqlite",
    ours: async () => openTrunkline((await openStore(context)).store),
    peers: [
      () => openLangGraphSqlite(packages, join(context.directory, "langgraph.db")),
      () => openMastraLibSql(packages, join(context.directory, "mastra.db")),
    ],
  };
}

function onPostgres(packages: PeerPackages): Engine {
  const onDatabase = (open: (url: string) => Promise<ThreadStorage>) => async (): Promise<ThreadStorage> => {
    const { url, drop } = await createPostgresDatabase(postgresServer);
    const storage = await open(url);
    const close = async () => {
      await storage.close();
      await drop();
    };
    return { ...storage, close };
  };
  const openOurs = async (url: string) => {
    const store = await createPostgresStore({ url });
    await store.migrate();
    return openTrunkline(store);
  };
  return {
    name: "postgres",
    ours: onDatabase(openOurs),
    peers: [
      onDatabase((url) => openLangGraphPostgres(packages, url)),
      onDatabase((url) => openMastraPostgres(packages, url)),
    ],
  };
}

async function onEngine(engine: Engine, context: BenchContext): Promise<readonly Finding[]> {
  const findings: Finding[] = [];
  for (const openPeer of engine.peers) {
    const ours = await engine.ours().catch(() => undefined);
    if (ours === undefined) {
      console.error(`  NOT RUN: ${engine.name} does not answer`);
      return [];
    }
    const peer = await openPeer();
    for (const finding of await compareStorages(peer, ours, context)) {
      const what = `${engine.name}, ${finding.what}, ${peer.name} : Trunkline`;
      findings.push({ ...finding, what, detail: `${finding.detail}; ${peer.note}` });
    }
    await peer.close();
    await ours.close();
  }
  return findings;
}
