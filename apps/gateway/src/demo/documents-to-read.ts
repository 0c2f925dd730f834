import { existsSync, statSync } from "node:fs";
import { createRequire } from "node:module";
import { basename, dirname, isAbsolute, join, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { CommandError } from "../cli/command-error.ts";
import { type DocumentFile, findDocuments, largestFirst } from "../documents/find-documents.ts";
import type { CoordinatorDocument } from "./agents/run-coordinator.ts";

/** The documents of one demo run. */
export interface DocumentsToRead {
  readonly documents: readonly CoordinatorDocument[];
  /** How many there are, read or not. */
  readonly total: number;
  /** Where they are, for people: `docs/`. */
  readonly place: string;
}

export interface DocumentsOptions {
  /** As typed; absent = `docs/` here, else the README files that came with the packages. */
  readonly folder?: string;
  readonly limit: number;
  readonly workingDirectory: string;
}

/** How many documents are read unless `--limit` says otherwise. */
export const defaultDocumentLimit = 12;

/** Finds what to read, the largest first. Throws `invalid_input` for a folder that is none or holds no text. */
export async function documentsToRead(options: DocumentsOptions): Promise<DocumentsToRead> {
  const { folder, limit, workingDirectory } = options;
  const directory = resolve(workingDirectory, folder ?? "docs");
  const isFolder = existsSync(directory) && statSync(directory).isDirectory();
  if (!isFolder && folder !== undefined) throw noDocuments(`there is no folder "${folder}"`);
  const files = isFolder ? await findDocuments(directory) : [];
  if (files.length === 0 && folder !== undefined) throw noDocuments(`"${folder}" holds no .md or .txt file`);
  const found = files.length > 0 ? files : shippedReadmes();
  return {
    documents: found.slice(0, limit).map(({ name, path }) => ({ name, file: fromDirectory(path, workingDirectory) })),
    total: found.length,
    place: files.length > 0 ? `${(folder ?? "docs").replace(/[/\\]+$/u, "")}/` : "the packages",
  };
}

function shippedReadmes(): readonly DocumentFile[] {
  const require = createRequire(import.meta.url);
  const own = fileURLToPath(new URL("../../README.md", import.meta.url));
  const others = ["core", "engine", "store-sqlite"].flatMap((name) => {
    const entry = require.resolve.paths(`@trunkline/${name}`) ?? [];
    return (
      entry.map((modules) => join(modules, "@trunkline", name, "README.md")).find((file) => existsSync(file)) ?? []
    );
  });
  const readable = [own, ...others].filter((file) => existsSync(file));
  if (readable.length === 0) throw noDocuments("there is no docs/ here, and no README came with the package");
  return largestFirst(
    readable.map((path) => ({ name: `${basename(dirname(path))}/README.md`, path, bytes: statSync(path).size })),
  );
}

function fromDirectory(path: string, workingDirectory: string): string {
  const short = relative(workingDirectory, path);
  return short.startsWith("..") || isAbsolute(short) ? path : short;
}

function noDocuments(message: string): CommandError {
  return new CommandError("invalid_input", message, {
    fix: "Name a folder with markdown or text files, e.g. npx trunkline demo docs",
    path: "folder",
  });
}
