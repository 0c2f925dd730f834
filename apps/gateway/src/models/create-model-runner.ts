import { createAnthropic } from "@ai-sdk/anthropic";
import { createGoogleGenerativeAI } from "@ai-sdk/google";
import { createOpenAI } from "@ai-sdk/openai";
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { configuredModels, type Runner, TrunklineError } from "@trunkline/core";
import { createAiSdkRunner, type ModelProvider } from "@trunkline/runner-ai-sdk";
import { z } from "zod";
import type { GatewayConfig } from "../config/gateway-config.ts";

const providerSchema = z.discriminatedUnion("type", [
  z.strictObject({ type: z.literal("openai"), apiKey: z.string().optional(), baseUrl: z.url().optional() }),
  z.strictObject({ type: z.literal("anthropic"), apiKey: z.string().optional(), baseUrl: z.url().optional() }),
  z.strictObject({ type: z.literal("google"), apiKey: z.string().optional(), baseUrl: z.url().optional() }),
  z.strictObject({ type: z.literal("openai-compatible"), baseUrl: z.url(), apiKey: z.string().optional() }),
]);

/** The runner for the configured model providers; `undefined` where no model is configured. Throws `invalid_config`. */
export function createModelRunner(config: GatewayConfig): Runner | undefined {
  const names = Object.keys(config.models.providers);
  if (names.length === 0 || configuredModels(config).length === 0) return undefined;
  const providers = Object.fromEntries(
    names.map((name) => [name, createProvider(name, config.models.providers[name])]),
  );
  return createAiSdkRunner({ providers });
}

function createProvider(name: string, settings: unknown): ModelProvider {
  const parsed = providerSchema.safeParse(settings);
  if (!parsed.success) throw wrongProvider(name, parsed.error.issues[0]);
  const { type, apiKey, baseUrl } = parsed.data;
  // A key that is left out comes from the provider's own variable, e.g. OPENAI_API_KEY.
  const options = {
    ...(apiKey === undefined ? {} : { apiKey }),
    ...(baseUrl === undefined ? {} : { baseURL: baseUrl }),
  };
  switch (type) {
    case "openai":
      return createOpenAI(options);
    case "anthropic":
      return createAnthropic(options);
    case "google":
      return createGoogleGenerativeAI(options);
    case "openai-compatible":
      return createOpenAICompatible({ ...options, name, baseURL: baseUrl, includeUsage: true });
  }
}

function wrongProvider(name: string, issue: z.core.$ZodIssue | undefined): TrunklineError {
  const path = ["models", "providers", name, ...(issue?.path ?? [])].join(".");
  return new TrunklineError("invalid_config", `${path}: ${issue?.message ?? "wrong settings"}`, {
    path,
    fix: 'A provider is { type: "openai" | "anthropic" | "google", apiKey? } or { type: "openai-compatible", baseUrl, apiKey? }.',
  });
}
