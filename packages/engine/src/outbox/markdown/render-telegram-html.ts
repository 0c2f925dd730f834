import { fromMarkdown } from "mdast-util-from-markdown";
import { gfmFromMarkdown } from "mdast-util-gfm";
import { gfm } from "micromark-extension-gfm";

type Root = ReturnType<typeof fromMarkdown>;
type Node = Root | Root["children"][number];
type Parent = Extract<Node, { readonly children: unknown }>;
type List = Extract<Node, { readonly type: "list" }>;
type ListItem = Extract<Node, { readonly type: "listItem" }>;

/**
 * Markdown as the HTML that Telegram reads: its few tags, everything else as text. Made from one syntax tree, so that
 * tags are always closed and entities whole. Telegram counts a message's length without tags and entities.
 */
export function renderTelegramHtml(markdown: string): string {
  const tree = fromMarkdown(markdown, { extensions: [gfm()], mdastExtensions: [gfmFromMarkdown()] });
  return render(tree, markdown).trim();
}

function render(node: Node, source: string): string {
  switch (node.type) {
    case "root":
      return node.children.map((child) => render(child, source)).join("\n\n");
    case "text":
      return escapeHtml(node.value);
    case "html":
      return escapeHtml(node.value);
    case "break":
      return "\n";
    case "heading":
    case "strong":
      return `<b>${inner(node, source)}</b>`;
    case "emphasis":
      return `<i>${inner(node, source)}</i>`;
    case "delete":
      return `<s>${inner(node, source)}</s>`;
    case "inlineCode":
      return `<code>${escapeHtml(node.value)}</code>`;
    case "code":
      return codeBlock(node.value, node.lang);
    case "link":
      return linkTo(node.url, inner(node, source));
    case "image":
      return linkTo(node.url, escapeHtml(node.alt ?? node.url));
    case "blockquote":
      return `<blockquote>${node.children.map((child) => withoutQuotes(render(child, source))).join("\n")}</blockquote>`;
    case "list":
      return node.children.map((item, index) => listItem(item, marker(node, index), source)).join("\n");
    case "listItem":
      return inner(node, source);
    case "table":
      return codeBlock(sourceOf(node, source), undefined);
    case "thematicBreak":
      return "———";
    case "paragraph":
      return inner(node, source);
    default:
      return escapeHtml(sourceOf(node, source));
  }
}

function inner(node: Parent, source: string): string {
  return node.children.map((child) => render(child, source)).join("");
}

function listItem(item: ListItem, bullet: string, source: string): string {
  const box = item.checked === true ? "☑ " : item.checked === false ? "☐ " : "";
  const lines = item.children.map((child) => render(child, source)).join("\n");
  return `${bullet} ${box}${lines.replaceAll("\n", "\n  ")}`;
}

function marker(list: List, index: number): string {
  return list.ordered ? `${(list.start ?? 1) + index}.` : "•";
}

function codeBlock(value: string, language: string | null | undefined): string {
  const name = language?.match(/^[\w+#-]+/)?.[0];
  if (name === undefined) return `<pre>${escapeHtml(value)}</pre>`;
  return `<pre><code class="language-${escapeHtml(name)}">${escapeHtml(value)}</code></pre>`;
}

// Telegram knows web and its own links; any other scheme is shown as text.
function linkTo(url: string, label: string): string {
  return /^(https?|tg|mailto):/i.test(url)
    ? `<a href="${escapeHtml(url)}">${label}</a>`
    : `${label} (${escapeHtml(url)})`;
}

/** Telegram refuses a quotation within a quotation. */
function withoutQuotes(html: string): string {
  return html.replace(/<\/?blockquote>/g, "");
}

function sourceOf(node: Node, source: string): string {
  return source.slice(node.position?.start.offset ?? 0, node.position?.end.offset ?? 0);
}

function escapeHtml(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;");
}
