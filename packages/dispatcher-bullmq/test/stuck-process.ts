import { createBullmqDispatcher } from "../src/index.ts";

// Takes one offer, says so, and never gets done with it.
const [queue = "", url = ""] = process.argv.slice(2);
const dispatcher = createBullmqDispatcher({ url, queue, stalledAfterMs: 1000 });
await dispatcher.start((id) => {
  console.log(id);
  return new Promise(() => undefined);
});
