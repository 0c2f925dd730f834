import { isAbsolute, join, relative } from "node:path";
import { CommandError } from "../cli/command-error.ts";
import type { LoadedConfig } from "./load-config.ts";

/** Where data lies: a SQLite file by its absolute path, or a server by its address. */
export type StoreLocation =
  | { readonly kind: "sqlite"; readonly path: string }
  | { readonly kind: "postgres" | "mysql"; readonly url: string };

/** The database that a configuration names; any other kind is `invalid_config`. */
export function storeLocation({ config, directory, file }: LoadedConfig): StoreLocation {
  const { url } = config.store;
  if (/^postgres(?:ql)?:\/\//u.test(url)) return { kind: "postgres", url };
  if (/^(?:mysql|mariadb):\/\//u.test(url)) return { kind: "mysql", url: url.replace(/^mariadb:/u, "mysql:") };
  const path = /^(?:sqlite|file):(?:\/\/)?(.+)$/u.exec(url)?.[1];
  if (path === undefined) {
    throw new CommandError("invalid_config", "store.url names a database that this gateway cannot open", {
      ...(file === undefined ? {} : { file }),
      path: "store.url",
      fix: 'Name a SQLite file, e.g. "sqlite:.trunkline/trunkline.db", or a postgres:// or mysql:// address',
    });
  }
  return { kind: "sqlite", path: isAbsolute(path) ? path : join(directory, path) };
}

/** A database as people read it: a file's path, or kind, host and name of a server's, without user and password. */
export function displayLocation(location: StoreLocation, workingDirectory: string): string {
  if (location.kind === "sqlite") return displayPath(location.path, workingDirectory);
  const { host, pathname } = new URL(location.url);
  return `${location.kind} ${host}${pathname}`;
}

/** A path as people read it: relative where that is shorter. */
export function displayPath(path: string, workingDirectory: string): string {
  const short = relative(workingDirectory, path);
  return short !== "" && short.length < path.length && !short.startsWith("..") ? short : path;
}
