import type { z } from "zod";
import { TrunklineError } from "../errors/trunkline-error.ts";
import type {
  Deliverer,
  DelivererCapabilities,
  DeliveryMessage,
  DeliveryOptions,
  DeliveryReceipt,
  InboundRequest,
  InboundResult,
} from "./deliverer.ts";
import type { Route } from "./route.ts";

/** What `defineDeliverer` takes: the channel, the schema of its settings, what it can do, and how it sends. */
export interface DelivererDefinition<S extends z.ZodType> {
  readonly channel: string;
  readonly config: S;
  readonly capabilities: DelivererCapabilities;
  /** One request; returns the platform's message id(s); throws `DeliveryError`. */
  send(message: DeliveryMessage, context: DeliveryOptions & { readonly config: z.output<S> }): Promise<DeliveryReceipt>;
  parseInbound?(
    request: InboundRequest,
    context: { readonly config: z.output<S> },
  ): Promise<InboundResult> | InboundResult;
  createThread?(
    request: { readonly route: Route; readonly title: string },
    context: DeliveryOptions & { readonly config: z.output<S> },
  ): Promise<Route>;
}

/** Turns a definition into the factory that users call with their settings; wrong settings throw `invalid_config`. */
export function defineDeliverer<S extends z.ZodType>(
  definition: DelivererDefinition<S>,
): (config: z.input<S>) => Deliverer {
  const { channel, capabilities, parseInbound, createThread } = definition;
  return (input) => {
    const config = parseSettings(definition, input);
    return {
      channel,
      capabilities,
      send: (message, options) => definition.send(message, { ...options, config }),
      ...(parseInbound && { parseInbound: (request: InboundRequest) => parseInbound(request, { config }) }),
      ...(createThread && {
        createThread: (request: { readonly route: Route; readonly title: string }, options: DeliveryOptions) =>
          createThread(request, { ...options, config }),
      }),
    };
  };
}

function parseSettings<S extends z.ZodType>(definition: DelivererDefinition<S>, input: z.input<S>): z.output<S> {
  const parsed = definition.config.safeParse(input);
  if (parsed.success) return parsed.data;
  const issue = parsed.error.issues[0];
  const path = ["channels", definition.channel, "settings", ...(issue?.path ?? [])].join(".");
  throw new TrunklineError("invalid_config", `${path}: ${issue?.message ?? "wrong settings"}`, {
    path,
    fix: `Correct the settings given to the ${definition.channel} deliverer`,
  });
}
