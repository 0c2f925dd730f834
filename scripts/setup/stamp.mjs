import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { root } from "./process.mjs";

/** Remembers, inside node_modules, from which input a step last succeeded; `input` is any list of strings. */
export function stamp(name) {
  const file = join(root, "node_modules", ".trunkline", `${name}.stamp`);
  return {
    matches: (input) => readOrEmpty(file) === hash(input),
    write(input) {
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, hash(input));
    },
  };
}

/** The file's text, or an empty string when there is no such file. */
export function readOrEmpty(file) {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    if (error.code === "ENOENT") return "";
    throw error;
  }
}

function hash(input) {
  return createHash("sha256").update(input.join("\0")).digest("hex");
}
