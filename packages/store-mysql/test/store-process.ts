import { workOnStore } from "../../testkit/test/server-stores/work-on-store.ts";
import { createMysqlStore } from "../src/index.ts";

await workOnStore((url) => createMysqlStore({ url, poolSize: 2 }));
