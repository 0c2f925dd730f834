import type { RunMessage, RunRequest, RunResult } from "@trunkline/core";
import { z } from "zod";
import { type AgentTurn, hasStatus, messageText, startTurn } from "./agent-turn.ts";
import { keepBestPoints, keepShort, nameOrdinals } from "./choose-points.ts";
import { composePoints, formatDraft, parseDraft } from "./draft.ts";
import { askedAgainLine, parseQuestion } from "./question.ts";
import { parseReports, type ReaderReport } from "./reader-report.ts";
import { formatTask } from "./reader-task.ts";

/** A document that the coordinator may hand to a reader. */
export interface CoordinatorDocument {
  readonly name: string;
  /** From the working directory, or absolute. */
  readonly file: string;
}

/** What the coordinator does that no event of the engine tells. */
export interface CoordinatorObserver {
  documentsToRead(runId: string, count: number, alreadyRead: number): void;
  spawned(runId: string, document: string, childSessionKey: string, tookMs: number): void;
  yielded(runId: string, readers: number): void;
  composing(runId: string, counts: { readonly results: number; readonly readers: number }): void;
  sent(runId: string, text: string): void;
}

export interface CoordinatorOptions {
  documents(): Promise<readonly CoordinatorDocument[]>;
  readonly observer: CoordinatorObserver;
  readonly wordLimit: number;
  readonly editorKey: string;
}

/** The coordinator: one reader for each document, then the best sentences to the editor, then a word on what to cut. */
export async function runCoordinator(request: RunRequest, options: CoordinatorOptions): Promise<RunResult> {
  const turn = startTurn(request);
  if (request.run.kind === "turn") return turn.end(answerProposal(request));
  if (request.run.kind === "resume") return compose(request, turn, options);
  if (request.run.kind !== "inbound") return turn.end("");
  return beginReading(request, turn, options);
}

async function beginReading(request: RunRequest, turn: AgentTurn, options: CoordinatorOptions): Promise<RunResult> {
  const { question, again } = parseQuestion(request.prompt);
  const documents = await options.documents();
  const finished = new Set(again ? finishedReports(request.messages, "").map(({ document }) => document) : []);
  const missing = documents.filter(({ name }) => !finished.has(name));
  const runId = request.run.id;
  options.observer.documentsToRead(runId, missing.length, documents.length - missing.length);
  let accepted = 0;
  for (const { name, file } of missing) {
    const started = performance.now();
    const task = formatTask({ document: name, file, question });
    const result = await turn.call("sessions_spawn", { task, label: name, idempotencyKey: `${runId}:${name}` });
    if (!hasStatus(result, "accepted")) continue;
    accepted += 1;
    options.observer.spawned(runId, name, childKeyOf(result), performance.now() - started);
  }
  if (accepted === 0) return compose(request, turn, options);
  options.observer.yielded(runId, accepted);
  await turn.call("sessions_yield", { message: `Question: ${question}` });
  return turn.end("");
}

async function compose(request: RunRequest, turn: AgentTurn, options: CoordinatorOptions): Promise<RunResult> {
  const reports = finishedReports(request.messages, request.prompt);
  const expected = await expectedReaders(turn, request, reports);
  const unread = expected.filter(({ label }) => !reports.some(({ document }) => document === label));
  const runId = request.run.id;
  options.observer.composing(runId, { results: reports.length, readers: reports.length + unread.length });
  const notes = notesOn(unread);
  const draft = { wordLimit: options.wordLimit, points: composePoints(reports), notes };
  const message = formatDraft(draft);
  const args = { sessionKey: options.editorKey, message, timeoutSeconds: 0, idempotencyKey: `${runId}:draft` };
  const result = await turn.call("sessions_send", args);
  if (!hasStatus(result, "accepted")) throw new Error("the editor could not be reached");
  options.observer.sent(runId, message);
  return turn.end(`The draft of ${draft.points.length} points is with the editor.`);
}

