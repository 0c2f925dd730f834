import { TrunklineError } from "@trunkline/core";
import type { LanguageModel } from "ai";

/** An AI SDK provider: callable with a model id, or with a `languageModel` method; most are both. */
export type ModelProvider = ((modelId: string) => LanguageModel) | { languageModel(modelId: string): LanguageModel };

/** Providers by the prefix of their model references: `{ openai }` serves `openai/gpt-5`. */
export type ModelProviders = Readonly<Record<string, ModelProvider>>;

/** Whether a reference names one of the providers and a model of it. */
export function isKnownReference(providers: ModelProviders, reference: string): boolean {
  const { prefix, modelId } = split(reference);
  return modelId !== "" && Object.hasOwn(providers, prefix);
}

/** The model of a reference `provider/model`. Throws `runner_model_unknown` where there is no such provider. */
export function resolveModel(providers: ModelProviders, reference: string | undefined): LanguageModel {
  const { prefix, modelId } = split(reference ?? "");
  const provider = Object.hasOwn(providers, prefix) ? providers[prefix] : undefined;
  if (provider === undefined || modelId === "") throw unknownModel(providers, reference);
  return "languageModel" in provider && typeof provider.languageModel === "function"
    ? provider.languageModel(modelId)
    : callable(provider)(modelId);
}

function callable(provider: ModelProvider): (modelId: string) => LanguageModel {
  if (typeof provider === "function") return provider;
  return (modelId) => provider.languageModel(modelId);
}

function split(reference: string): { readonly prefix: string; readonly modelId: string } {
  const at = reference.indexOf("/");
  return at < 0 ? { prefix: "", modelId: "" } : { prefix: reference.slice(0, at), modelId: reference.slice(at + 1) };
}

function unknownModel(providers: ModelProviders, reference: string | undefined): TrunklineError {
  const known = Object.keys(providers).join(", ") || "none";
  const problem =
    reference === undefined || reference === ""
      ? "no model is configured for this agent"
      : `"${reference.slice(0, 100).toWellFormed()}" names no configured model`;
  return new TrunklineError("runner_model_unknown", problem, {
    path: "agents.defaults.model",
    fix: `Set a model as provider/model; providers here: ${known}.`,
  });
}
