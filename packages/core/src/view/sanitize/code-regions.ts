import { findCodeRegions } from "./code-blocks.ts";

/** The code of one text, found when it is first asked for. */
export interface CodeRegions {
  /** True where the character at `index` is code by CommonMark: in a fenced or indented block or in an inline span. */
  contains(index: number): boolean;
  /** Where a fenced block without an end starts, which takes all the rest as code; infinity where there is none. */
  openFence(): number;
}

/** The code of a text: fenced blocks (an unclosed one runs to the end), indented blocks and inline spans. */
export function codeRegions(text: string): CodeRegions {
  let found: ReturnType<typeof findCodeRegions> | undefined;
  const regions = () => {
    found ??= mayHoldCode(text) ? findCodeRegions(text) : { bounds: [], openFence: Number.POSITIVE_INFINITY };
    return found;
  };
  return {
    contains: (index) => isInside(regions().bounds, index),
    openFence: () => regions().openFence,
  };
}

/** A close tag counts although it is in code when that code is an unclosed fence which began inside the tag's own block. */
export function closesOverFence(code: CodeRegions, blockStart: number, closeStart: number): boolean {
  return blockStart < code.openFence() && closeStart > code.openFence();
}

function mayHoldCode(text: string): boolean {
  return (
    text.includes("`") ||
    text.includes("~~~") ||
    /^[ >]*(?: {4}|\t)|^ {0,3}(?:[-+*]|\d{1,9}[.)])[ \t]+(?: {4}|\t)/m.test(text)
  );
}

/** Whether `index` is in one of the regions, given as ascending starts and ends in turn. */
function isInside(bounds: readonly number[], index: number): boolean {
  let low = 0;
  let high = bounds.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((bounds[middle] ?? 0) <= index) low = middle + 1;
    else high = middle;
  }
  return low % 2 === 1;
}
