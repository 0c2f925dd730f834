type Render = (markdown: string) => string;

/** Markdown flavours that a deliverer may declare, and how their texts are made; loaded when a channel wants one. */
const renderers: Readonly<Record<string, () => Promise<Render>>> = {
  "telegram-html": async () => (await import("./render-telegram-html.ts")).renderTelegramHtml,
};

/** The parts of a text in a channel's flavour; a flavour that is not known here, or none, gets them as they are. */
export async function renderMarkdown(
  parts: readonly string[],
  flavour: string | undefined,
): Promise<readonly string[]> {
  const load = flavour !== undefined && Object.hasOwn(renderers, flavour) ? renderers[flavour] : undefined;
  return load === undefined ? parts : parts.map(await load());
}
