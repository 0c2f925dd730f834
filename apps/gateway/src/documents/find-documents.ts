import { readdir, stat } from "node:fs/promises";
import { extname, join, relative, sep } from "node:path";

/** A file that can be read for sentences. */
export interface DocumentFile {
  /** Path below the folder, with `/`. */
  readonly name: string;
  /** The path as the file system takes it. */
  readonly path: string;
  readonly bytes: number;
}

const extensions = new Set([".md", ".markdown", ".mdx", ".txt", ".rst", ".adoc"]);
const skippedFolders = new Set(["node_modules", "dist", "coverage"]);
const deepest = 12;

/** The text files below a folder, largest first, then by name; hidden folders, links and empty files are left out. */
export async function findDocuments(folder: string): Promise<readonly DocumentFile[]> {
  const paths = await textFilesBelow(folder, 0);
  const files = await Promise.all(
    paths.map(async (path) => ({
      name: relative(folder, path).split(sep).join("/"),
      path,
      bytes: (await stat(path)).size,
    })),
  );
  return largestFirst(files.filter(({ bytes }) => bytes > 0));
}

/** The order in which documents are read. */
export function largestFirst(files: readonly DocumentFile[]): readonly DocumentFile[] {
  return files.toSorted((left, right) => right.bytes - left.bytes || (left.name < right.name ? -1 : 1));
}

async function textFilesBelow(folder: string, depth: number): Promise<readonly string[]> {
  const entries = await readdir(folder, { withFileTypes: true });
  const found = await Promise.all(
    entries.map(async (entry) => {
      const path = join(folder, entry.name);
      if (entry.isFile()) return extensions.has(extname(entry.name).toLowerCase()) ? [path] : [];
      const descends = entry.isDirectory() && !entry.name.startsWith(".") && !skippedFolders.has(entry.name);
      return descends && depth < deepest ? textFilesBelow(path, depth + 1) : [];
    }),
  );
  return found.flat();
}
