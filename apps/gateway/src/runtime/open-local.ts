import { mkdirSync } from "node:fs";
import { dirname } from "node:path";
import { type Deliverer, type Logger, type Runner, type SessionStore, TrunklineError } from "@trunkline/core";
import { createTrunkline, type Trunkline } from "@trunkline/engine";
import { createSqliteStore } from "@trunkline/store-sqlite";
import type { StoreLocation } from "../config/store-location.ts";
import { isMissing, type LocalSetup } from "./local-setup.ts";
import { operatorConfig } from "./operator-config.ts";
import { silentRunner } from "./silent-runner.ts";

/** An engine in this process, not started. */
export interface LocalTrunkline {
  readonly store: SessionStore;
  readonly trunkline: Trunkline;
  /** Stops the engine, lets what runs here end within `drainMs` (default 3 s), and closes the store. */
  close(drainMs?: number): Promise<void>;
}

export interface OpenLocalOptions {
  /** `own`: the configured policy. `operator`: every session can be read. */
  readonly policy: "own" | "operator";
  /** Makes the demo's database too, where it is missing. */
  readonly creates?: true;
  readonly runner?: Runner;
  readonly deliverers?: readonly Deliverer[];
  readonly logger?: Logger;
}

/** Opens the store that the setup names; its folder is made where it is missing. Throws `store_unavailable` and its kin. */
export async function openStore(setup: LocalSetup, creates = !setup.isDemo): Promise<SessionStore> {
  if (!creates && isMissing(setup)) {
    throw new TrunklineError("store_unavailable", `there is no demo database at ${setup.databaseName}`, {
      fix: "Make it by running the demo: npx trunkline demo",
    });
  }
  return openAt(setup.location, setup.databaseName);
}

/** Opens the store and makes an engine on it; the schema is brought up to date. */
export async function openLocal(setup: LocalSetup, options: OpenLocalOptions): Promise<LocalTrunkline> {
  const store = await openStore(setup, options.creates);
  try {
    const trunkline = await createTrunkline({
      store,
      runners: options.runner ?? silentRunner,
      deliverers: [...(options.deliverers ?? [])],
      config: options.policy === "operator" ? operatorConfig(setup.engineInput) : setup.engineInput,
      ...(options.logger === undefined ? {} : { logger: options.logger }),
    });
    return {
      store,
      trunkline,
      async close(drainMs) {
        await trunkline.stop(drainMs === undefined ? {} : { drainMs });
        await store.close();
      },
    };
  } catch (error) {
    await store.close();
    throw error;
  }
}

/** Opens a database of any kind; the driver of a server is loaded only for a server. */
async function openAt(location: StoreLocation, name: string): Promise<SessionStore> {
  switch (location.kind) {
    case "sqlite": {
      makeFolder(location.path, name);
      return createSqliteStore({ path: location.path });
    }
    case "postgres": {
      const { createPostgresStore } = await import("@trunkline/store-postgres");
      return createPostgresStore({ url: location.url });
    }
    case "mysql": {
      const { createMysqlStore } = await import("@trunkline/store-mysql");
      return createMysqlStore({ url: location.url });
    }
  }
}

function makeFolder(path: string, databaseName: string): void {
  try {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  } catch (error) {
    throw new TrunklineError("store_unavailable", `the folder of ${databaseName} cannot be made`, {
      fix: "Check that the path is right and may be written, or set store.url in trunkline.json5",
      cause: error,
    });
  }
}
