import type { GlyphName, Glyphs } from "../terminal/glyphs.ts";
import type { Paint } from "../terminal/paint.ts";
import { oneLine } from "../terminal/printable.ts";
import { cutTo, padTo, widthOf } from "../terminal/text-width.ts";

/** A session as the tree shows it. */
export interface TreeNode {
  readonly name: string;
  /** The state in one word, e.g. `idle`, `success`. */
  readonly state: string;
  readonly glyph: GlyphName;
  readonly cells: readonly (string | number)[];
  readonly children: readonly TreeNode[];
}

export interface TreeOptions {
  readonly width: number;
  readonly glyphs: Glyphs;
  readonly paint: Paint;
  /** Titles of the columns after the state. */
  readonly titles: readonly string[];
  /** Shows each of many like children. */
  readonly unfold: boolean;
}

interface TreeLine {
  readonly name: string;
  readonly node: TreeNode;
}

const fewestFolded = 4;

/** The sessions as a tree below the word `Sessions`; a narrow terminal cuts names, then drops cells, never the state. */
export function treeLines(roots: readonly TreeNode[], options: TreeOptions): readonly string[] {
  const { glyphs, paint, width } = options;
  const lines = roots.flatMap((node) => [
    { name: oneLine(node.name), node },
    ...childLines(fold(node.children, options.unfold), "", glyphs),
  ]);
  const states = lines.map(({ node }) => `${glyphs[node.glyph]} ${node.state}`);
  const stateWidth = Math.max(5, ...states.map(widthOf));
  const cellWidths = options.titles.map((title, index) =>
    Math.max(widthOf(title), ...lines.map(({ node }) => widthOf(String(node.cells[index] ?? "")))),
  );
  while (cellWidths.length > 0 && fixedWidth(stateWidth, cellWidths) + 16 > width) cellWidths.pop();
  const nameWidth = Math.min(
    Math.max(8, ...lines.map(({ name }) => widthOf(name))),
    Math.max(4, width - fixedWidth(stateWidth, cellWidths)),
  );
  const draw = (name: string, state: string, cells: readonly string[]): string =>
    ` ${padTo(cutTo(name, nameWidth, glyphs.cut), nameWidth)}  ${padTo(state, stateWidth)}${cellWidths
      .map((cell, index) => `  ${padTo(cells[index] ?? "", cell, "right")}`)
      .join("")}`.trimEnd();
  return [
    paint("dim", draw("Sessions", "STATE", options.titles)),
    ...lines.map(({ name, node }, index) => draw(name, states[index] ?? "", node.cells.map(String))),
  ];
}

function fixedWidth(stateWidth: number, cellWidths: readonly number[]): number {
  return 1 + 2 + stateWidth + cellWidths.reduce((sum, width) => sum + 2 + width, 0);
}

function childLines(children: readonly TreeNode[], indent: string, glyphs: Glyphs): readonly TreeLine[] {
  return children.flatMap((node, index) => {
    const isLast = index === children.length - 1;
    const below = indent + (isLast ? "   " : glyphs.trunk);
    return [
      { name: `${indent}${isLast ? glyphs.lastBranch : glyphs.branch}${oneLine(node.name)}`, node },
      ...childLines(node.children, below, glyphs),
    ];
  });
}

/** Keeps the first of many children without children in one state and sums the others up. */
function fold(children: readonly TreeNode[], unfold: boolean): readonly TreeNode[] {
  if (unfold) return children;
  const kept: TreeNode[] = [];
  const rest = new Map<string, TreeNode[]>();
  const seen = new Set<string>();
  for (const child of children) {
    if (child.children.length > 0 || !seen.has(child.state)) kept.push(child);
    else rest.set(child.state, [...(rest.get(child.state) ?? []), child]);
    seen.add(child.state);
  }
  for (const like of rest.values()) kept.push(...(like.length < fewestFolded ? like : [summary(like)]));
  return kept;
}

function summary(like: readonly TreeNode[]): TreeNode {
  const [first] = like;
  const cells = (first?.cells ?? []).map((_, index) =>
    like.reduce((sum, { cells: values }) => sum + Number(values[index] ?? 0), 0),
  );
  return {
    name: `${like.length} more`,
    state: first?.state ?? "",
    glyph: first?.glyph ?? "done",
    cells: cells.map((sum) => (Number.isFinite(sum) ? sum : "")),
    children: [],
  };
}
