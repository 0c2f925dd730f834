import { type DeepReadonly, trunklineConfigSchema } from "@trunkline/core";
import { z } from "zod";

// A port may come from `${PORT}` and is text then.
const portSchema = z.preprocess(
  (value) => (typeof value === "string" && /^\d{1,5}$/u.test(value) ? Number(value) : value),
  z.int().min(0).max(65_535),
);

/** The gateway's configuration: everything of `parseConfig`, and where data lies and requests are taken. */
export const gatewayConfigSchema = trunklineConfigSchema.extend({
  store: z.strictObject({ url: z.string().min(1).default("sqlite:.trunkline/trunkline.db") }).prefault({}),
  gateway: z
    .strictObject({ host: z.string().min(1).default("127.0.0.1"), port: portSchema.default(4747) })
    .prefault({}),
});

/** A checked gateway configuration with every default applied. */
export type GatewayConfig = DeepReadonly<z.output<typeof gatewayConfigSchema>>;
