import { ownSetting } from "./own-setting.ts";
import type { TrunklineConfig } from "./trunkline-config.ts";

/** When a session starts over: never, daily at an hour of local time, or after idle minutes. */
export type ResetRule = TrunklineConfig["session"]["reset"];

/** What happens to a message that arrives mid-run. */
export type QueueMode = TrunklineConfig["messages"]["queue"]["mode"];

/** The reset rule of a chat: its channel's settings over its type's over the base, setting by setting. */
export function resetRuleOf(
  config: TrunklineConfig,
  chat: { readonly type: "direct" | "group" | "thread"; readonly channel?: string },
): ResetRule {
  const { reset, resetByType, resetByChannel } = config.session;
  const byType = resetByType[chat.type];
  const byChannel = ownSetting(resetByChannel, chat.channel?.toLowerCase());
  return {
    mode: byChannel?.mode ?? byType?.mode ?? reset.mode,
    atHour: byChannel?.atHour ?? byType?.atHour ?? reset.atHour,
    idleMinutes: byChannel?.idleMinutes ?? byType?.idleMinutes ?? reset.idleMinutes,
  };
}

/** The queue mode of a channel. */
export function queueModeOf(config: TrunklineConfig, channel: string | undefined): QueueMode {
  const { mode, byChannel } = config.messages.queue;
  return ownSetting(byChannel, channel?.toLowerCase()) ?? mode;
}

/** Whether a sender is listed as an owner of a channel. */
export function isChannelOwner(config: TrunklineConfig, channel: string, senderId: string | undefined): boolean {
  if (senderId === undefined) return false;
  return ownSetting(config.channels, channel.toLowerCase())?.owners.includes(senderId) ?? false;
}
