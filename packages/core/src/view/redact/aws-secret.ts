import { charClass, digitBit, upperBit } from "./char-class.ts";
import { type Mask, maskValue } from "./mask.ts";

const secretLength = 40;

/** The 40-character secret of an AWS access key, where `[start, end)` is a whole run of `A-Z a-z 0-9 / +`. */
export function awsSecret(text: string, start: number, end: number): Mask | undefined {
  if (end - start !== secretLength || isPathLike(text, start, end)) return undefined;
  let hasUpper = false;
  let hasLower = false;
  let hasDigitOrSymbol = false;
  let hasNonHex = false;
  for (let index = start; index < end; index += 1) {
    const code = text.charCodeAt(index);
    const bits = charClass(code);
    if ((bits & upperBit) !== 0) hasUpper = true;
    else if (code >= 0x61) hasLower = true;
    else hasDigitOrSymbol = true;
    const lower = code | 0x20;
    if (!((bits & digitBit) !== 0 || (lower >= 0x61 && lower <= 0x66))) hasNonHex = true;
  }
  if (!(hasUpper && hasLower && hasDigitOrSymbol && hasNonHex)) return undefined;
  return { start, end, replacement: maskValue(text.slice(start, end)) };
}

/** Padding or an extension behind the run, or a path or name in front of it, says that it is no secret. */
function isPathLike(text: string, start: number, end: number): boolean {
  const after = text[end] ?? "";
  if (after === "=" || after === "_") return true;
  if (after === "." && /[A-Za-z0-9]/.test(text[end + 1] ?? "")) return true;
  const before = text[start - 1] ?? "";
  if (before === "_" || before === "." || before === "~" || before === "@") return true;
  return text[start] === "/" && /^\/[a-z]+\//.test(text.slice(start, start + 12));
}
