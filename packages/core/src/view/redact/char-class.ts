/** Bits of `charClass`: what one ASCII character can be a part of. */
export const letterBit = 1;
export const digitBit = 2;
export const upperBit = 4;
/** `_` and `-`. */
export const joinBit = 8;
export const dotBit = 16;
/** `/`, `+` and `=`. */
export const base64Bit = 32;
export const spaceBit = 64;
/** `"`, `'` and the back-tick. */
export const quoteBit = 128;

export const alnumBits = letterBit | digitBit;
export const wordBits = alnumBits | joinBit;
export const dottedBits = wordBits | dotBit;
export const wideBits = dottedBits | base64Bit;

const table = new Uint8Array(128);
for (let code = 0x30; code <= 0x39; code += 1) table[code] = digitBit;
for (let code = 0x41; code <= 0x5a; code += 1) table[code] = letterBit | upperBit;
for (let code = 0x61; code <= 0x7a; code += 1) table[code] = letterBit;
mark("_-", joinBit);
mark(".", dotBit);
mark("/+=", base64Bit);
mark(" \t\n\r\f\v", spaceBit);
mark("\"'`", quoteBit);

function mark(characters: string, bit: number): void {
  for (const character of characters) table[character.charCodeAt(0)] = bit;
}

/** The class bits of a UTF-16 unit; 0 for everything outside ASCII and for NaN (past the end). */
export function charClass(code: number): number {
  return code < 128 ? (table[code] ?? 0) : 0;
}

/** The end of the run of characters of these classes that starts at `from`, looking at most `limit` characters ahead. */
export function runEnd(text: string, from: number, bits: number, limit: number = text.length): number {
  const highest = Math.min(text.length, from + limit);
  let index = from;
  while (index < highest && (charClass(text.charCodeAt(index)) & bits) !== 0) index += 1;
  return index;
}

/** The start of the run of characters of these classes that ends at `end`, looking back at most `limit` characters. */
export function runStart(text: string, end: number, bits: number, limit: number): number {
  const lowest = Math.max(0, end - limit);
  let index = end;
  while (index > lowest && (charClass(text.charCodeAt(index - 1)) & bits) !== 0) index -= 1;
  return index;
}
