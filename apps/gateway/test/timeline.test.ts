import { stripVTControlCharacters } from "node:util";
import { expect, test } from "vitest";
import { glyphsFor } from "../src/terminal/glyphs.ts";
import { type Paint, plainPaint } from "../src/terminal/paint.ts";
import { widthOf } from "../src/terminal/text-width.ts";
import { createTimeline } from "../src/timeline/create-timeline.ts";
import { entryToJson } from "../src/timeline/entry-json.ts";
import { type TreeNode, treeLines } from "../src/timeline/session-tree.ts";
import type { TimelineEntry } from "../src/timeline/timeline-entry.ts";

const startedAt = 1_769_853_600_000;
const unicode = glyphsFor({ LANG: "C.UTF-8" }, "linux");
const ascii = glyphsFor({ LANG: "C" }, "linux");
const main = { sessionKey: "agent:main:main", session: { name: "main" } };
const editor = { sessionKey: "agent:editor:console:channel:demo", session: { name: "editor" } };

function reader(name: string, atMs: number, tookMs: number): TimelineEntry {
  return {
    type: "child_settled",
    at: startedAt + atMs,
    who: "reader",
    glyph: "done",
    verb: "done",
    text: `${name}.md: 41 sentences, 3 kept`,
    sessionKey: `agent:main:subagent:${name}`,
    session: { name: "main", child: name },
    tookMs,
    fold: { key: "done", leads: true, describe: (count) => `${count} more readers` },
  };
}

const story: readonly TimelineEntry[] = [
  {
    type: "message",
    at: startedAt,
    who: "you",
    glyph: "out",
    verb: "message",
    text: '"What must never be lost in a crash?"',
    ...main,
  },
  {
    type: "run_started",
    at: startedAt + 3,
    who: "coordinator",
    glyph: "run",
    verb: "run",
    text: "5 documents to read",
    ...main,
  },
  {
    type: "spawn",
    at: startedAt + 12,
    who: "coordinator",
    glyph: "spawn",
    verb: "spawn",
    text: "5 readers accepted",
    tookMs: 9,
    ...main,
  },
  {
    type: "yield",
    at: startedAt + 14,
    who: "coordinator",
    glyph: "wait",
    verb: "yield",
    text: "waits for 5 readers",
    ...main,
  },
  reader("stores", 28, 14),
  reader("outbox", 29, 15),
  reader("runs", 30, 16),
  reader("view", 32, 19),
  reader("keys", 33, 18),
  {
    type: "run_started",
    at: startedAt + 41,
    who: "coordinator",
    glyph: "run",
    verb: "resume",
    text: "5 of 5 results, each once",
    ...main,
  },
  {
    type: "run_ended",
    at: startedAt + 63,
    who: "editor",
    glyph: "in",
    verb: "reply",
    text: "97 words: cut the second point?",
    tookMs: 10,
    ...main,
  },
  {
    type: "run_ended",
    at: startedAt + 88,
    who: "editor",
    glyph: "announce",
    verb: "announce",
    text: "answer put in the outbox",
    ...editor,
  },
  {
    type: "run_ended",
    at: startedAt + 90,
    who: "reader",
    glyph: "failed",
    verb: "failed",
    text: "a note with\na line feed and\u001b[31m colour",
    ...main,
  },
];

function draw(options: {
  width: number;
  glyphs?: typeof unicode;
  paint?: Paint;
  verbose?: boolean;
}): readonly string[] {
  const timeline = createTimeline({
    width: () => options.width,
    glyphs: options.glyphs ?? unicode,
    paint: options.paint ?? plainPaint,
    startedAt,
    verbose: options.verbose ?? false,
  });
  return [...timeline.titles(), ...story.flatMap((entry) => timeline.push(entry)), ...timeline.flush()];
}

