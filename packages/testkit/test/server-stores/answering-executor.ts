import type { Row, SqlExecutor, Steps } from "../../../store-sql/src/index.ts";

/** Runs queries against a server that answers each statement with this row. */
export function answeringExecutor(row: Row): SqlExecutor {
  async function query<T>(steps: () => Steps<T>): Promise<T> {
    const running = steps();
    let next = running.next();
    while (next.done !== true) next = running.next({ rows: [{ ...row }], changes: 0 });
    return next.value;
  }
  const refuse = async () => {
    throw new Error("this server answers queries only");
  };
  return { query, snapshot: refuse, write: refuse, migrate: refuse, clock: refuse, close: async () => undefined };
}
