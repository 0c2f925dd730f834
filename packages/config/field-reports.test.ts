import { readFileSync } from "node:fs";
import { expect, test } from "vitest";

const file = new URL("../../docs/field-reports.md", import.meta.url);
const reports = [...readFileSync(file, "utf8").matchAll(/<a id="b(\d+)"><\/a>\*\*B(\d+)\*\* .+ \[Test\]\(([^)]+)\)/g)];

test("each field report links a test whose file names its number, once and in order within its group", () => {
  expect(reports.length).toBeGreaterThan(60);
  expect(new Set(reports.map(([, id]) => id)).size).toBe(reports.length);
  for (const [, anchor, number, link = ""] of reports) {
    expect(anchor).toBe(number);
    expect(readFileSync(new URL(link, file), "utf8"), `B${number} in ${link}`).toMatch(
      new RegExp(`\\bB${Number(number)}\\b|\\bB${number}\\b`),
    );
  }
});
