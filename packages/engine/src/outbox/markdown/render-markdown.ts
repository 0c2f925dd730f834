import { renderTelegramHtml } from "./render-telegram-html.ts";

/** Markdown flavours that a deliverer may declare, and how its texts are made. */
const renderers: Readonly<Record<string, (markdown: string) => string>> = { "telegram-html": renderTelegramHtml };

/** One part of a text in a channel's flavour; a flavour that is not known here, or none, gets the text as it is. */
export function renderMarkdown(text: string, flavour: string | undefined): string {
  const render = flavour !== undefined && Object.hasOwn(renderers, flavour) ? renderers[flavour] : undefined;
  return render === undefined ? text : render(text);
}
