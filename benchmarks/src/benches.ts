import { append } from "./benches/append.ts";
import { history } from "./benches/history.ts";
import { list } from "./benches/list.ts";
import { search } from "./benches/search.ts";
import { send } from "./benches/send.ts";
import type { Bench } from "./harness/bench.ts";

/** Every bench, in the order of the targets. */
export const benches: readonly Bench[] = [list, search, history, append, send];
