import { expect, test } from "vitest";
import { formatColumns } from "../src/terminal/columns.ts";
import { formatAge, formatDuration } from "../src/terminal/durations.ts";
import { glyphsFor } from "../src/terminal/glyphs.ts";
import { oneLine, printable } from "../src/terminal/printable.ts";
import { cutTo, fitTo, widthOf, wrapTo } from "../src/terminal/text-width.ts";

test("terminal escapes and direction overrides cannot be printed, line feeds and tabs can", () => {
  expect(printable("a\u001b[31mred\u001b[0m\tb\r\nc\u202ed\u009b2J")).toBe(
    "a\ufffd[31mred\ufffd[0m\tb\nc\ufffdd\ufffd2J",
  );
  expect(oneLine("  two\n\n lines\t here ")).toBe("two lines here");
});

test("a text is cut between graphemes and never wider than asked", () => {
  expect(cutTo("family 👨‍👩‍👧‍👦 here", 10, "…")).toBe("family 👨‍👩‍👧‍👦…");
  expect(cutTo("漢字漢字", 5, "…")).toBe("漢字…");
  expect(cutTo("short", 5, "…")).toBe("short");
  expect(cutTo("longer", 2, "...")).toBe("");
  for (const text of ["plain words", "漢字漢字漢字", "e\u0301a\u0301i\u0301", "👩‍🚀👩‍🚀👩‍🚀"]) {
    for (let width = 0; width < 12; width += 1) expect(widthOf(fitTo(text, width, "…"))).toBe(width);
  }
});

test("words wrap at the width and a longer word stands alone", () => {
  expect(wrapTo("one two three incomprehensibilities end", 9)).toEqual([
    "one two",
    "three",
    "incomprehensibilities",
    "end",
  ]);
});

test("lists line up, numbers on the right, and the flexible column gives way", () => {
  const columns = [
    { title: "STATE" },
    { title: "SESSION", flexible: true },
    { title: "RUNS", align: "right" },
  ] as const;
  const rows = [
    ["idle", "agent:main:main", "3"],
    ["running", "agent:editor:console:channel:demo", "12"],
  ];
  expect(formatColumns(columns, rows, { width: 80, cut: "…" })).toEqual([
    "STATE    SESSION                            RUNS",
    "idle     agent:main:main                       3",
    "running  agent:editor:console:channel:demo    12",
  ]);
  expect(formatColumns(columns, rows, { width: 30, cut: "…" })).toEqual([
    "STATE    SESSION          RUNS",
    "idle     agent:main:main     3",
    "running  agent:editor:c…    12",
  ]);
});

test("durations and ages keep one unit", () => {
  expect([0, 14.2, 999, 1_040, 61_000].map(formatDuration)).toEqual(["0 ms", "14 ms", "999 ms", "1.0 s", "1 min"]);
  expect([-5, 12_000, 200_000, 7_300_000, 864_000_000].map(formatAge)).toEqual(["0 s", "12 s", "3 min", "2 h", "10 d"]);
});

test("ASCII stands in where the locale is not UTF-8 or the terminal is dumb", () => {
  expect(glyphsFor({ LANG: "en_GB.UTF-8" }, "linux").done).toBe("✓");
  expect(glyphsFor({ LANG: "en_GB.UTF-8", LC_ALL: "C" }, "linux").done).toBe("ok");
  expect(glyphsFor({ LANG: "en_GB.UTF-8", TERM: "dumb" }, "linux").done).toBe("ok");
  expect(glyphsFor({}, "linux").done).toBe("ok");
  expect(glyphsFor({}, "darwin").done).toBe("✓");
  expect(Object.values(glyphsFor({}, "linux")).join("")).toMatch(/^[\x20-\x7e]+$/);
});
