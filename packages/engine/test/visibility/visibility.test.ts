import { readFile, writeFile } from "node:fs/promises";
import { expect, test } from "vitest";
import { visibilityTable } from "./visibility-table.ts";

const file = new URL("../../../../docs/visibility.md", import.meta.url);
const marks = [
  "<!-- table: written by UPDATE_DOCS=1 vitest run packages/engine/test/visibility -->",
  "<!-- /table -->",
] as const;

test("B57: docs/visibility.md prints what every tool answers, for every caller, setting and target", {
  timeout: 120_000,
}, async () => {
  const text = await readFile(file, "utf8");
  const [before, rest = ""] = text.split(marks[0]);
  const after = rest.split(marks[1])[1];
  const table = await visibilityTable();
  const wanted = `${before}${marks[0]}\n\n${table}\n${marks[1]}${after}`;
  if (process.env["UPDATE_DOCS"]) await writeFile(file, wanted);
  else expect(text).toBe(wanted);
});
