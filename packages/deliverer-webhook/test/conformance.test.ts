import { createFakePlatformServer, testDeliverer } from "@trunkline/testkit";
import { createWebhookDeliverer } from "../src/index.ts";

const secret = `whsec_${Buffer.from("an example secret, not a real one").toString("base64")}`;

testDeliverer({
  name: "webhook",
  route: { channel: "webhook", to: "desk" },
  secret,
  createServer: () => createFakePlatformServer({ routes: { "POST /in": () => ({ status: 200, json: { id: "m1" } }) } }),
  create: (server) => createWebhookDeliverer({ url: `${server.url}/in`, secret }),
  createWithoutSecret: (server) => createWebhookDeliverer({ url: `${server.url}/in`, secret: "" }),
});
