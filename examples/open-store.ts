import { createSqliteStore } from "@trunkline/store-sqlite";

await using store = await createSqliteStore({ path: "example.db" }); // ":memory:" for tests
await store.migrate(); // createTrunkline does this too; safe to repeat
console.log(store.description, await store.schemaVersion());
