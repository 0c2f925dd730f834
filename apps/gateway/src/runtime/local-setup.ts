import { existsSync } from "node:fs";
import { join } from "node:path";
import type { CommandContext } from "../cli/command-context.ts";
import { defaultConfig, type LoadedConfig, loadConfig } from "../config/load-config.ts";
import { displayLocation, type StoreLocation, storeLocation } from "../config/store-location.ts";
import { demoConfig } from "./demo-setup.ts";

/** What a command works on when it works in this process. */
export interface LocalSetup {
  readonly isDemo: boolean;
  /** The input of `createTrunkline`. */
  readonly engineInput: object;
  readonly location: StoreLocation;
  /** The database as people read it. */
  readonly databaseName: string;
  /** `.trunkline` beside the configuration: the token lies here. */
  readonly stateDirectory: string;
  readonly loaded: LoadedConfig;
}

/** Reads the configuration, or takes the demo's. */
export function readLocalSetup(context: CommandContext): LocalSetup {
  const { workingDirectory, environment } = context.surroundings;
  const { demo, config: file } = context.globals;
  const loaded = demo
    ? { ...defaultConfig(workingDirectory), engineInput: demoConfig }
    : loadConfig({ ...(file === undefined ? {} : { file }), directory: workingDirectory, environment });
  const location: StoreLocation = demo
    ? { kind: "sqlite", path: join(workingDirectory, ".trunkline", "demo.db") }
    : storeLocation(loaded);
  return {
    isDemo: demo,
    engineInput: loaded.engineInput,
    location,
    databaseName: displayLocation(location, workingDirectory),
    stateDirectory: join(loaded.directory, ".trunkline"),
    loaded,
  };
}

/** Whether the database is known not to be there yet: a server may always be. */
export function isMissing({ location }: LocalSetup): boolean {
  return location.kind === "sqlite" && !existsSync(location.path);
}
