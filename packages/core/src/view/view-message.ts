import type { MessageRole, Provenance } from "../session/message.ts";

/** One block of a message as another session may read it: no thinking, no image data. */
export type ViewBlock =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "toolCall"; readonly id: string; readonly name: string; readonly arguments: unknown }
  | { readonly type: "image"; readonly omitted: true; readonly bytes: number };

/** A message as another session may read it; `timestamp` is in milliseconds since 1970. */
export interface ViewMessage {
  readonly seq: number;
  readonly id: string;
  readonly role: MessageRole;
  readonly content: string | ViewBlock[];
  readonly timestamp: number;
  readonly provenance?: Provenance;
  readonly runId?: string;
  readonly toolCallId?: string;
  readonly isError?: boolean;
  readonly pending?: true;
  readonly unreadable?: true;
}
