import { createFakePlatformServer, testDeliverer } from "@trunkline/testkit";
import { createNoteDeliverer } from "./note-deliverer.ts";

testDeliverer({
  name: "note",
  route: { channel: "note", to: "room-1" },
  createServer: () =>
    createFakePlatformServer({
      routes: {
        "POST /send": { json: { id: "m1" } },
        "POST /threads": ({ json }) => ({ json: { id: "t1", asked: json } }),
      },
    }),
  create: (server) => createNoteDeliverer({ url: server.url, token: "example-token" }),
  createWithoutSecret: (server) => createNoteDeliverer({ url: server.url, token: "" }),
});
