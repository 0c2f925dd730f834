import type { SessionStore } from "@trunkline/core";

/** The stores that the engine's tests run on; `TRUNKLINE_TEST_STORE` names one, `sqlite` where it is not set. */
export type TestStoreName = "sqlite" | "postgres" | "mysql" | "mariadb";

/** A database, in a form that can be handed to another process. */
export interface StorePlace {
  readonly store: TestStoreName;
  /** A file's path for SQLite (`:memory:` too), else a URL. */
  readonly url: string;
}

const poolSize = 4;

/** Opens a handle on a database of the tests. Only the driver that is needed is loaded. */
export async function openPlace({ store, url }: StorePlace): Promise<SessionStore> {
  switch (store) {
    case "sqlite": {
      const { createSqliteStore } = await import("@trunkline/store-sqlite");
      return createSqliteStore({ path: url });
    }
    case "postgres": {
      const { createPostgresStore } = await import("@trunkline/store-postgres");
      return createPostgresStore({ url, poolSize });
    }
    case "mysql":
    case "mariadb": {
      const { createMysqlStore } = await import("@trunkline/store-mysql");
      return createMysqlStore({ url, poolSize });
    }
  }
}
