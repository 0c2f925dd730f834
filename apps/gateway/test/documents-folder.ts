import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";

/** Writes documents about crashes into `docs/` of a folder: small ones, or large ones that take a while to read. */
export async function writeDocuments(
  directory: string,
  options: { readonly count: number; readonly paragraphs: number },
): Promise<void> {
  const folder = join(directory, "docs");
  await mkdir(folder, { recursive: true });
  for (let document = 1; document <= options.count; document += 1) {
    const paragraphs = Array.from(
      { length: options.paragraphs },
      (_, index) =>
        `Document ${document} says in paragraph ${index} that the weather stays mild for most of the year. ` +
        `Nothing of importance number ${document * 100 + index} is ever lost in a crash of process ${index}.`,
    );
    await writeFile(join(folder, `document-${document}.md`), `# Document ${document}\n\n${paragraphs.join("\n\n")}\n`);
  }
}
