import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import type { RunRequest, RunResult } from "@trunkline/core";
import { extractSentences } from "../../documents/extract-sentences.ts";
import { keepBest, scoreSentences } from "../../documents/score-sentences.ts";
import { messageText, startTurn } from "./agent-turn.ts";
import { formatReport } from "./reader-report.ts";
import { parseTask } from "./reader-task.ts";

const sentencesKept = 3;

/** A reader: reads its document and keeps the sentences that fit the question. Throws where the document cannot be read. */
export async function runReader(request: RunRequest, workingDirectory: string): Promise<RunResult> {
  const turn = startTurn(request);
  if (request.run.kind === "child_announce") return turn.end(lastOwnText(request));
  const task = parseTask(request.prompt);
  if (task === undefined) return turn.end("I read one document for a coordinator; there is no task in this message.");
  const source = await readFile(resolve(workingDirectory, task.file), "utf8");
  const sentences = extractSentences(source);
  const kept = keepBest(scoreSentences(sentences, task.question), sentencesKept);
  return turn.end(formatReport({ document: task.document, sentences: sentences.length, kept }));
}

function lastOwnText({ messages }: RunRequest): string {
  const last = messages.findLast(({ role }) => role === "assistant");
  return last === undefined ? "" : messageText(last.content);
}
