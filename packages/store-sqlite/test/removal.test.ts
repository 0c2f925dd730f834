import { expect, test } from "vitest";
import { createSessions, fileStore, message, transcript, write } from "./fixtures.ts";

const messages = 100_000;
/** What the engine removes at once. */
const rowsAtOnce = 500;

test("B107: while a session of 100 000 messages is removed, an append elsewhere waits for a batch and not for the whole", async () => {
  const { store, path } = await fileStore();
  const { store: other } = await fileStore({ path });
  await createSessions(store, "large", "elsewhere");
  for (let first = 0; first < messages; first += 1000) {
    const batch = Array.from({ length: 1000 }, (_, index) => message(`l${first + index}`));
    await write(store, { id: "large", append: [{ from: "outside", messages: batch }] });
  }
  // Everything is in the text index, and has to be taken out of it.
  const search = { scope: { every: true }, words: ["text"], includeTools: false, limit: 1 } as const;
  expect(await store.searchMessages(search)).toHaveLength(1);
  await write(store, { id: "large", set: { deletedAt: 5, archived: 2, sessionKey: "~deleted:large" } });

  let removing = true;
  let batches = 0;
  let removed = 0;
  async function remove(): Promise<void> {
    for (let more = true; more; ) {
      const batch = await store.prune({ what: "session", sessionRow: "large", limit: rowsAtOnce });
      expect(batch.removed).toBeLessThanOrEqual(rowsAtOnce);
      batches += 1;
      removed += batch.removed;
      more = batch.more;
    }
    removing = false;
  }
  const removal = remove();
  let appends = 0;
  for (; removing; appends++)
    await write(other, { id: "elsewhere", append: [{ from: "outside", messages: [message(`e${appends}`)] }] });
  await removal;
  expect(removed).toBeGreaterThanOrEqual(messages);
  // Between any two batches there is room for one.
  expect(appends).toBeGreaterThan(batches / 2);
  expect(await transcript(store, "elsewhere")).toHaveLength(appends);
}, 120_000);
