export type {
  DelivererBench,
  DelivererCase,
  DelivererNeed,
  DelivererSuiteOptions,
} from "./deliverer/deliverer-case.ts";
export { runDelivererCase } from "./deliverer/run-deliverer-case.ts";
export { delivererCases, testDeliverer } from "./deliverer/test-deliverer.ts";
export type {
  DispatcherBench,
  DispatcherCase,
  DispatcherHarness,
  DispatcherNeed,
  DispatcherSuiteOptions,
} from "./dispatcher/dispatcher-case.ts";
export { dispatcherCases } from "./dispatcher/dispatcher-cases.ts";
export { runDispatcherCase, testDispatcher } from "./dispatcher/test-dispatcher.ts";
export { createFakeClock, type FakeClock, type FakeClockOptions } from "./fake-clock.ts";
export {
  createFakePlatformServer,
  type FakePlatformOptions,
  type FakePlatformServer,
} from "./platform/fake-platform-server.ts";
export type { PlatformRequest, PlatformResponse, PlatformRoute } from "./platform/platform-request.ts";
export {
  createRecordingDeliverer,
  type RecordedSend,
  type RecordingDeliverer,
  type RecordingDelivererOptions,
  type SendAttempt,
} from "./recording-deliverer.ts";
export type { FakeModel, ModelAnswer, ModelStep, ModelToolCall } from "./runner/fake-model.ts";
export { runRunnerCase } from "./runner/run-runner-case.ts";
export type {
  RunnerBench,
  RunnerCapabilities,
  RunnerCase,
  RunnerNeed,
  RunnerSuiteOptions,
} from "./runner/runner-case.ts";
export { runnerCases, testRunner } from "./runner/test-runner.ts";
export {
  createScriptedRunner,
  type ScriptedHandler,
  type ScriptedRunner,
  type ScriptedRunnerOptions,
} from "./scripted-runner.ts";
export { isAsked, runStoreCase } from "./store/run-store-case.ts";
export { sessionStoreCases } from "./store/session-store-cases.ts";
export type {
  StoreBench,
  StoreCapabilities,
  StoreCapability,
  StoreCase,
  StoreHarness,
  StoreSuiteOptions,
} from "./store/store-case.ts";
export { testSessionStore } from "./store/test-session-store.ts";
