import { describe, expect, test } from "vitest";
import { bothWays, startMcpEndpoint, tokens } from "./mcp-endpoint.ts";
import { generations } from "./official-clients.ts";

const asMain = { authorization: `Bearer ${tokens.main}` };
const secret = `gh${"p_"}${"a1B2c3D4e5".repeat(4).slice(0, 36)}`;
const addressOf = (key: string) => `trunkline://sessions/${encodeURIComponent(key)}/transcript`;

describe.each(generations)("$name", ({ connect }) => {
  test("lists the transcripts that its session may read, and reads them as sessions_history gives them", async () => {
    await using endpoint = await startMcpEndpoint({
      config: bothWays,
      answer: () => `<thinking>Nobody reads this.</thinking>The token is ${secret}.`,
    });
    await using client = await connect(endpoint.url, asMain);
    await client.callTool("sessions_send", { agentId: "editor", message: "Which token?" });
    // The exchange that follows adds messages.
    await endpoint.trunkline.waitForIdle({ timeoutMs: 15_000 });
    const { resources } = await client.listResources();
    expect(resources.map(({ name }) => name).sort()).toEqual(["agent:editor:main", "agent:main:main"]);
    const uri = addressOf("agent:editor:main");
    expect(resources.map((resource) => resource.uri)).toContain(uri);
    const transcript = await client.readResource(uri);
    expect(transcript).toMatchObject({ sessionKey: "agent:editor:main", contentRedacted: true });
    const text = JSON.stringify(transcript);
    expect(text).toContain("The token is ghp_a1…");
    expect(text).not.toContain(secret);
    expect(text).not.toContain("Nobody reads this");
    const { structured } = await client.callTool("sessions_history", { sessionKey: "agent:editor:main" });
    expect(transcript).toEqual(structured);
  });

  test("hidden, missing and malformed addresses are not found alike, and make nothing", async () => {
    await using endpoint = await startMcpEndpoint();
    await endpoint.trunkline.submit({ sessionKey: "agent:main:telegram:group:42", text: "Hello" });
    await using client = await connect(endpoint.url, asMain);
    const { resources } = await client.listResources();
    expect(resources.map(({ name }) => name)).toEqual(["agent:main:main"]);
    const messages = [];
    for (const key of ["agent:main:telegram:group:42", "agent:main:telegram:group:43"]) {
      const failed = client.readResource(addressOf(key));
      await expect(failed).rejects.toMatchObject({ code: -32_602 });
      messages.push(await failed.catch((error: Error) => error.message.replaceAll(key, "KEY")));
    }
    expect(messages[0]).toBe(messages[1]);
    for (const uri of [
      addressOf("global"),
      "trunkline://sessions/%E0%A4%A/transcript",
      "trunkline://sessions//transcript",
      "trunkline://sessions/main/transcript?token=1",
      "file:///etc/passwd",
    ]) {
      await expect(client.readResource(uri)).rejects.toMatchObject({ code: -32_602 });
    }
    expect((await client.listResources()).resources).toHaveLength(1);
  });

  test("main and current work in an address too, and ids keep every byte", async () => {
    await using endpoint = await startMcpEndpoint({ config: { tools: { sessions: { visibility: "agent" } } } });
    const key = "agent:main:telegram:group:Ünï%2F_x";
    await endpoint.trunkline.submit({ sessionKey: key, text: "Hello" });
    await using client = await connect(endpoint.url, asMain);
    expect(await client.readResource(addressOf(key))).toMatchObject({ sessionKey: key });
    expect(await client.readResource(addressOf("current"))).toMatchObject({ sessionKey: "agent:main:main" });
  });

  test("pages through many transcripts, each once", async () => {
    await using endpoint = await startMcpEndpoint({ config: { tools: { sessions: { visibility: "agent" } } } });
    for (let index = 0; index < 60; index += 1) {
      await endpoint.trunkline.submit({ sessionKey: `agent:main:telegram:group:${index}`, text: "Hello" });
    }
    await endpoint.trunkline.waitForIdle({ timeoutMs: 15_000 });
    await using client = await connect(endpoint.url, asMain);
    await client.listTools();
    const uris: string[] = [];
    let cursor: string | undefined;
    do {
      const page = await client.listResources(cursor);
      uris.push(...page.resources.map(({ uri }) => uri));
      cursor = page.nextCursor;
    } while (cursor !== undefined && uris.length < 1000);
    expect(new Set(uris).size).toBe(61);
    expect(uris).toHaveLength(61);
    await expect(client.listResources("no cursor of ours")).rejects.toMatchObject({ code: -32_602 });
  });

  test("a session without the tools for it lists no transcript and reads none", async () => {
    await using endpoint = await startMcpEndpoint({ config: { tools: { profile: "minimal" } } });
    await using client = await connect(endpoint.url, asMain);
    expect((await client.listResources()).resources).toEqual([]);
    await expect(client.readResource(addressOf("current"))).rejects.toMatchObject({ code: -32_602 });
  });
});
