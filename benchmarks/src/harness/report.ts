import type { Anchor } from "./anchor.ts";
import { type Finding, isMet, type Unit } from "./bench.ts";

export interface BenchResult {
  readonly bench: string;
  readonly anchor: Anchor;
  readonly findings: readonly Finding[];
}

const order: readonly Unit[] = ["×", "exponent", "statements", "calls", "ms", "µs", "/s", "MB/s", "MB", "%"];
/** Processes that wait for a processor, for each one of them, from which on times mean little. */
const busyLoad = 0.75;

/** A table for people: of each bench, ratios and counts first, then times beside the machine's own anchor. */
export function tableOf(results: readonly BenchResult[]): string {
  const rows = results.flatMap(({ bench, anchor, findings }) =>
    [...findings]
      .sort((a, b) => order.indexOf(a.unit) - order.indexOf(b.unit))
      .map((finding) => [
        finding.line,
        bench,
        finding.what,
        measuredOf(finding.value, finding.unit),
        targetOf(finding),
        metOf(finding, anchor),
        finding.detail ?? "",
        `${anchor.rawAppendUs.toFixed(0)} µs append, ${anchor.eventLoopTurnUs.toFixed(1)} µs turn, load ${anchor.load.toFixed(1)}`,
      ]),
  );
  const head = ["line", "bench", "what", "measured", "target", "met", "behind it", "machine"];
  return columns([head, ...rows]);
}

/** The same for programs. */
export function jsonOf(results: readonly BenchResult[]): string {
  const withMet = results.map((result) => ({
    ...result,
    findings: result.findings.map((finding) => ({ ...finding, met: isMet(finding) })),
  }));
  return JSON.stringify(withMet, null, 2);
}

function measuredOf(value: number, unit: Unit): string {
  const digits = value >= 100 || Number.isInteger(value) ? 0 : value >= 10 ? 1 : 2;
  return `${value.toFixed(digits)} ${unit}`;
}

function targetOf({ target, unit }: Finding): string {
  if (target === undefined) return "";
  const sign = { "at most": "≤", "at least": "≥", exactly: "=" }[target.is];
  return `${sign} ${target.value} ${unit}`;
}

function metOf(finding: Finding, { load }: Anchor): string {
  const met = isMet(finding);
  if (met === undefined) return "";
  if (met) return "yes";
  return load > busyLoad ? "no (busy machine)" : "no";
}

function columns(rows: readonly (readonly string[])[]): string {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => [...(row[column] ?? "")].length)));
  return rows
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join("  ")
        .trimEnd(),
    )
    .join("\n");
}
