import fc from "fast-check";
import { expect, test } from "vitest";
import { renderMarkdown } from "../../src/outbox/markdown/render-markdown.ts";
import { renderTelegramHtml as html } from "../../src/outbox/markdown/render-telegram-html.ts";

test("markdown becomes the tags that Telegram reads, and no others", () => {
  expect(html("# Title\n\n**bold** *it* ~~gone~~ `a<b` [site](https://x.test/?a=1&b=2)")).toBe(
    '<b>Title</b>\n\n<b>bold</b> <i>it</i> <s>gone</s> <code>a&lt;b</code> <a href="https://x.test/?a=1&amp;b=2">site</a>',
  );
  expect(html("```ts\nif (a < b && c) {}\n```")).toBe(
    '<pre><code class="language-ts">if (a &lt; b &amp;&amp; c) {}</code></pre>',
  );
  expect(html("- one\n- two\n  - deep\n\n3. three\n4. four")).toBe("• one\n• two\n  • deep\n\n3. three\n4. four");
  expect(html("> said\n> twice")).toBe("<blockquote>said\ntwice</blockquote>");
  expect(html("<script>alert(1)</script> & <b>raw</b>")).not.toMatch(/<(script|b)>/);
  expect(html("[x](javascript:alert(1))")).not.toContain("href");
});

test("whatever the text, every tag is closed, every entity whole, and nothing but known tags comes out", () => {
  const pieces = fc.constantFrom(
    "**",
    "*",
    "`",
    "```\n",
    "[",
    "](",
    ")",
    "<b>",
    "&",
    "&amp",
    "> ",
    "- ",
    "# ",
    "\n",
    "|a|b|\n|-|-|\n",
    "text",
    "é🚀",
    "~~",
  );
  fc.assert(
    fc.property(fc.array(pieces, { maxLength: 60 }), (parts) => {
      const out = html(parts.join(""));
      const open: string[] = [];
      for (const [, slash, name = ""] of out.matchAll(/<(\/?)([a-z]+)[^>]*>/g)) {
        expect(["b", "i", "s", "a", "code", "pre", "blockquote"]).toContain(name);
        if (slash === "") open.push(name);
        else expect(open.pop()).toBe(name);
      }
      expect(open).toEqual([]);
      expect(out.replace(/<\/?[a-z]+[^<>]*>/g, "")).not.toMatch(/[<>]/);
      expect(out.replace(/&(amp|lt|gt|quot);/g, "")).not.toContain("&");
    }),
    { numRuns: 500 },
  );
});

test("a channel's texts come in its flavour; without one, or with one that is not known, as they are", async () => {
  const parts = ["**x** <y>", "`z`"];
  expect(await renderMarkdown(parts, "telegram-html")).toEqual(["<b>x</b> &lt;y&gt;", "<code>z</code>"]);
  expect(await renderMarkdown(parts, undefined)).toEqual(parts);
  expect(await renderMarkdown(parts, "constructor")).toEqual(parts);
});
