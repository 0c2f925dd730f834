import {
  type MessageRecord,
  maxRowMessagesBytes,
  type SessionRecord,
  type ToolInput,
  textOf,
  viewMessages,
  viewText,
} from "@trunkline/core";
import type { Engine } from "../engine.ts";
import { toRunMessage } from "../runs/to-run-message.ts";
import type { SessionRow } from "./session-row.ts";

type Input = ToolInput<"sessions_list">;

const maxResultBytes = 256 * 1024;
const titleUnits = 60;
const previewUnits = 240;

/** Adds titles, previews and last messages to rows, all through the view, with a constant number of queries. */
export async function enrichRows(
  engine: Engine,
  rows: readonly SessionRow[],
  sessions: readonly SessionRecord[],
  input: Input,
): Promise<SessionRow[]> {
  const shown = await readShown(engine, sessions, input);
  const tails = input.messageLimit > 0 ? await readTails(engine, sessions, input.messageLimit) : undefined;
  const enriched = rows.map((row, index) => {
    const session = sessions[index];
    if (!session) return row;
    const title = input.includeDerivedTitles ? titleOf(session, shown.get(session.titleMessage ?? "")) : undefined;
    const last = input.includeLastMessage ? shown.get(session.lastMessage ?? "") : undefined;
    const tail = tails?.[index];
    return {
      ...row,
      ...(title === undefined ? {} : { derivedTitle: title }),
      ...(last ? { lastMessagePreview: previewOf(last) } : {}),
      ...(tail ? { messages: viewMessages(tail.map(toStored), { maxBytes: maxRowMessagesBytes }).messages } : {}),
    };
  });
  return tails ? withinBounds(enriched) : enriched;
}

async function readShown(
  engine: Engine,
  sessions: readonly SessionRecord[],
  input: Input,
): Promise<ReadonlyMap<string, MessageRecord>> {
  const ids = sessions.flatMap(({ titleMessage, lastMessage }) => [
    ...(input.includeDerivedTitles && titleMessage !== null ? [titleMessage] : []),
    ...(input.includeLastMessage && lastMessage !== null ? [lastMessage] : []),
  ]);
  const found = await engine.store.read([...new Set(ids)].map((id) => ({ get: "message", key: id }) as const));
  return new Map(found.flatMap((message) => (message ? [[message.id, message]] : [])));
}

function readTails(engine: Engine, sessions: readonly SessionRecord[], limit: number) {
  return engine.store.readTails({
    sessions: sessions.map(({ id, firstSeq }) => ({ sessionRow: id, firstSeq })),
    classes: [0],
    limit,
  });
}

function titleOf(session: SessionRecord, first: MessageRecord | undefined): string | undefined {
  const given = session.label ?? session.displayName;
  const text = given ?? (first ? textOf(first.body.content) : undefined);
  if (text === undefined) return undefined;
  const title = viewText(text, titleUnits, { sanitize: false }).replace(/\s+/g, " ");
  return title === "" ? undefined : title;
}

function previewOf(message: MessageRecord): string {
  return viewText(textOf(message.body.content), previewUnits, { sanitize: message.role === "assistant" });
}

/** A result that would be too large leaves messages out, from the last row upwards, and says so. */
function withinBounds(rows: readonly SessionRow[]): SessionRow[] {
  const kept = [...rows];
  let bytes = kept.reduce((sum, row) => sum + sizeOf(row), 0);
  for (let index = kept.length - 1; index >= 0 && bytes > maxResultBytes; index--) {
    const row = kept[index];
    if (!row?.messages) continue;
    const { messages: _messages, ...rest } = row;
    const smaller: SessionRow = { ...rest, messagesOmitted: true };
    bytes -= sizeOf(row) - sizeOf(smaller);
    kept[index] = smaller;
  }
  return kept;
}

function sizeOf(row: SessionRow): number {
  return Buffer.byteLength(JSON.stringify(row));
}

/** A row as the view reads it. */
export function toStored(message: MessageRecord) {
  return toRunMessage(message);
}
