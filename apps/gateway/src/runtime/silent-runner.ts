import type { Runner } from "@trunkline/core";

/** Stands where no model is configured: every run ends well and says nothing. */
export const silentRunner: Runner = {
  id: "none",
  run: () => Promise.resolve({ text: "", messages: [] }),
};
