// Writes what documents quote into them: the package table (`<!-- packages -->`) and files of this repository
// (`<!-- snippet: path -->`). With --check it writes nothing and fails when a document is not up to date.
import { existsSync, globSync, readFileSync, writeFileSync } from "node:fs";
import { extname, join } from "node:path";
import { packageTable } from "./package-table.mjs";
import { root } from "./workspace.mjs";

const documents = [
  "README.md",
  ...globSync(["docs/**/*.md", "packages/*/README.md", "apps/*/README.md"], { cwd: root }),
];
const stale = documents.filter((document) => {
  const path = join(root, document);
  const before = readFileSync(path, "utf8");
  const after = withSnippets(document, withPackages(before));
  if (after !== before && !process.argv.includes("--check")) writeFileSync(path, after);
  return after !== before;
});
const missing = documents.flatMap(missingLinks);

if (missing.length > 0) {
  console.error(`Links that lead nowhere:\n${missing.join("\n")}`);
  process.exitCode = 1;
}
if (stale.length > 0 && process.argv.includes("--check")) {
  console.error(`Not up to date: ${stale.join(", ")}. Run: npm run docs`);
  process.exitCode = 1;
}

function withPackages(text) {
  const between = /<!-- packages -->[\s\S]*?<!-- \/packages -->/g;
  return text.replace(between, () => `<!-- packages -->\n\n${packageTable()}\n\n<!-- /packages -->`);
}

function withSnippets(document, text) {
  const markerAndCode = /<!-- snippet: (\S+) -->\n(?:\n```\w*\n[\s\S]*?\n```\n)?/g;
  return text.replace(markerAndCode, (_marker, file) => {
    if (!existsSync(join(root, file))) throw new Error(`${document} quotes ${file}, which does not exist`);
    const code = readFileSync(join(root, file), "utf8").trimEnd();
    return `<!-- snippet: ${file} -->\n\n\`\`\`${extname(file).slice(1)}\n${code}\n\`\`\`\n`;
  });
}

/** Relative links, outside code, whose file does not exist. */
function missingLinks(document) {
  const prose = readFileSync(join(root, document), "utf8")
    .replace(/```[\s\S]*?```/g, "")
    .replace(/`[^`\n]*`/g, "");
  return [...prose.matchAll(/\]\((?!\w+:|#)([^)#\s]+)/g)]
    .map((match) => match[1])
    .filter((target) => !existsSync(join(root, document, "..", target)))
    .map((target) => `  ${document}: ${target}`);
}
