import { readMessageBody } from "../codec/decode.ts";
import type { Row } from "../statement.ts";
import { messageText } from "./message-text.ts";
import { wordsOf } from "./words.ts";

/** Messages that are added to an index at once, at most. */
export const indexBatchRows = 200;
const batchBytes = 512 * 1024;

/** The `rowNo` at which a batch ends, of rows with `rowNo` and `bytes`: at its size, but after one row at least. */
export function lastOfBatch(rows: readonly Row[]): unknown {
  let bytes = 0;
  let last: unknown;
  for (const row of rows) {
    bytes += Number(row["bytes"]);
    if (last !== undefined && bytes > batchBytes) break;
    last = row["rowNo"];
  }
  return last;
}

/** The words by which a row with `role` and `body` is found, in order; entries of the system have none. */
export function searchedWords(row: Row): readonly string[] {
  return row["role"] === "system" ? [] : wordsOf(messageText(readMessageBody(String(row["body"]))));
}