test("the timeline at 100 columns", () => {
  expect(draw({ width: 100 }).join("\n")).toMatchInlineSnapshot(`
    "   TIME  WHO          WHAT                                                 SESSION              TOOK
      0.000  you          › message    "What must never be lost in a crash?"   main
      0.003  coordinator  ◦ run        5 documents to read                     main
      0.012  coordinator  + spawn      5 readers accepted                      main                 9 ms
      0.014  coordinator  ~ yield      waits for 5 readers                     main
      0.028  reader       ✓ done       stores.md: 41 sentences, 3 kept         main ↳ stores       14 ms
      0.033  reader       ✓ done       4 more readers                          main ↳ …            19 ms
      0.041  coordinator  ◦ resume     5 of 5 results, each once               main
      0.063  editor       ‹ reply      97 words: cut the second point?         main                10 ms
      0.088  editor       » announce   answer put in the outbox                editor
      0.090  reader       ✗ failed     a note with a line feed and�[31m colour main"
  `);
});

test("the timeline at 72 columns drops the session", () => {
  expect(draw({ width: 72 }).join("\n")).toMatchInlineSnapshot(`
    "   TIME  WHO          WHAT                                          TOOK
      0.000  you          › message    "What must never be lost in…
      0.003  coordinator  ◦ run        5 documents to read
      0.012  coordinator  + spawn      5 readers accepted               9 ms
      0.014  coordinator  ~ yield      waits for 5 readers
      0.028  reader       ✓ done       stores.md: 41 sentences, 3…     14 ms
      0.033  reader       ✓ done       4 more readers                  19 ms
      0.041  coordinator  ◦ resume     5 of 5 results, each once
      0.063  editor       ‹ reply      97 words: cut the second po…    10 ms
      0.088  editor       » announce   answer put in the outbox
      0.090  reader       ✗ failed     a note with a line feed and…"
  `);
});

test("the timeline at 60 columns in ASCII drops the duration too", () => {
  expect(draw({ width: 60, glyphs: ascii }).join("\n")).toMatchInlineSnapshot(`
    "   TIME  WHO          WHAT
      0.000  you          >  message    "What must never be l...
      0.003  coordinator  o  run        5 documents to read
      0.012  coordinator  +  spawn      5 readers accepted
      0.014  coordinator  ~  yield      waits for 5 readers
      0.028  reader       ok done       stores.md: 41 sentenc...
      0.033  reader       ok done       4 more readers
      0.041  coordinator  o  resume     5 of 5 results, each...
      0.063  editor       <  reply      97 words: cut the sec...
      0.088  editor       >> announce   answer put in the outbox
      0.090  reader       !! failed     a note with a line fe..."
  `);
});

test("the timeline below 48 columns takes two lines a step", () => {
  expect(draw({ width: 40 }).slice(0, 6).join("\n")).toMatchInlineSnapshot(`
    "0.000 you message
      "What must never be lost in a crash?"
    0.003 coordinator run
      5 documents to read
    0.012 coordinator spawn
      5 readers accepted"
  `);
});

test("no line is wider than the terminal", () => {
  for (const width of [20, 40, 48, 71, 72, 99, 100, 140]) {
    for (const glyphs of [unicode, ascii]) {
      for (const line of draw({ width, glyphs, verbose: true })) expect(widthOf(line)).toBeLessThanOrEqual(width);
    }
  }
});

test("every line reads the same with its colours stripped", () => {
  const paint: Paint = (ink, text) => `\u001b[${30 + ink.length}m${text}\u001b[39m`;
  for (const width of [40, 60, 80, 120]) {
    const coloured = draw({ width, paint });
    if (width >= 48) expect(coloured.join("")).toContain("\u001b[");
    expect(coloured.map(stripVTControlCharacters)).toEqual(draw({ width }));
  }
});

test("four like lines fold, three do not, and verbose shows each", () => {
  const lines = (count: number, verbose: boolean) => {
    const timeline = createTimeline({ width: () => 100, glyphs: unicode, paint: plainPaint, startedAt, verbose });
    const entries = Array.from({ length: count }, (_, index) => reader(`r${index}`, index, index));
    return [...entries.flatMap((entry) => timeline.push(entry)), ...timeline.flush()];
  };
  expect(lines(3, false)).toHaveLength(3);
  expect(lines(4, false)).toHaveLength(2);
  expect(lines(9, false)).toHaveLength(2);
  expect(lines(9, false)[1]).toContain("8 more readers");
  expect(lines(9, true)).toHaveLength(9);
});

