import {
  type ListResourcesResult,
  ProtocolError,
  ProtocolErrorCode,
  type ReadResourceResult,
  ResourceNotFoundError,
  type ResourceTemplateType,
} from "@modelcontextprotocol/server";
import { type Caller, type ToolHost, ToolInputError } from "@trunkline/core";

const mimeType = "application/json";
const address = /^trunkline:\/\/sessions\/([^/?#]+)\/transcript$/u;

/** How a client makes the address of a transcript out of a session key. */
export const transcriptTemplate: ResourceTemplateType = {
  name: "transcript",
  title: "Transcript of a session",
  uriTemplate: "trunkline://sessions/{sessionKey}/transcript",
  description: "The newest messages of a session that you may read, as sessions_history gives them.",
  mimeType,
};

/** The transcripts that a caller may read, newest first, by pages of 50: the rows of `sessions_list`. */
export async function listTranscripts(host: ToolHost, caller: Caller, cursor?: string): Promise<ListResourcesResult> {
  const listing = await listSessions(host, caller, cursor);
  // A session without the tool for it lists nothing.
  if ("status" in listing) return { resources: [] };
  const { sessions, nextCursor } = listing;
  return {
    resources: sessions.map(({ key, label, displayName, kind, channel, updatedAt }) => ({
      uri: `trunkline://sessions/${encodeURIComponent(key)}/transcript`,
      name: key,
      title: label ?? displayName ?? key,
      description: `${kind} session, channel ${channel}`,
      mimeType,
      annotations: { lastModified: new Date(updatedAt).toISOString() },
    })),
    ...(nextCursor === undefined ? {} : { nextCursor }),
  };
}

/** One transcript through the view. Hidden and missing sessions, and addresses that are none, are not found alike. */
export async function readTranscript(host: ToolHost, caller: Caller, uri: string): Promise<ReadResourceResult> {
  const sessionKey = sessionKeyOf(uri);
  if (sessionKey === undefined) throw new ResourceNotFoundError(uri);
  const history = await readHistory(host, caller, sessionKey);
  if ("status" in history) throw new ResourceNotFoundError(uri, history.error);
  return { contents: [{ uri, mimeType, text: JSON.stringify(history) }] };
}

async function listSessions(host: ToolHost, caller: Caller, cursor: string | undefined) {
  try {
    return await host.callTool(caller, "sessions_list", cursor === undefined ? {} : { cursor });
  } catch (error) {
    if (!ToolInputError.isInstance(error)) throw error;
    throw new ProtocolError(ProtocolErrorCode.InvalidParams, "the cursor is not one of this listing");
  }
}

async function readHistory(host: ToolHost, caller: Caller, sessionKey: string) {
  try {
    return await host.callTool(caller, "sessions_history", { sessionKey });
  } catch (error) {
    // A text that no parameter takes is no session either.
    if (ToolInputError.isInstance(error)) return { status: "error", error: error.message } as const;
    throw error;
  }
}

function sessionKeyOf(uri: string): string | undefined {
  const encoded = address.exec(uri)?.[1];
  if (encoded === undefined) return undefined;
  try {
    return decodeURIComponent(encoded);
  } catch (error) {
    if (error instanceof URIError) return undefined;
    throw error;
  }
}
