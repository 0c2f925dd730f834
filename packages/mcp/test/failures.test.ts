import { type ToolHost, TrunklineError } from "@trunkline/core";
import { describe, expect, test } from "vitest";
import { bothWays, startMcpEndpoint, tokens } from "./mcp-endpoint.ts";
import { generations } from "./official-clients.ts";

const asMain = { authorization: `Bearer ${tokens.main}` };

/** A host whose store does not answer. */
function failingWith(error: Error): (host: ToolHost) => ToolHost {
  return (host) => ({ ...host, callTool: () => Promise.reject(error) });
}

describe.each(generations)("$name", ({ connect }) => {
  test("B138: a conflict is a result with its code, and the first call can still be repeated", async () => {
    await using endpoint = await startMcpEndpoint({ config: bothWays });
    await using client = await connect(endpoint.url, asMain);
    const call = (message: string) =>
      client.callTool("sessions_send", { agentId: "editor", message, idempotencyKey: "k1" });
    const first = await call("Ready?");
    const other = await call("Done?");
    expect(other).toMatchObject({ isError: true, structured: { status: "error", code: "conflict" } });
    const repeated = await call("Ready?");
    expect(repeated.structured).toMatchObject({ status: "ok", runId: first.structured["runId"] });
  });

  test("B138: a store that does not answer is an error with its code, and says whether to try again", async () => {
    const error = new TrunklineError("store_busy", "the database is busy", { retryable: true });
    await using endpoint = await startMcpEndpoint({ beside: failingWith(error) });
    await using client = await connect(endpoint.url, asMain);
    await expect(client.callTool("agents_list")).rejects.toMatchObject({
      code: -32_603,
      message: expect.stringContaining("the database is busy"),
      data: { code: "store_busy", retryable: true },
    });
    expect(endpoint.errors).toEqual([error]);
  });

  test("an error that nobody foresaw gives nothing away", async () => {
    const error = new Error("the password is wrong");
    await using endpoint = await startMcpEndpoint({ beside: failingWith(error) });
    await using client = await connect(endpoint.url, asMain);
    const failed = client.callTool("agents_list");
    await expect(failed).rejects.toMatchObject({ code: -32_603 });
    await expect(failed).rejects.not.toThrow(/password/u);
    expect(endpoint.errors).toEqual([error]);
  });
});
