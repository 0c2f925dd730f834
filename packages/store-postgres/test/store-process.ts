import { workOnStore } from "../../testkit/test/server-stores/work-on-store.ts";
import { createPostgresStore } from "../src/index.ts";

await workOnStore((url) => createPostgresStore({ url, poolSize: 2 }));
