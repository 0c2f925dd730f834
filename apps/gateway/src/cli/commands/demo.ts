import type { CommandDefinition } from "../command-definition.ts";
import { CommandError } from "../command-error.ts";
import { countFlag, textFlag } from "../read-flags.ts";

const usualQuestion = "What must never be lost in a crash?";

/** `demo`. */
export const demoCommand: CommandDefinition = {
  path: ["demo"],
  arguments: "[folder]",
  summary: "Watch a small team of agents answer from real files",
  flags: [
    { flags: "--question <text>", description: `default: "${usualQuestion}"` },
    { flags: "--limit <count>", description: "documents to read, largest first; default 12, at most 100" },
  ],
  examples: [
    { line: "demo", description: "read the documents in docs/" },
    { line: 'demo notes --question "When do we ship?"', description: "read another folder" },
  ],
  exitCodes: [0, 1, 2, 7, 130],
  async run(context, { arguments: [folder], flags }) {
    const { defaultDocumentLimit, documentsToRead } = await import("../../demo/documents-to-read.ts");
    const limit = countFlag(flags, "limit", { minimum: 1, maximum: 100 }) ?? defaultDocumentLimit;
    const question = (textFlag(flags, "question") ?? usualQuestion).replace(/\s+/gu, " ").trim();
    if (question === "") {
      throw new CommandError("invalid_input", "the question is blank", {
        fix: `Ask one, e.g. npx trunkline demo --question "${usualQuestion}"`,
        path: "--question",
      });
    }
    const { workingDirectory } = context.surroundings;
    const found = await documentsToRead({ limit, workingDirectory, ...(folder === undefined ? {} : { folder }) });
    const { runDemo } = await import("../../demo/run-demo.ts");
    return runDemo(context, { question, found });
  },
};
