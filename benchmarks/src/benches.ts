import { list } from "./benches/list.ts";
import type { Bench } from "./harness/bench.ts";

/** Every bench, in the order of the targets. */
export const benches: readonly Bench[] = [list];
