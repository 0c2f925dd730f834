import { atomicityCases } from "./cases/atomicity.ts";
import { concurrencyCases } from "./cases/concurrency.ts";
import { counterCases } from "./cases/counters.ts";
import { eventCases } from "./cases/events.ts";
import { guardCases } from "./cases/guards.ts";
import { hintCases } from "./cases/hints.ts";
import { identityCases } from "./cases/identity.ts";
import { incarnationCases } from "./cases/incarnations.ts";
import { laneCases } from "./cases/lanes.ts";
import { lifecycleCases } from "./cases/lifecycle.ts";
import { listCases } from "./cases/list.ts";
import { numberCases } from "./cases/numbers.ts";
import { orderCases } from "./cases/order.ts";
import { parkingCases } from "./cases/parking.ts";
import { pruneCases } from "./cases/prune.ts";
import { randomWalkCases } from "./cases/random-walk.ts";
import { readMessageCases } from "./cases/read-messages.ts";
import { readTailCases } from "./cases/read-tails.ts";
import { readCases } from "./cases/reads.ts";
import { recordCases } from "./cases/records.ts";
import { searchCases } from "./cases/search.ts";
import { searchWordCases } from "./cases/search-words.ts";
import { sessionCases } from "./cases/sessions.ts";
import { textCases } from "./cases/text.ts";
import type { StoreCase } from "./store-case.ts";

/** Every rule of `SessionStore` as a case; run one with `runStoreCase`, all of them with `testSessionStore`. */
export const sessionStoreCases: readonly StoreCase[] = [
  ...lifecycleCases,
  ...identityCases,
  ...sessionCases,
  ...guardCases,
  ...laneCases,
  ...parkingCases,
  ...incarnationCases,
  ...eventCases,
  ...recordCases,
  ...readCases,
  ...counterCases,
  ...atomicityCases,
  ...orderCases,
  ...readMessageCases,
  ...readTailCases,
  ...listCases,
  ...searchCases,
  ...searchWordCases,
  ...textCases,
  ...numberCases,
  ...randomWalkCases,
  ...concurrencyCases,
  ...hintCases,
  ...pruneCases,
];
