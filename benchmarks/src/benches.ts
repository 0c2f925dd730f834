import { append } from "./benches/append.ts";
import { block } from "./benches/block.ts";
import { history } from "./benches/history.ts";
import { http } from "./benches/http.ts";
import { list } from "./benches/list.ts";
import { peers } from "./benches/peers.ts";
import { search } from "./benches/search.ts";
import { send } from "./benches/send.ts";
import { servers } from "./benches/servers.ts";
import { start } from "./benches/start.ts";
import { view } from "./benches/view.ts";
import type { Bench } from "./harness/bench.ts";

/** Every bench, in the order of the targets. */
export const benches: readonly Bench[] = [
  list,
  http,
  search,
  history,
  append,
  servers,
  send,
  start,
  view,
  block,
  peers,
];
