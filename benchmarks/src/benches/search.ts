import { openInstallation, openStore } from "../fixtures/installation.ts";
import { mainKey, seedSessions } from "../fixtures/seed.ts";
import { atMost, type Bench, type Finding, type Target } from "../harness/bench.ts";
import { compare, measure } from "../harness/compare.ts";

/** Target 5: rows with their last messages, and looking for sessions and words. */
export const search: Bench = {
  name: "search",
  about: "inline messages, titles and previews, and searches among 10 k sessions",
  async run(context) {
    const { store } = await openStore(context);
    const sessions = context.quick ? 2000 : 10_000;
    await seedSessions(store, sessions, 2);
    const trunkline = await openInstallation({ store });
    const list = (args: object) => () => trunkline.callTool({ sessionKey: mainKey }, "sessions_list", args);
    const words = (query: string) => () =>
      trunkline.callTool({ sessionKey: mainKey }, "sessions_search", { query, limit: 20 });
    // Fills the text index, which otherwise happens when writing has paused.
    await words("invoice")();
    const inline = { limit: 20, messageLimit: 5 };
    const rich = { limit: 20, messageLimit: 5, includeDerivedTitles: true, includeLastMessage: true };
    const perRow = await compare(list({ ...inline, limit: 200 }), list(inline), context);
    const timed = async (what: string, work: () => unknown, target?: Target): Promise<Finding> => {
      const { ms } = await measure(work, context);
      return { line: "5", what, value: ms, unit: "ms", ...(target ? { target } : {}) };
    };
    const findings: readonly Finding[] = [
      {
        line: "5",
        what: "messageLimit 5 on 200 rows : on 20",
        value: perRow.ratio,
        unit: "×",
        detail: perRow.detail,
      },
      await timed("20 rows with 5 messages each", list(inline), atMost(4)),
      await timed("the same with titles and previews", list(rich)),
      await timed(`sessions_list search among ${sessions}`, list({ search: "desk 990" }), atMost(10)),
      await timed(`sessions_search, rare word in ${sessions * 2} messages`, words("invoice"), atMost(10)),
      await timed("sessions_search, words of every message", words("reviewers tests"), atMost(10)),
    ];
    await trunkline.stop();
    await store.close();
    return findings;
  },
};
