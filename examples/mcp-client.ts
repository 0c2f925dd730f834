import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";

// A gateway of yours: npx trunkline serve. The token decides which session this client is.
const url = new URL(process.env["TRUNKLINE_MCP_URL"] ?? "http://127.0.0.1:4747/mcp");
const headers = { authorization: `Bearer ${process.env["TRUNKLINE_TOKEN"] ?? ""}` };
const client = new Client({ name: "example", version: "1.0.0" });
await client.connect(new StreamableHTTPClientTransport(url, { requestInit: { headers } }));

const { tools } = await client.listTools();
console.log(tools.map(({ name }) => name).join(", "));

const listed = await client.callTool({ name: "sessions_list", arguments: { limit: 5 } });
console.log(listed.structuredContent);

const sent = await client.callTool({
  name: "sessions_spawn",
  arguments: { task: "Count the open invoices", label: "invoices" },
});
console.log(sent.structuredContent);
await client.close();