/** One remark for each way in which readers failed, naming their documents. */
function notesOn(unread: readonly { readonly label: string; readonly outcome: string }[]): readonly string[] {
  const outcomes = [...new Set(unread.map(({ outcome }) => outcome))];
  return outcomes.map((outcome) => {
    const labels = unread.filter((reader) => reader.outcome === outcome).map(({ label }) => label);
    const [one, ...others] = labels;
    if (others.length === 0) return `Not read: ${one}, its reader was ${outcome}.`;
    return `Not read: ${labels.join(", ")}; their ${labels.length} readers were ${outcome}.`;
  });
}

/** The readers whose results stand in this turn's input and did not succeed, by what the engine says of them. */
async function expectedReaders(
  turn: AgentTurn,
  { prompt }: RunRequest,
  reports: readonly ReaderReport[],
): Promise<readonly { readonly label: string; readonly outcome: string }[]> {
  const failed = [...prompt.matchAll(/^Status: (?!success)(\w+)[\s\S]*?^Stats: .*sessionKey (\S+)/gmu)];
  if (failed.length === 0) return [];
  const listed = await turn.call("subagents", { action: "list" });
  return failed.flatMap(([, outcome, key]) => {
    const label = labelOf(listed, key ?? "");
    return label === undefined || reports.some(({ document }) => document === label)
      ? []
      : [{ label, outcome: outcome === "error" ? "stopped by an error" : (outcome ?? "unknown") }];
  });
}

/** What readers found for this question so far: in the input, and in the transcript since it was first asked. */
function finishedReports(messages: readonly RunMessage[], prompt: string): readonly ReaderReport[] {
  const asked = messages.findLastIndex(
    ({ role, provenance, content }) =>
      role === "user" && isFromHuman(provenance?.kind) && !messageText(content).includes(askedAgainLine),
  );
  const entries = messages
    .slice(asked + 1)
    .filter(({ provenance }) => provenance?.kind === "subagent_completion")
    .map(({ content }) => messageText(content));
  return parseReports([...entries, prompt].join("\n\n"));
}

function isFromHuman(kind: string | undefined): boolean {
  return kind === undefined || kind === "human" || kind === "operator" || kind === "channel";
}

/** The coordinator knows the order by score: it agrees where the editor keeps the best, else names what to keep. */
function answerProposal({ messages, prompt }: RunRequest): string {
  if (!/^\d+ words: /mu.test(prompt)) return "REPLY_SKIP";
  const sent = messages.findLast(({ role, content }) => role === "assistant" && draftIn(content) !== undefined);
  const draft = sent === undefined ? undefined : draftIn(sent.content);
  if (draft === undefined || draft.points.length === 0) return "Yes, publish it.";
  const best = keepBestPoints(draft);
  if (best.length === draft.points.length) return "Yes, keep all of it.";
  const agreed = best.join() === keepShort(draft).join();
  return `${agreed ? "Yes" : "No"}, keep ${nameOrdinals(best)}.`;
}

function draftIn(content: RunMessage["content"]) {
  if (typeof content === "string") return undefined;
  const call = content.find((block) => block.type === "toolCall" && block.name === "sessions_send");
  const args = call?.type === "toolCall" ? call.arguments : undefined;
  const message = typeof args === "object" && args !== null && "message" in args ? args.message : undefined;
  return typeof message === "string" ? parseDraft(message) : undefined;
}

const childKeySchema = z.object({ childSessionKey: z.string() });
const rowSchema = z.object({ childSessionKey: z.string(), label: z.string().optional() });
const listSchema = z.object({ active: z.array(rowSchema), recent: z.array(rowSchema) });

function childKeyOf(result: unknown): string {
  return childKeySchema.safeParse(result).data?.childSessionKey ?? "";
}

function labelOf(listed: unknown, key: string): string | undefined {
  const { active = [], recent = [] } = listSchema.safeParse(listed).data ?? {};
  return [...active, ...recent].find(({ childSessionKey }) => childSessionKey === key)?.label;
}
