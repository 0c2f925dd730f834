/** The first part of a tag: `<`, blanks, perhaps `/`, a name. */
export interface TagHead {
  readonly start: number;
  /** Lower case, with its namespace if any, e.g. `mm:think`. */
  readonly name: string;
  readonly isClose: boolean;
  readonly nameEnd: number;
}

/** A whole tag; `end` is behind its `>`. */
export interface Tag extends TagHead {
  readonly end: number;
  readonly isSelfClosing: boolean;
}

const longestName = 40;

/** The next tag head at or behind `from` whose name is wanted; names are matched in any case. */
export function nextTagHead(text: string, from: number, isWanted: (name: string) => boolean): TagHead | undefined {
  for (let start = text.indexOf("<", from); start >= 0; start = text.indexOf("<", start + 1)) {
    if (!mayStartTag(text.charCodeAt(start + 1))) continue;
    const head = tagHeadAt(text, start);
    if (head !== undefined && isWanted(head.name)) return head;
  }
  return undefined;
}

/** False for what can not follow the `<` of a tag that is looked for: spares most of them the reading of a name. */
export function mayStartTag(next: number): boolean {
  return isLetter(next) || next === 0x2f || isSpace(next);
}

/** The tag head whose `<` is at `start`. */
export function tagHeadAt(text: string, start: number): TagHead | undefined {
  let index = skipSpace(text, start + 1);
  const isClose = text.charCodeAt(index) === 0x2f;
  if (isClose) index = skipSpace(text, index + 1);
  const nameStart = index;
  while (index - nameStart <= longestName && isNameUnit(text.charCodeAt(index))) index += 1;
  if (index === nameStart || index - nameStart > longestName) return undefined;
  const next = text.charCodeAt(index);
  const isEnded =
    next === 0x3e || next === 0x2f || next === 0x3d || isSpace(next) || Number.isNaN(next) || next === 0x3c;
  return isEnded ? { start, name: text.slice(nameStart, index).toLowerCase(), isClose, nameEnd: index } : undefined;
}

/** The tag of a head whose attributes are well formed by HTML's rules; a `>` in a quoted value does not end it. */
export function strictTag(text: string, head: TagHead): Tag | undefined {
  let index = head.nameEnd;
  for (;;) {
    const next = skipSpace(text, index);
    const code = text.charCodeAt(next);
    if (code === 0x3e) return { ...head, end: next + 1, isSelfClosing: false };
    if (code === 0x2f) {
      const close = skipSpace(text, next + 1);
      return text.charCodeAt(close) === 0x3e ? { ...head, end: close + 1, isSelfClosing: !head.isClose } : undefined;
    }
    if (next === index) return undefined;
    const end = attributeEnd(text, next);
    if (end === undefined) return undefined;
    index = end;
  }
}

/** The tag of a head that ends at the next `>` outside quotes, whatever stands before it; no `<` may. */
export function looseTag(text: string, head: TagHead): Tag | undefined {
  let quote = 0;
  for (let index = head.nameEnd; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    if (quote !== 0) {
      if (code === quote) quote = 0;
    } else if (code === 0x22 || code === 0x27) quote = code;
    else if (code === 0x3c) return undefined;
    else if (code === 0x3e) {
      const isSelfClosing = !head.isClose && text.slice(head.nameEnd, index).trimEnd().endsWith("/");
      return { ...head, end: index + 1, isSelfClosing };
    }
  }
  return undefined;
}

/** The end of the attributes in front of a payload, where the tag itself was never ended. */
export function attributesEnd(text: string, from: number): number {
  let index = from;
  for (;;) {
    const next = skipSpace(text, index);
    const end = next === index ? undefined : attributeEnd(text, next);
    if (end === undefined) return index;
    index = end;
  }
}

function attributeEnd(text: string, from: number): number | undefined {
  const first = text.charCodeAt(from);
  if (!isLetter(first) && first !== 0x5f && first !== 0x3a) return undefined;
  let index = from + 1;
  while (isNameUnit(text.charCodeAt(index)) || text.charCodeAt(index) === 0x2e) index += 1;
  const equals = skipSpace(text, index);
  if (text.charCodeAt(equals) !== 0x3d) return index;
  const value = skipSpace(text, equals + 1);
  const quote = text.charCodeAt(value);
  if (quote === 0x22 || quote === 0x27) {
    const close = text.indexOf(quote === 0x22 ? '"' : "'", value + 1);
    return close < 0 ? undefined : close + 1;
  }
  let end = value;
  while (end < text.length && !isSpace(text.charCodeAt(end)) && !"\"'=<>`".includes(text.charAt(end))) end += 1;
  return end === value ? undefined : end;
}

/** The first index at or behind `index` that is no white space. */
export function skipSpace(text: string, index: number): number {
  let at = index;
  while (isSpace(text.charCodeAt(at))) at += 1;
  return at;
}

function isSpace(code: number): boolean {
  return code === 0x20 || (code >= 0x09 && code <= 0x0d);
}

function isLetter(code: number): boolean {
  const lower = code | 0x20;
  return lower >= 0x61 && lower <= 0x7a;
}

function isNameUnit(code: number): boolean {
  return isLetter(code) || (code >= 0x30 && code <= 0x39) || code === 0x5f || code === 0x2d || code === 0x3a;
}
