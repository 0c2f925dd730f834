export type { Clock, Logger } from "./clock.ts";
export { type DelivererDefinition, defineDeliverer } from "./delivery/define-deliverer.ts";
export type {
  Deliverer,
  DelivererCapabilities,
  DeliveryMessage,
  DeliveryOptions,
  DeliveryReceipt,
  InboundMessage,
  InboundRequest,
  InboundResult,
} from "./delivery/deliverer.ts";
export { DeliveryError, type DeliveryErrorClass } from "./delivery/delivery-error.ts";
export type { Route } from "./delivery/route.ts";
export { ToolInputError } from "./errors/tool-input-error.ts";
export { TrunklineError, type TrunklineErrorCode, type TrunklineErrorOptions } from "./errors/trunkline-error.ts";
export type { Outcome, RunKind, RunLane, RunState, Usage } from "./run/run.ts";
export type { RunEmit, RunMessage, Runner, RunRequest, RunResult, RunTool } from "./run/runner.ts";
export { cleanText } from "./session/clean-text.ts";
export type {
  ContentBlock,
  MessageContent,
  MessageRole,
  NewMessage,
  Provenance,
  StoredMessage,
} from "./session/message.ts";
export { type IndexName, recordTables } from "./session/record-tables.ts";
export type * from "./session/records.ts";
export type * from "./session/run-records.ts";
export type { Caller, SessionKind, SessionStatus } from "./session/session.ts";
export type * from "./session/session-records.ts";
export type { SessionStore } from "./session/session-store.ts";
export type * from "./session/store-queries.ts";
export { firstParkedSeq } from "./session/store-queries.ts";
export * from "./session/store-transaction.ts";
export type { ColumnDefinition, ColumnType, IndexDefinition, TableDefinition } from "./session/table-definition.ts";
