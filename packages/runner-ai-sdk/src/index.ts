export { type AiSdkRunnerOptions, createAiSdkRunner } from "./create-ai-sdk-runner.ts";
export type { ModelProvider, ModelProviders } from "./model-reference.ts";
export { toAiSdkTools } from "./to-ai-sdk-tools.ts";
