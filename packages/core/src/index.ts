export type { Clock, Logger } from "./clock.ts";
export { isChannelOwner, queueModeOf, resetRuleOf } from "./config/chat-settings.ts";
export { type ConfigProblem, formatPath } from "./config/config-problems.ts";
export { type ThinkingLevel, thinkingLevels } from "./config/names.ts";
export { nearestName } from "./config/nearest-name.ts";
export { type ConfigCheck, checkConfig, parseConfig, parseConfigWith } from "./config/parse-config.ts";
export {
  childModel,
  childThinking,
  configuredAgentIds,
  defaultAgentId,
  effectiveModel,
  effectiveThinking,
  isConfiguredAgent,
  isSandboxedByConfig,
  type ResolvedAgent,
  resolveAgent,
  type SubagentSettings,
  sandboxModeOf,
} from "./config/resolve-agent.ts";
export {
  type AgentSettings,
  type DeepReadonly,
  type ToolPolicySettings,
  type TrunklineConfig,
  type TrunklineConfigInput,
  trunklineConfigSchema,
} from "./config/trunkline-config.ts";
export { cutText, textParts } from "./delivery/chunk-text.ts";
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
export { classifySession, sessionKinds } from "./keys/classify.ts";
export { compareKeys, utf8ByteLength } from "./keys/compare-keys.ts";
export {
  agentIdFromKey,
  type ChatType,
  chatTypeOf,
  hasThreadPart,
  parentKey,
  routeFromKey,
  threadPartOf,
} from "./keys/key-parts.ts";
export { type InboundSource, type InboundTarget, routeInbound } from "./keys/route-inbound.ts";
export {
  canonicalSessionKey,
  formatSessionKey,
  isAgentId,
  isUuid,
  maxSessionKeyBytes,
  type ParsedSessionKey,
  parseSessionKey,
  type ThreadPart,
} from "./keys/session-key.ts";
export { parseSessionReference, type SessionReference } from "./keys/session-reference.ts";
export { agentToAgentDecision, reachableAgentIds } from "./policy/agent-to-agent.ts";
export {
  type AccessAction,
  type AccessCaller,
  type AccessRequest,
  type AccessTarget,
  authorize,
  type GuardedOperation,
  operationDecision,
} from "./policy/authorize.ts";
export {
  type Decision,
  type DecisionStep,
  notFoundResult,
  type RefusalKind,
  type RefusalResult,
  refusalResult,
} from "./policy/decision.ts";
export { asksForDefault, configuredModels, modelDecision, thinkingDecision } from "./policy/model-policy.ts";
export { type SendSubject, sendDecision } from "./policy/send-policy.ts";
export { acpAgentIds, agentsListResult, type SpawnableAgents, spawnableAgents } from "./policy/spawn-agents.ts";
export { type SpawnDecision, type SpawnRequest, spawnDecision } from "./policy/spawn-policy.ts";
export type { ToolPolicyCaller } from "./policy/tool-layers.ts";
export { type EffectiveTools, effectiveTools, type RemovedTool, toolDecision } from "./policy/tool-policy.ts";
export {
  effectiveVisibility,
  type VisibilityMode,
  type VisibilityReport,
  visibilityReport,
} from "./policy/visibility.ts";
export type { Dispatcher, OfferOutcome } from "./run/dispatcher.ts";
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
export { textOf } from "./session/message-text.ts";
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
export type { ToolHost } from "./tool-host.ts";
export { parseToolInput, parseToolName } from "./tools/parse-tool-input.ts";
export { type ResultCode, resultCodes } from "./tools/result-codes.ts";
export { spawnMode } from "./tools/sessions-spawn.ts";
export type { ToolDefinition } from "./tools/tool-definition.ts";
export { type JsonSchema, toolJsonSchema, toolResultJsonSchema } from "./tools/tool-json-schema.ts";
export {
  isToolName,
  type ToolArguments,
  type ToolInput,
  type ToolName,
  type ToolResult,
  toolDefinitions,
  toolNames,
  toolTable,
} from "./tools/tool-table.ts";
export {
  type HistoryView,
  type HistoryViewOptions,
  maxHistoryBytes,
  maxRowMessagesBytes,
  viewMessages,
} from "./view/history-view.ts";
export { defangMarker, isInterSession, markInterSession } from "./view/inter-session-marker.ts";
export { redactSecrets } from "./view/redact/redact-secrets.ts";
export { sanitizeAssistantText } from "./view/sanitize/sanitize-assistant-text.ts";
export { isSkipWord } from "./view/skip-word.ts";
export { truncateText } from "./view/truncate.ts";
export type { ViewBlock, ViewMessage } from "./view/view-message.ts";
export { channelText, crossingText, viewText } from "./view/view-text.ts";
