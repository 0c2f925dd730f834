import type { CodeRegions } from "./code-regions.ts";
import { cutsOf } from "./stage.ts";

const callLine = /(?:tool[-_ ]?call|tool[-_ ]?result|function[-_ ]?call)[ \t]*[:=]/gi;
const channelLine = /(?:commentary|analysis|final)[ \t]+to=[\w.-]/gi;
const pictures = ["📊", "🛠", "📖", "📝", "🔍", "🔎", "⚙"];
const picturedLine =
  /^(?:📊|🛠|📖|📝|🔍|🔎|⚙)\uFE0F?[ \t]*(?:Session Status|Exec|Read|Edit|Write|Patch|Search|Open|Click|Find|Screenshot|Update Plan|Tool Call|Tool Result|Function Call|Shell|Command)[ \t]*:/i;
const failedLine = /^🛠\uFE0F?[ \t]+\S.*[ \t]\(agent\)`{0,2}[ \t]+failed(?:[ \t]*:.*)?$/i;
const commandLine =
  /^🛠\uFE0F?[ \t]*(?:(?:elevated|pty)\b[ \t]*[·,][ \t]*){0,3}(?:`{1,2}[ \t]*\S|(?:run|check|fetch|pull|push|view|show|list|switch|create|merge|rebase|stage|restore|reset|stash|search|find|print|copy|move|remove|install|start|cd|git|pnpm|npm|yarn|bun|node|python3?|bash|sh)\b)/i;
const harmonyCall = /^(?:commentary|analysis|final)[ \t]+to=[\w.-]{1,120}(?:[ \t]|$)/i;

/** True where a text may hold a line that traces a tool's use. */
export function mayHoldTraceLine(text: string): boolean {
  return (
    pictures.some((picture) => text.includes(picture)) ||
    callLine.test(reset(text, callLine)) ||
    channelLine.test(reset(text, channelLine))
  );
}

/** Takes whole lines out that only trace a tool's use, such as `🛠️ Exec: ls` or `tool_call: ls`. */
export function stripTraceLines(text: string, code: CodeRegions): string {
  const cuts = cutsOf(text);
  for (let start = 0; start < text.length; ) {
    const newline = text.indexOf("\n", start);
    const end = newline < 0 ? text.length : newline + 1;
    if (isTraceLine(text.slice(start, newline < 0 ? end : newline)) && !code.contains(firstVisible(text, start)))
      cuts.remove(start, end);
    start = end;
  }
  return cuts.result();
}

function isTraceLine(line: string): boolean {
  const first = /[^\s>]/.exec(line.slice(0, 200))?.index;
  if (first === undefined) return false;
  const body = line.slice(first, first + 4096).trimEnd();
  const head = body.charCodeAt(0) | 0x20;
  if (head === 0x74 || head === 0x66 || head === 0x63 || head === 0x61) {
    callLine.lastIndex = 0;
    const call = callLine.exec(body.slice(0, 80));
    // `toolCall:` is a property in code.
    return (call?.index === 0 && !/[a-z][A-Z]/.test(call[0])) || harmonyCall.test(body);
  }
  if (body.charCodeAt(0) < 0x2000) return false;
  const pictured = body.replace(/^⚠\uFE0F?[ \t]*/, "");
  return picturedLine.test(pictured) || commandLine.test(pictured) || failedLine.test(pictured);
}

function firstVisible(text: string, start: number): number {
  let index = start;
  while (text[index] === " " || text[index] === ">" || text[index] === "\t") index += 1;
  return index;
}

function reset(text: string, pattern: RegExp): string {
  pattern.lastIndex = 0;
  return text;
}
