import { oneLine } from "../../terminal/printable.ts";

/** What a reader is told to do. */
export interface ReaderTask {
  /** The document's name for people. */
  readonly document: string;
  /** Where it lies, from the working directory or absolute. */
  readonly file: string;
  readonly question: string;
}

/** The task as the coordinator spawns it: all that a reader needs, also in another process. */
export function formatTask({ document, file, question }: ReaderTask): string {
  return [
    "Read one document and keep the sentences that answer the question best.",
    `Document: ${document}`,
    `File: ${file}`,
    `Question: ${oneLine(question)}`,
  ].join("\n");
}

/** Reads a task back from a prompt; `undefined` where there is none. */
export function parseTask(prompt: string): ReaderTask | undefined {
  const document = /^Document: (.+)$/mu.exec(prompt)?.[1];
  const file = /^File: (.+)$/mu.exec(prompt)?.[1];
  const question = /^Question: (.+)$/mu.exec(prompt)?.[1];
  return document === undefined || file === undefined || question === undefined
    ? undefined
    : { document, file, question };
}
