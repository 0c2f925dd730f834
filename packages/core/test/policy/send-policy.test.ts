import { expect, test } from "vitest";
import { parseConfig } from "../../src/config/parse-config.ts";
import type { TrunklineConfigInput } from "../../src/config/trunkline-config.ts";
import { type SendSubject, sendDecision } from "../../src/policy/send-policy.ts";

type Policy = NonNullable<TrunklineConfigInput["session"]>["sendPolicy"];

const subject: SendSubject = { channel: "discord", chatType: "group", sessionKey: "agent:a:discord:group:9" };

function allowed(sendPolicy: Policy, change: Partial<SendSubject> = {}): boolean {
  return sendDecision(parseConfig({ session: { sendPolicy } }), { ...subject, ...change }).allowed;
}

const denyAll = { match: {}, action: "deny" } as const;
const allowAll = { match: {}, action: "allow" } as const;

test("without a policy everything may leave", () => {
  expect(allowed({})).toBe(true);
  expect(allowed({ default: "deny" })).toBe(false);
});

test("a matching deny wins over a matching allow, in either order", () => {
  expect(allowed({ rules: [allowAll, denyAll] })).toBe(false);
  expect(allowed({ rules: [denyAll, allowAll] })).toBe(false);
  expect(allowed({ rules: [allowAll], default: "deny" })).toBe(true);
});

test("the session's own setting wins over every rule; inherit leaves it to them", () => {
  expect(allowed({ rules: [denyAll] }, { override: "allow" })).toBe(true);
  expect(allowed({ rules: [allowAll] }, { override: "deny" })).toBe(false);
  expect(allowed({ rules: [denyAll] }, { override: "inherit" })).toBe(false);
});

test.each([
  [{ channel: "discord" }, {}, true],
  [{ channel: "Discord" }, {}, true],
  [{ channel: "slack" }, {}, false],
  [{ chatType: "group" }, {}, true],
  [{ chatType: "group" }, { chatType: "channel" }, true],
  [{ chatType: "channel" }, { chatType: "channel" }, true],
  [{ chatType: "channel" }, {}, false],
  [{ chatType: "direct" }, {}, false],
  [{ chatType: "group" }, { chatType: "direct" }, false],
  [{ keyPrefix: "agent:a:" }, {}, true],
  [{ keyPrefix: "agent:b:" }, {}, false],
  [{ keyPrefix: "discord:group:" }, {}, true],
  [{ keyPrefix: "cron:" }, { sessionKey: "cron:x" }, true],
  [{ channel: "discord", chatType: "direct" }, {}, false],
] as const)("a deny of %j for %j applies: %s", (match, change, applies) => {
  expect(allowed({ rules: [{ match, action: "deny" }] }, change)).toBe(!applies);
});

test("a refusal names the rule that made it", () => {
  const config = parseConfig({ session: { sendPolicy: { rules: [allowAll, denyAll] } } });
  const decision = sendDecision(config, subject);
  expect(decision).toMatchObject({ code: "send_denied", trail: [{ setting: "session.sendPolicy.rules[1]" }] });
});
