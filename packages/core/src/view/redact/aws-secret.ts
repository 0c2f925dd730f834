import { charClass, digitBit, upperBit } from "./char-class.ts";
import { type Mask, maskValue } from "./mask.ts";

const secretLength = 40;

/** The 40-character secret of an AWS access key, where `[start, end)` is a whole run of `A-Z a-z 0-9 / +`. */
export function awsSecret(text: string, start: number, end: number): Mask | undefined {
  if (end - start !== secretLength || isPathLike(text, start, end)) return undefined;
  let capitals = 0;
  let digits = 0;
  let hasSymbol = false;
  let hasLower = false;
  let hasDigitOrSymbol = false;
  let hasNonHex = false;
  for (let index = start; index < end; index += 1) {
    const code = text.charCodeAt(index);
    const bits = charClass(code);
    if ((bits & upperBit) !== 0) capitals += 1;
    else if (code >= 0x61) hasLower = true;
    else {
      hasDigitOrSymbol = true;
      if ((bits & digitBit) !== 0) digits += 1;
      else hasSymbol = true;
    }
    const lower = code | 0x20;
    if (!((bits & digitBit) !== 0 || (lower >= 0x61 && lower <= 0x66))) hasNonHex = true;
  }
  if (!(capitals > 0 && hasLower && hasDigitOrSymbol && hasNonHex)) return undefined;
  // A name in camel case has fewer capitals and digits than chance gives.
  if (capitals <= 10 && digits <= 2 && !hasSymbol) return undefined;
  return { start, end, replacement: maskValue(text.slice(start, end)) };
}

/** Padding or an extension behind the run, or a path or name in front of it, says that it is no secret. */
function isPathLike(text: string, start: number, end: number): boolean {
  const after = text[end] ?? "";
  if (after === "=" || after === "_") return true;
  if (after === "." && /[A-Za-z0-9]/.test(text[end + 1] ?? "")) return true;
  const before = text[start - 1] ?? "";
  if (before === "_" || before === "." || before === "~" || before === "@") return true;
  const parts = text.slice(start, end).split("/");
  return parts.length > 2 && parts.every((part) => /^(?:[A-Za-z]?[a-z]*(?:[A-Z][a-z]+)*\d{0,4}|[A-Z]+)$/.test(part));
}
