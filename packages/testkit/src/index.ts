export { createFakeClock, type FakeClock, type FakeClockOptions } from "./fake-clock.ts";
export {
  createRecordingDeliverer,
  type RecordedSend,
  type RecordingDeliverer,
  type RecordingDelivererOptions,
  type SendAttempt,
} from "./recording-deliverer.ts";
export {
  createScriptedRunner,
  type ScriptedHandler,
  type ScriptedRunner,
  type ScriptedRunnerOptions,
} from "./scripted-runner.ts";
