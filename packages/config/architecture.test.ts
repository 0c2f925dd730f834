import { describe, expect, test } from "vitest";
import { type ImportRule, importRuleFor } from "./architecture.ts";
import { importedModules, packageOf, readPackages, type WorkspacePackage } from "./source-files.ts";

const ours = "@trunkline/";
const packages = readPackages();
const sources = packages.flatMap((workspacePackage) => workspacePackage.sources);

test("every package has a row in the table of imports", () => {
  expect(packages.map(({ folder }) => folder).filter((folder) => importRuleFor(folder) === undefined)).toEqual([]);
  expect(importRuleFor("invented")).toBeUndefined();
});

describe.each(packages.filter(({ folder }) => importRuleFor(folder) !== undefined))("$folder", (workspacePackage) => {
  const rule = importRuleFor(workspacePackage.folder) ?? { ours: [] };

  test("imports only what its row allows", () => {
    expect(forbiddenImports(workspacePackage, rule)).toEqual([]);
  });

  test("declares what it imports, and nothing that its row forbids", () => {
    expect(manifestProblems(workspacePackage, rule)).toEqual([]);
  });
});

describe("every source file", () => {
  test("has at most 300 lines", () => {
    expect(pathsWhere(({ text }) => text.trimEnd().split("\n").length > 300)).toEqual([]);
  });

  test("has named exports only", () => {
    expect(pathsWhere(({ text }) => /^\s*export\s+default\b|\bas\s+default\b/m.test(text))).toEqual([]);
  });

  test("has a name in kebab-case", () => {
    const kebabCase = /^(?:[a-z0-9]+(?:-[a-z0-9]+)*\/)*[a-z0-9]+(?:-[a-z0-9]+)*(?:\.d)?\.tsx?$/;
    expect(pathsWhere(({ path }) => !kebabCase.test(path))).toEqual([]);
  });

  test("is named after a subject, never utils, helpers or manager", () => {
    const vague = /(?:^|[/.-])(?:util|helper|manager)s?(?=[/.-])/;
    const vagueExport = /^\s*export\s+(?:\w+\s+)+\w*(?:[Uu]tils?|[Hh]elpers?|[Mm]anagers?)(?![a-z])/m;
    expect(pathsWhere(({ path, text }) => vague.test(path) || vagueExport.test(text))).toEqual([]);
  });
});

describe("the checks themselves", () => {
  const core = { folder: "core", dependencies: [], peerDependencies: ["zod"] };

  test("a driver, a Node module and another package of ours are refused in core", () => {
    const text = [
      'import pg from "pg";',
      'import type { Trunkline } from "@trunkline/engine";',
      'export * from "node:fs";',
      'const late = await import("ai/test");',
      "import {\n  z,\n} from 'zod/mini';",
    ].join("\n");
    const offender = { ...core, sources: [{ path: "a.ts", text }] };
    const refused = ["@trunkline/engine", "ai/test", "node:fs", "pg"].map((module) => `a.ts imports ${module}`);
    expect([...forbiddenImports(offender, { ours: [], external: ["zod"] })].sort()).toEqual(refused);
  });

  test("a second vendor is one too many", () => {
    const text = 'import a from "@slack/web-api";\nimport b from "@slack/types";\nimport c from "grammy";';
    const offender = { ...core, sources: [{ path: "a.ts", text }] };
    expect(forbiddenImports(offender, { ours: ["core"], vendors: 1 })).toEqual(["a.ts imports grammy"]);
  });

  test("an import without a dependency, and a dependency without a right, are told", () => {
    const offender = { ...core, dependencies: ["pg"], sources: [{ path: "a.ts", text: 'import "uuid";' }] };
    expect(manifestProblems(offender, { ours: [], external: ["zod", "uuid"] })).toEqual([
      "uuid is imported and not declared",
      "pg is declared and not allowed",
    ]);
  });

  test("an adapter that brings its own core is told", () => {
    const offender = { folder: "mcp", dependencies: ["@trunkline/core"], peerDependencies: [], sources: [] };
    expect(manifestProblems(offender, { ours: ["core"], peers: ["core"] })).toEqual([
      "@trunkline/core has to be a peer dependency",
    ]);
  });
});

function pathsWhere(matches: (file: (typeof sources)[number]) => boolean): readonly string[] {
  return sources.filter(matches).map(({ path }) => path);
}

function forbiddenImports({ folder, sources }: WorkspacePackage, rule: ImportRule): readonly string[] {
  const isAllowed = allowance(folder, rule);
  return sources.flatMap(({ path, text }) =>
    importedModules(text)
      .filter((module) => !module.startsWith(".") && !isAllowed(module))
      .map((module) => `${path} imports ${module}`),
  );
}

function manifestProblems(workspacePackage: WorkspacePackage, rule: ImportRule): readonly string[] {
  const { folder, dependencies, peerDependencies, sources } = workspacePackage;
  const declared = [...dependencies, ...peerDependencies];
  const isAllowed = allowance(folder, rule);
  const imported = new Set(
    sources
      .flatMap(({ text }) => importedModules(text))
      .filter((module) => !module.startsWith(".") && !module.startsWith("node:"))
      .map(packageOf),
  );
  return [
    ...[...imported].filter((name) => !declared.includes(name)).map((name) => `${name} is imported and not declared`),
    ...declared.filter((name) => !isAllowed(name)).map((name) => `${name} is declared and not allowed`),
    ...(rule.peers ?? [])
      .map((peer) => `${ours}${peer}`)
      .filter((peer) => dependencies.includes(peer))
      .map((peer) => `${peer} has to be a peer dependency`),
  ];
}

/** Asked module by module: the first vendor that appears takes the one place that a row may leave for it. */
function allowance(folder: string, rule: ImportRule): (module: string) => boolean {
  let vendor: string | undefined;
  return (module) => {
    if (rule.ours === "any") return true;
    if (module.startsWith("node:")) return rule.builtins === true;
    const name = packageOf(module);
    if (name.startsWith(ours)) {
      const imported = name.slice(ours.length);
      return imported !== folder && rule.ours.includes(imported);
    }
    if (rule.external?.includes(name)) return true;
    if (rule.vendors !== 1) return false;
    vendor ??= vendorOf(name);
    return vendor === vendorOf(name);
  };
}

function vendorOf(name: string): string {
  return name.startsWith("@") ? (name.split("/")[0] ?? name) : name;
}
