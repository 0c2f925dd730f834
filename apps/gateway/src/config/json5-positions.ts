/** A place in a text, counted from 1. */
export interface TextPosition {
  readonly line: number;
  readonly column: number;
}

type Node =
  | { readonly kind: "object"; readonly entries: readonly Entry[] }
  | { readonly kind: "array"; readonly items: readonly Item[] }
  | { readonly kind: "scalar" };

interface Item {
  readonly offset: number;
  readonly value: Node;
}

interface Entry extends Item {
  readonly key: string;
}

/**
 * Where a setting stands in a JSON5 text that has parsed before: the key of `session.agentToAgent`, the start of `agents.list[0]`.
 * The longest part of the path that exists decides; `undefined` where not even its first part does.
 */
export function findInJson5(source: string, path: string): TextPosition | undefined {
  let node: Node | undefined = readDocument(source);
  let rest = path;
  let offset: number | undefined;
  while (node !== undefined && rest !== "") {
    const step = nextStep(node, rest);
    if (step === undefined) break;
    offset = step.item.offset;
    node = step.item.value;
    rest = step.rest;
  }
  return offset === undefined ? undefined : positionAt(source, offset);
}

/** Line and column of an offset in UTF-16 units. */
export function positionAt(source: string, offset: number): TextPosition {
  const before = source.slice(0, offset).split(/\r\n|[\n\r\u2028\u2029]/u);
  return { line: before.length, column: (before.at(-1)?.length ?? 0) + 1 };
}

function nextStep(node: Node, path: string): { readonly item: Item; readonly rest: string } | undefined {
  if (node.kind === "array") {
    const index = /^\[(\d+)\]\.?/u.exec(path);
    const item = node.items[Number(index?.[1] ?? -1)];
    return item && { item, rest: path.slice(index?.[0].length ?? 0) };
  }
  if (node.kind === "scalar") return undefined;
  const item = node.entries
    .filter(({ key }) => path === key || (path.startsWith(key) && /^[.[]/u.test(path.slice(key.length))))
    .toSorted((left, right) => left.key.length - right.key.length)
    .at(-1);
  return item && { item, rest: path.slice(item.key.length).replace(/^\./u, "") };
}

function readDocument(source: string): Node {
  let at = 0;

  function skipSpace(): void {
    const space = /(?:\s|\ufeff|\/\/[^\n\r\u2028\u2029]*|\/\*[\s\S]*?\*\/)*/uy;
    space.lastIndex = at;
    at += space.exec(source)?.[0].length ?? 0;
  }

  function readToken(): string {
    const token = /"(?:[^"\\]|\\[\s\S])*"|'(?:[^'\\]|\\[\s\S])*'|[^\s,:[\]{}"']+/uy;
    token.lastIndex = at;
    const text = token.exec(source)?.[0] ?? source.slice(at, at + 1);
    at += text.length;
    return text;
  }

  function readItems(close: string, readOne: () => void): void {
    at += 1;
    for (skipSpace(); at < source.length && source[at] !== close; skipSpace()) {
      readOne();
      skipSpace();
      if (source[at] === ",") at += 1;
    }
    at += 1;
  }

  function readValue(): Node {
    if (source[at] === "{") {
      const entries: Entry[] = [];
      readItems("}", () => {
        const offset = at;
        const key = unquote(readToken());
        skipSpace();
        at += 1;
        skipSpace();
        entries.push({ key, offset, value: readValue() });
      });
      return { kind: "object", entries };
    }
    if (source[at] === "[") {
      const items: Item[] = [];
      readItems("]", () => {
        items.push({ offset: at, value: readValue() });
      });
      return { kind: "array", items };
    }
    readToken();
    return { kind: "scalar" };
  }

  skipSpace();
  return readValue();
}

function unquote(token: string): string {
  return /^["']/u.test(token) ? token.slice(1, -1).replace(/\\([\s\S])/gu, "$1") : token;
}
