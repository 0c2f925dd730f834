/** The signs of the timeline, trees and states; each stands next to a word that says the same. */
export type GlyphName =
  | "out"
  | "in"
  | "announce"
  | "run"
  | "spawn"
  | "wait"
  | "done"
  | "failed"
  | "below"
  | "idle"
  | "running"
  | "cut"
  | "branch"
  | "lastBranch"
  | "trunk";

/** One glyph for each name, all of them narrow. */
export type Glyphs = Readonly<Record<GlyphName, string>>;

const unicodeGlyphs: Glyphs = {
  out: "›",
  in: "‹",
  announce: "»",
  run: "◦",
  spawn: "+",
  wait: "~",
  done: "✓",
  failed: "✗",
  below: "↳",
  idle: "○",
  running: "●",
  cut: "…",
  branch: "├─ ",
  lastBranch: "└─ ",
  trunk: "│  ",
};

const asciiGlyphs: Glyphs = {
  out: ">",
  in: "<",
  announce: ">>",
  run: "o",
  spawn: "+",
  wait: "~",
  done: "ok",
  failed: "!!",
  below: "->",
  idle: "o",
  running: "*",
  cut: "...",
  branch: "|- ",
  lastBranch: "`- ",
  trunk: "|  ",
};

/** The glyphs that a terminal can show: ASCII where the locale is not UTF-8 or the terminal is `dumb`. */
export function glyphsFor(environment: Readonly<Record<string, string | undefined>>, platform: string): Glyphs {
  return showsUnicode(environment, platform) ? unicodeGlyphs : asciiGlyphs;
}

function showsUnicode(environment: Readonly<Record<string, string | undefined>>, platform: string): boolean {
  if (environment["TERM"] === "dumb") return false;
  const locale = environment["LC_ALL"] || environment["LC_CTYPE"] || environment["LANG"];
  if (locale) return /utf-?8/i.test(locale);
  if (platform === "win32") return environment["WT_SESSION"] !== undefined || environment["TERM_PROGRAM"] === "vscode";
  return platform === "darwin";
}
