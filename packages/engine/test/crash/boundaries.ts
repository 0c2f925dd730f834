import type { ScenarioName } from "./scenarios.ts";

const arriving = ["admit.before-commit", "admit.after-commit"];
const running = ["claim.after-commit", "start.after-commit", "runner.after-return", "complete.after-commit"];
const posting = ["delivery.before-attempt", "delivery.after-intent", "delivery.after-send", "delivery.after-record"];
const during = (...kinds: readonly string[]) => kinds.map((kind) => `runner.during ${kind}`);

/** Where each story is cut off. */
export const boundariesOf: { readonly [N in ScenarioName]: readonly string[] } = {
  exchange: [
    ...arriving,
    ...running,
    ...posting,
    ...during("inbound", "send", "turn", "flow_announce"),
    "flow.turn-queued",
    "flow.announce-queued",
  ],
  inline: [...running, ...during("inbound", "send"), "send.reply-returned", "after the send", "admit.after-commit"],
  late: ["send.wait-expired", "after the send", ...during("send"), "complete.after-commit"],
  parts: [...posting, "delivery.between-parts"],
  keyedParts: [...posting, "delivery.between-parts"],
  progress: ["progress.after-commit", "runner.after-return"],
  notice: ["notice.taken", "complete.after-commit", "runner.after-return"],
  steer: ["steer.accepted", "after the input", "admit.after-commit", "runner.after-return", "complete.after-commit"],
  family: [
    ...running,
    ...during("inbound", "child", "child_announce", "resume"),
    "spawn.after-commit",
    "yield.after-mark",
    "yield.after-commit",
    "child.ended",
    "settle.after-commit",
    "delivery.after-intent",
  ],
  nested: [
    "claim.after-commit",
    "complete.after-commit",
    ...during("child", "child_announce", "continuation"),
    "child.ended",
    "settle.after-commit",
  ],
  cleanup: [...posting, "settle.after-commit", "cleanup.partial", "purge.partial"],
  cancel: ["spawn.after-commit", "complete.after-commit", "settle.after-commit", "cancel.partial-cascade"],
  thread: ["spawn.thread-created", "spawn.after-commit"],
};
