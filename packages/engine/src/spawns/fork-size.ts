import { resolveAgent } from "@trunkline/core";
import type { Engine } from "../engine.ts";
import type { ResolvedCaller } from "../sessions/resolved-caller.ts";

const bytesPerToken = 4;

/** Whether a transcript is too large to fork: the larger of the last reported input tokens and a quarter of its bytes. */
export async function forkSize(
  engine: Engine,
  caller: ResolvedCaller,
): Promise<{ readonly tooLarge: boolean; readonly note: string }> {
  const { session, run } = caller;
  // What the running turn has said before it asked belongs to the fork; a failed write is reported by the run itself.
  if (run) await engine.live.get(run.id)?.progress.catch(() => undefined);
  const limit = resolveAgent(engine.config, caller.agentId).subagents.forkMaxTokens;
  let bytes = 0;
  let beyondSeq: number | undefined;
  for (let more = true; more && bytes <= limit * bytesPerToken; ) {
    const page = await engine.store.readMessages({
      sessionRow: session.id,
      firstSeq: session.firstSeq,
      classes: [0, 1, 2],
      from: "oldest",
      limit: 500,
      withoutPending: true,
      ...(beyondSeq === undefined ? {} : { beyondSeq }),
    });
    bytes += page.messages.reduce((sum, message) => sum + message.bytes, 0);
    more = page.more;
    beyondSeq = page.messages.at(-1)?.seq;
  }
  const tokens = Math.max(session.contextTokens, Math.ceil(bytes / bytesPerToken));
  return {
    tooLarge: tokens > limit,
    note: `the transcript is too large to fork (about ${tokens} tokens, at most ${limit}); the child starts isolated`,
  };
}
