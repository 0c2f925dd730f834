import { join } from "node:path";
import { createAdaptorServer } from "@hono/node-server";
import { createHttpApp, openToken } from "@trunkline/gateway";
import { openInstallation, openStore } from "../fixtures/installation.ts";
import { mainKey, seedSessions } from "../fixtures/seed.ts";
import { atMost, type Bench } from "../harness/bench.ts";
import { compare } from "../harness/compare.ts";

const nothing = () => undefined;
const logger = { debug: nothing, info: nothing, warn: nothing, error: nothing };

/** The other half of target 4: the session list through the gateway's HTTP face, client included. */
export const http: Bench = {
  name: "http",
  about: "sessions_list of 10 k sessions through the gateway's HTTP, beside the call in process",
  async run(context) {
    const { store } = await openStore(context);
    await seedSessions(store, context.quick ? 5000 : 10_000, 2);
    const trunkline = await openInstallation({ store });
    const { access, created = "" } = await openToken(join(context.directory, "token.json"), mainKey);
    const app = createHttpApp({ host: trunkline, access, listenHost: "127.0.0.1", logger });
    const server = createAdaptorServer({ fetch: app.fetch });
    const url = await new Promise<string>((resolve, reject) => {
      server.once("error", reject);
      server.listen(0, "127.0.0.1", () => {
        const address = server.address();
        if (typeof address === "object" && address) resolve(`http://127.0.0.1:${address.port}`);
      });
    });
    const overHttp = async () => {
      const response = await fetch(`${url}/v1/tools/sessions_list`, {
        method: "POST",
        headers: { authorization: `Bearer ${created}`, "content-type": "application/json" },
        body: JSON.stringify({ limit: 100 }),
      });
      const { sessions } = (await response.json()) as { readonly sessions: readonly unknown[] };
      if (sessions.length !== 100) throw new Error(`${sessions.length} sessions instead of 100`);
    };
    const inProcess = () => trunkline.callTool({ sessionKey: mainKey }, "sessions_list", { limit: 100 });
    const { ratio, aMs, detail } = await compare(overHttp, inProcess, context);
    await new Promise((resolve) => server.close(resolve));
    await trunkline.stop();
    await store.close();
    return [
      { line: "4", what: "sessions_list 100 through HTTP", value: aMs, unit: "ms", target: atMost(4.9), detail },
      { line: "4", what: "through HTTP : in process", value: ratio, unit: "×" },
    ];
  },
};
