import { setTimeout } from "node:timers/promises";
import { coordinatorKey, editorKey } from "../runtime/demo-setup.ts";
import type { LocalTrunkline } from "../runtime/open-local.ts";
import { formatQuestion, parseQuestion } from "./agents/question.ts";
import { openingText } from "./agents/run-editor.ts";
import {
  type AskedQuestion,
  deliveredAnswer,
  findDemoSession,
  hasUnfinishedWork,
  lastQuestion,
  questionText,
} from "./demo-records.ts";
import type { DemoScreen } from "./demo-screen.ts";
import type { DemoSummary } from "./demo-summary.ts";
import type { DocumentsToRead } from "./documents-to-read.ts";
import type { Narrator } from "./narrate-event.ts";
import { recallEarlier } from "./recall-earlier.ts";
import { summariseDemo } from "./summarise-demo.ts";

export interface DemoPlay {
  readonly local: LocalTrunkline;
  readonly screen: DemoScreen;
  readonly narrator: Narrator;
  readonly question: string;
  readonly found: DocumentsToRead;
  readonly storeName: string;
}

const patienceMs = 3_600_000;
const lookEveryMs = 100;

/** Asks the question, or lets an unfinished one come to its end first and asks it anew where no answer came of it. */
export async function playDemo(play: DemoPlay): Promise<DemoSummary> {
  const { local, found, screen, storeName } = play;
  const started = performance.now();
  const before = await lastQuestion(local.store);
  const unfinished = before !== undefined && (await hasUnfinishedWork(local.store)) ? before : undefined;
  screen.header({
    run: unfinished?.number ?? (before?.number ?? 0) + 1,
    documents: found.documents.length,
    total: found.total,
    place: found.place,
    store: storeName,
    ...(unfinished === undefined ? {} : { resuming: whatWasDone(unfinished) }),
  });
  const asked = unfinished === undefined ? await ask(play, false) : await goOn(play, unfinished);
  return summariseDemo(local.store, asked, performance.now() - started);
}

function whatWasDone({ readers }: AskedQuestion): string {
  const settled = readers.filter(({ state }) => state === "settled").length;
  return readers.length === 0 ? "its question was waiting" : `${settled} of ${readers.length} readers had finished`;
}

async function goOn(play: DemoPlay, unfinished: AskedQuestion): Promise<AskedQuestion> {
  const { local, screen, narrator } = play;
  const editor = await findDemoSession(local.store, editorKey);
  const text = await questionText(local.store, unfinished);
  for (const entry of recallEarlier({ question: unfinished, text, editorRow: editor?.id, narrator }))
    screen.entry(entry);
  await local.trunkline.start();
  await untilDone(local);
  const ended = await questionNow(local);
  if (deliveredAnswer(ended) !== undefined) return ended;
  screen.entry({
    type: "asked_again",
    at: Date.now(),
    who: "demo",
    glyph: "run",
    verb: "again",
    text: `run ${ended.number} was interrupted and has no answer: asked anew as run ${ended.number + 1}`,
    sessionKey: coordinatorKey,
    session: { name: "main" },
  });
  const asked = await ask({ ...play, question: parseQuestion(text).question }, true);
  return { ...asked, readers: [...ended.readers, ...asked.readers] };
}

async function ask({ local, question }: DemoPlay, again: boolean): Promise<AskedQuestion> {
  const { trunkline } = local;
  await trunkline.start();
  await openEditor(local);
  await trunkline.submit({ sessionKey: coordinatorKey, text: formatQuestion({ question, again }), actor: "human" });
  await untilDone(local);
  return questionNow(local);
}

/** Also waits for what a process that looks alive still holds: until its lease is over, or for another demo to finish. */
async function untilDone({ store, trunkline }: LocalTrunkline): Promise<void> {
  for (const until = Date.now() + patienceMs; Date.now() < until; await setTimeout(lookEveryMs)) {
    await trunkline.waitForIdle({ timeoutMs: patienceMs });
    if (!(await hasUnfinishedWork(store))) return;
  }
}

/** The editor's session exists once a message came in on its channel; its label is what `send editor` finds. */
async function openEditor({ store, trunkline }: LocalTrunkline): Promise<void> {
  const editor = await findDemoSession(store, editorKey);
  if (editor?.label === "editor") return;
  const peer = { kind: "channel", id: "demo" } as const;
  await trunkline.receive({ channel: "console", peer, text: openingText, idempotencyKey: "demo:open" });
  await trunkline.waitForIdle({ timeoutMs: patienceMs });
  await trunkline.patchSession(editorKey, { label: "editor" });
}

async function questionNow({ store }: LocalTrunkline): Promise<AskedQuestion> {
  const question = await lastQuestion(store);
  if (question === undefined) throw new Error("the question is not in the store");
  return question;
}
