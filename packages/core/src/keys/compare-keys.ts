const encoder = new TextEncoder();

/** The length of a text in bytes of UTF-8. */
export function utf8ByteLength(text: string): number {
  return encoder.encode(text).length;
}

/** Orders two keys by their UTF-8 bytes, as every store does: negative, zero or positive. */
export function compareKeys(a: string, b: string): number {
  const length = Math.min(a.length, b.length);
  for (let index = 0; index < length; index += 1) {
    const left = a.charCodeAt(index);
    const right = b.charCodeAt(index);
    if (left !== right) return byteRank(left) - byteRank(right);
  }
  return a.length - b.length;
}

// Surrogates stand for code points above U+FFFF, so they sort after U+E000–U+FFFF in UTF-8.
function byteRank(unit: number): number {
  if (unit < 0xd800) return unit;
  return unit >= 0xe000 ? unit - 0x800 : unit + 0x2000;
}
