export { createTrunkline, type TrunklineOptions } from "./create-trunkline.ts";
export type { LaneCaps } from "./dispatch/lane-slots.ts";
export type { RunnerSet } from "./engine.ts";
export type { EventSource } from "./events/event-bus.ts";
export type { EventFilter, TrunklineEvent } from "./events/trunkline-event.ts";
export type { Received, ReceivedMessage } from "./inbound/receive.ts";
export type { Submission } from "./inbound/submit.ts";
export type { SessionSettingsPatch } from "./sessions/patch-session.ts";
export type { Trunkline, WaitResult } from "./trunkline.ts";
