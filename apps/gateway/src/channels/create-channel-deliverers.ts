import { type Deliverer, TrunklineError } from "@trunkline/core";
import { createTelegramDeliverer } from "@trunkline/deliverer-telegram";
import { createWebhookDeliverer } from "@trunkline/deliverer-webhook";
import type { GatewayConfig } from "../config/gateway-config.ts";

type Settings = GatewayConfig["channels"][string]["settings"];

/** The channels that the gateway brings, by id; each checks its own settings. */
const factories: Readonly<Record<string, (settings: Settings) => Deliverer>> = {
  telegram: (settings) => createTelegramDeliverer(settings as Parameters<typeof createTelegramDeliverer>[0]),
  webhook: (settings) => createWebhookDeliverer(settings as Parameters<typeof createWebhookDeliverer>[0]),
};

/** A deliverer for each channel that has settings. Throws `invalid_config` for wrong ones, or a channel that is not known. */
export function createChannelDeliverers(config: GatewayConfig): readonly Deliverer[] {
  return Object.entries(config.channels)
    .filter(([, { settings }]) => Object.keys(settings).length > 0)
    .map(([id, { settings }]) => {
      const create = Object.hasOwn(factories, id) ? factories[id] : undefined;
      if (create === undefined) throw unknownChannel(id);
      return create(settings);
    });
}

function unknownChannel(id: string): TrunklineError {
  return new TrunklineError("invalid_config", `the gateway has no channel "${id}"`, {
    path: `channels.${id}.settings`,
    fix: `Channels with settings here: ${Object.keys(factories).join(", ")}. Any other is reached through webhook.`,
  });
}