test("like lines more than 50 ms apart stay apart, and the first of them is out at once", () => {
  const timeline = createTimeline({ width: () => 100, glyphs: unicode, paint: plainPaint, startedAt, verbose: false });
  expect(timeline.push(reader("a", 0, 1))).toHaveLength(1);
  expect(timeline.holding).toBe(false);
  expect(timeline.push(reader("b", 40, 1))).toHaveLength(0);
  expect(timeline.holding).toBe(true);
  expect(timeline.push(reader("c", 91, 1))).toHaveLength(2);
  expect(timeline.flush()).toHaveLength(0);
});

test("like lines that keep coming are held for half a second at most", () => {
  const timeline = createTimeline({ width: () => 100, glyphs: unicode, paint: plainPaint, startedAt, verbose: false });
  const shown = Array.from({ length: 40 }, (_, index) => timeline.push(reader(`r${index}`, index * 40, 1)).length);
  expect(shown.filter((lines) => lines > 0)).toEqual([1, 2, 2, 2]);
});

test("a step of an earlier process says so instead of a time", () => {
  const timeline = createTimeline({ width: () => 100, glyphs: unicode, paint: plainPaint, startedAt, verbose: false });
  const entry = story[1];
  if (entry === undefined) throw new Error("the story has steps");
  expect(timeline.push({ ...entry, earlier: true })[0]).toMatch(/^earlier {2}coordinator/);
});

test("a JSON line carries the step without its looks", () => {
  const entry = story[2];
  if (entry === undefined) throw new Error("the story has steps");
  expect(JSON.parse(entryToJson({ ...entry, runId: "r1" }, startedAt))).toEqual({
    v: 1,
    type: "spawn",
    atMs: 12,
    at: "2026-01-31T10:00:00.012Z",
    who: "coordinator",
    verb: "spawn",
    sessionKey: "agent:main:main",
    runId: "r1",
    text: "5 readers accepted",
    tookMs: 9,
  });
});

const leaf = (name: string, state: string, cells: number[]): TreeNode => ({
  name,
  state,
  glyph: state === "success" ? "done" : "failed",
  cells,
  children: [],
});
const tree: readonly TreeNode[] = [
  {
    name: "agent:main:main",
    state: "idle",
    glyph: "idle",
    cells: [3, 14],
    children: [
      leaf("stores.md", "success", [2, 3]),
      ...["outbox.md", "runs.md", "view.md", "keys.md"].map((name) => leaf(name, "success", [2, 3])),
      leaf("broken.md", "interrupted", [1, 1]),
    ],
  },
  { name: "agent:editor:console:channel:demo", state: "idle", glyph: "idle", cells: [4, 9], children: [] },
];
const treeOptions = { glyphs: unicode, paint: plainPaint, titles: ["RUNS", "MESSAGES"], unfold: false };

test("the session tree sums up like children", () => {
  expect(treeLines(tree, { ...treeOptions, width: 100 }).join("\n")).toMatchInlineSnapshot(`
    " Sessions                           STATE          RUNS  MESSAGES
     agent:main:main                    ○ idle            3        14
     ├─ stores.md                       ✓ success         2         3
     ├─ broken.md                       ✗ interrupted     1         1
     └─ 4 more                          ✓ success         8        12
     agent:editor:console:channel:demo  ○ idle            4         9"
  `);
});

test("a narrow session tree cuts names and cells, never the state", () => {
  expect(treeLines(tree, { ...treeOptions, width: 40, glyphs: ascii }).join("\n")).toMatchInlineSnapshot(`
    " Sessions           STATE           RUNS
     agent:main:main    o idle             3
     |- stores.md       ok success         2
     |- broken.md       !! interrupted     1
     \`- 4 more          ok success         8
     agent:editor:c...  o idle             4"
  `);
  for (const line of treeLines(tree, { ...treeOptions, width: 30 }))
    expect(line).toMatch(/STATE|idle|success|interrupted/);
});
