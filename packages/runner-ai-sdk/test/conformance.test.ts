import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { testRunner } from "@trunkline/testkit";
import { afterAll } from "vitest";
import { createAiSdkRunner } from "../src/index.ts";
import { mockProvider } from "./mock-provider.ts";
import { type ChatServer, startChatServer } from "./openai-compatible-server.ts";

testRunner({
  name: "ai-sdk with the SDK's mock model",
  create: (model) =>
    createAiSdkRunner({ providers: { test: mockProvider(model) }, defaultModel: "test/model", maxRetries: 0 }),
});

const servers: ChatServer[] = [];
afterAll(() => Promise.all(servers.map((server) => server.close())));

testRunner({
  name: "ai-sdk with an OpenAI-compatible server over HTTP",
  create: async (model) => {
    const server = await startChatServer(model);
    servers.push(server);
    const provider = createOpenAICompatible({ name: "test", baseURL: server.url, includeUsage: true });
    return createAiSdkRunner({ providers: { test: provider }, defaultModel: "test/model", maxRetries: 0 });
  },
});
