import Database from "better-sqlite3";
import { openInstallation, openStore } from "../fixtures/installation.ts";
import { groupKey, mainKey, seedTranscript } from "../fixtures/seed.ts";
import { atMost, type Bench } from "../harness/bench.ts";
import { compare } from "../harness/compare.ts";

/** Target 6: the last 50 messages through the whole pipeline. */
export const history: Bench = {
  name: "history",
  about: "sessions_history, last 50, in transcripts of 1 k, 20 k and 200 k messages",
  async run(context) {
    const sizes = context.quick ? ([1000, 5000, 20_000] as const) : ([1000, 20_000, 200_000] as const);
    const { store, path } = await openStore(context);
    const rows: string[] = [];
    for (const size of sizes) rows.push(await seedTranscript(store, groupKey(size), size));
    const trunkline = await openInstallation({ store });
    const database = new Database(path, { readonly: true });
    const tail = database.prepare(
      "select seq, id, role, class, body, created_at from messages where session_row = ? and class = 0 order by seq desc limit 51",
    );
    const tool = (size: number) => () =>
      trunkline.callTool({ sessionKey: mainKey }, "sessions_history", { sessionKey: groupKey(size) });
    const grown = await compare(tool(sizes[2]), tool(sizes[0]), context);
    const between = await compare(tool(sizes[1]), tool(sizes[0]), context);
    const raw = await compare(tool(sizes[1]), () => tail.all(rows[1]), context);
    database.close();
    await trunkline.stop();
    await store.close();
    return [
      {
        line: "6",
        what: `sessions_history of ${sizes[2]} : of ${sizes[0]}`,
        value: grown.ratio,
        unit: "×",
        target: atMost(1.5),
        detail: grown.detail,
      },
      {
        line: "6",
        what: `sessions_history of ${sizes[1]} : of ${sizes[0]}`,
        value: between.ratio,
        unit: "×",
        target: atMost(1.5),
        detail: between.detail,
      },
      {
        line: "6",
        what: "sessions_history, sanitised and redacted : raw rows",
        value: raw.ratio,
        unit: "×",
        detail: raw.detail,
      },
      { line: "6", what: "sessions_history, last 50", value: grown.aMs, unit: "ms" },
    ];
  },
};
