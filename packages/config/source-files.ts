import { existsSync, globSync, readdirSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../..", import.meta.url));

export interface SourceFile {
  /** From the root of the repository, with forward slashes. */
  readonly path: string;
  readonly text: string;
}

export interface WorkspacePackage {
  readonly folder: string;
  readonly dependencies: readonly string[];
  readonly peerDependencies: readonly string[];
  readonly sources: readonly SourceFile[];
}

/** Every package below packages/ and apps/ with the files of its src folder. */
export function readPackages(): readonly WorkspacePackage[] {
  return ["packages", "apps"].flatMap((parent) =>
    readdirSync(join(root, parent))
      .filter((folder) => existsSync(join(root, parent, folder, "package.json")))
      .map((folder) => readPackage(join(root, parent, folder), folder)),
  );
}

/** The module names of every import and re-export, type-only and dynamic ones included. */
export function importedModules(text: string): readonly string[] {
  const patterns = [
    /^\s*(?:import|export)\b[^"'`;]*?\bfrom\s+["']([^"']+)["']/gm,
    /^\s*import\s+["']([^"']+)["']/gm,
    /\bimport\(\s*["']([^"']+)["']\s*\)/g,
  ];
  return patterns.flatMap((pattern) => [...text.matchAll(pattern)].map((match) => match[1] ?? ""));
}

/** `@scope/name/deep` → `@scope/name`, `name/deep` → `name`. */
export function packageOf(module: string): string {
  return module
    .split("/")
    .slice(0, module.startsWith("@") ? 2 : 1)
    .join("/");
}

function readPackage(directory: string, folder: string): WorkspacePackage {
  const manifest: {
    readonly dependencies?: Readonly<Record<string, string>>;
    readonly peerDependencies?: Readonly<Record<string, string>>;
  } = JSON.parse(readFileSync(join(directory, "package.json"), "utf8"));
  return {
    folder,
    dependencies: Object.keys(manifest.dependencies ?? {}),
    peerDependencies: Object.keys(manifest.peerDependencies ?? {}),
    sources: globSync("src/**/*.{ts,tsx}", { cwd: directory }).map((file) => ({
      path: relative(root, join(directory, file)).replaceAll("\\", "/"),
      text: readFileSync(join(directory, file), "utf8"),
    })),
  };
}
