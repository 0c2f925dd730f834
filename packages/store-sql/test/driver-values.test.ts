import { expect, test } from "vitest";
import { createDecoder } from "../src/codec/decode.ts";
import { physicalTables } from "../src/schema/physical-tables.ts";
import { searchedWords } from "../src/search/index-batch.ts";
import { type KyselyInstance, kyselyConnections } from "../src/server/kysely-connections.ts";
import type { Row } from "../src/statement.ts";

/** An instance on a driver that answers with this row, whatever it is asked. */
function answering(row: Row): KyselyInstance {
  const instance: KyselyInstance = {
    isTransaction: false,
    withoutPlugins: () => instance,
    connection: () => ({ execute: (work) => work(instance) }),
    executeQuery: async () => ({ rows: [{ ...row }] }),
  };
  return instance;
}

async function read(row: Row): Promise<Row> {
  const connections = kyselyConnections(answering(row), {});
  const [result] = await connections.lend((connection) => connection.run([{ sql: "select", parameters: [] }]));
  return result?.rows[0] ?? {};
}

const decode = createDecoder("message", physicalTables("").message);
const provenance = { kind: "inter_session", sourceSessionKey: "agent:main:main" };
const bodies = [
  { content: "hello there" },
  { content: '{"a":1}' },
  { content: "[1,2]" },
  { content: [{ type: "toolCall", id: "t", name: "search", arguments: { q: '{"a":1}', deep: [null, 1.5] } }] },
];

test.each(bodies)(
  "B111: a message that the driver gives as text, decoded or as bytes is the same message: %j",
  async (body) => {
    const [text, origin] = [JSON.stringify(body), JSON.stringify(provenance)];
    for (const given of [
      { body: text, provenance: origin },
      { body, provenance },
      { body: Buffer.from(text), provenance: new Uint8Array(Buffer.from(origin)) },
    ]) {
      const words = searchedWords(await read({ role: "user", ...given }));
      expect(words).toEqual(searchedWords({ role: "user", body: text }));
      expect(decode(await read({ id: "m", ...given }))).toEqual({ id: "m", body, provenance });
    }
  },
);

test("B117: whole numbers that the driver gives as numbers, texts or big integers are numbers", async () => {
  for (const given of [7, "7", 7n]) {
    expect(await read({ seq: given, createdAt: given, totalTokens: given })).toEqual({
      seq: 7,
      createdAt: 7,
      totalTokens: 7,
    });
  }
});
