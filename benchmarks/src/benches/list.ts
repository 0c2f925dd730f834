import type { SessionStore } from "@trunkline/core";
import type { Trunkline } from "@trunkline/engine";
import Database from "better-sqlite3";
import { openInstallation, openStore } from "../fixtures/installation.ts";
import { mainKey, seedSessions } from "../fixtures/seed.ts";
import { atMost, type Bench, type BenchContext, exactly, type Finding } from "../harness/bench.ts";
import { compare, type Work } from "../harness/compare.ts";

interface Listing {
  readonly sessions: number;
  readonly store: SessionStore;
  readonly trunkline: Trunkline;
  readonly raw: Work;
  readonly plan: string;
  close(): Promise<void>;
}

/** Targets 1, 2, 3 and the figure for 4: one page of the session list. */
export const list: Bench = {
  name: "list",
  about: "one page of sessions_list among 1 k, 10 k and 100 k sessions, beside the raw query",
  async run(context) {
    const [few, some, many] = context.quick ? [1000, 5000, 20_000] : [1000, 10_000, 100_000];
    const listings = [
      await openListing(context, few),
      await openListing(context, some),
      await openListing(context, many),
    ] as const;
    const findings = [
      ...(await pageAgainstRaw(context, listings[1])),
      await growth(context, listings[0], listings[2]),
      usesIndex(listings[2]),
    ];
    for (const listing of listings) await listing.close();
    return findings;
  },
};

const tool =
  ({ trunkline }: Listing, limit: number): Work =>
  () =>
    trunkline.callTool({ sessionKey: mainKey }, "sessions_list", { limit });

async function pageAgainstRaw(context: BenchContext, listing: Listing): Promise<readonly Finding[]> {
  const { store, raw } = listing;
  const whole = await compare(tool(listing, 100), raw, context);
  const rows = () => store.listSessions({ scope: { every: true }, archived: false, limit: 101 });
  const layer = await compare(rows, raw, context);
  const small = await compare(tool(listing, 10), tool(listing, 100), context);
  return [
    {
      line: "1",
      what: "sessions_list 100 : raw",
      value: whole.ratio,
      unit: "×",
      target: atMost(2),
      detail: whole.detail,
    },
    {
      line: "1",
      what: "store.listSessions : raw",
      value: layer.ratio,
      unit: "×",
      target: atMost(1.3),
      detail: layer.detail,
    },
    {
      line: "2",
      what: "limit 10 : limit 100",
      value: small.ratio,
      unit: "×",
      target: atMost(0.35),
      detail: small.detail,
    },
    { line: "4", what: `sessions_list 100 of ${listing.sessions}`, value: whole.aMs, unit: "ms" },
  ];
}

function usesIndex({ plan, sessions }: Listing): Finding {
  return {
    line: "3",
    what: `sorts or table scans in the plan at ${sessions}`,
    value: plan.split(/TEMP B-TREE|SCAN/m).length - 1,
    unit: "calls",
    target: exactly(0),
    detail: plan,
  };
}

async function growth(context: BenchContext, few: Listing, many: Listing): Promise<Finding> {
  const grown = await compare(tool(many, 100), tool(few, 100), context);
  return {
    line: "3",
    what: `sessions_list of ${many.sessions} : of ${few.sessions}`,
    value: grown.ratio,
    unit: "×",
    target: atMost(2),
    detail: grown.detail,
  };
}

async function openListing(context: BenchContext, sessions: number): Promise<Listing> {
  const { store, path } = await openStore(context);
  await seedSessions(store, sessions, 2);
  const trunkline = await openInstallation({ store });
  const database = new Database(path, { readonly: true });
  const columns = database.prepare("select name from pragma_table_info('sessions')").pluck().all() as string[];
  const recorded = columns.filter((name) => name !== "search_text").join();
  const sql = `select ${recorded} from sessions where archived = 0 order by list_rank, session_key limit 101`;
  const query = database.prepare(sql);
  const plan = database.prepare<[], { readonly detail: string }>(`explain query plan ${sql}`).all();
  return {
    sessions,
    store,
    trunkline,
    raw: () => query.all(),
    plan: plan.map(({ detail }) => detail).join("; "),
    async close() {
      database.close();
      await trunkline.stop();
      await store.close();
    },
  };
}
