import { expect, test } from "vitest";
import { answeringExecutor } from "../../testkit/test/server-stores/answering-executor.ts";
import { failure } from "../../testkit/test/server-stores/sessions.ts";
import { checkServer } from "../src/check-server.ts";

const usable = {
  packet: 16_777_216,
  mode: "STRICT_TRANS_TABLES,NO_ENGINE_SUBSTITUTION",
  client: "utf8mb4",
  connection: "utf8mb4",
  results: "utf8mb4",
};

const check = (answer: object) => checkServer(answeringExecutor({ ...usable, ...answer }), "the database");

test.each([
  ["5.7.44-log", "MySQL 5.7.44-log", "Use MySQL 8.0 or newer."],
  ["5.6.51", "MySQL 5.6.51", "Use MySQL 8.0 or newer."],
  ["10.6.18-MariaDB-log", "MariaDB 10.6.18-MariaDB-log", "Use MariaDB 10.11 or newer."],
  ["5.5.68-MariaDB", "MariaDB 5.5.68-MariaDB", "Use MariaDB 10.11 or newer."],
])("B112: a server of version %s is refused, with its name and what to use", async (version, named, fix) => {
  const error = await failure(check({ version }));
  expect(error.code).toBe("store_unavailable");
  expect(error.message).toBe(`the database runs ${named}, which is too old.`);
  expect(error.fix).toBe(fix);
});

test.each(["8.0.36", "8.4.6", "9.7.4", "10.11.19-MariaDB", "11.4.2-MariaDB-ubu2404"])(
  "B112: a server of version %s is used",
  async (version) => {
    await expect(check({ version })).resolves.toBeUndefined();
  },
);

test.each(["client", "connection", "results"])(
  "B114: a %s charset other than utf8mb4 is refused",
  async (direction) => {
    const error = await failure(check({ version: "8.4.6", [direction]: "utf8mb3" }));
    expect([error.code, error.message.includes("utf8mb3"), error.fix]).toEqual([
      "store_unavailable",
      true,
      "Set the charset of the connection to utf8mb4.",
    ]);
  },
);

test("B113: a server that takes smaller packets than a message may be is refused", async () => {
  const error = await failure(check({ version: "8.4.6", packet: 1_048_576 }));
  expect([error.code, error.fix]).toEqual([
    "store_unavailable",
    "Set max_allowed_packet to 16M or more on the server.",
  ]);
});
