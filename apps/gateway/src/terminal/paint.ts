import { styleText } from "node:util";
import type { OutputStream } from "./surroundings.ts";

/** What colours mean here; the six hues tell agents apart. */
export type Ink = "dim" | "bold" | "good" | "bad" | "waiting" | "hue0" | "hue1" | "hue2" | "hue3" | "hue4" | "hue5";

/** Colours a text, or gives it back as it is where colours are off. */
export type Paint = (ink: Ink, text: string) => string;

const styles = {
  dim: "dim",
  bold: "bold",
  good: "green",
  bad: "red",
  waiting: "yellow",
  hue0: "cyan",
  hue1: "magenta",
  hue2: "blue",
  hue3: "cyanBright",
  hue4: "magentaBright",
  hue5: "blueBright",
} as const satisfies Record<Ink, Parameters<typeof styleText>[0]>;

/** Paints for a stream: `NO_COLOR`, `FORCE_COLOR` and a stream that is no terminal are respected; `enabled: false` is `--no-color`. */
export function createPaint(stream: OutputStream, enabled: boolean): Paint {
  if (!enabled) return plainPaint;
  return (ink, text) => (text === "" ? text : styleText(styles[ink], text, { stream }));
}

/** No colours at all. */
export const plainPaint: Paint = (_ink, text) => text;
