import { PassThrough } from "node:stream";
import { setTimeout } from "node:timers/promises";
import { expect, test } from "vitest";
import { createLiveStatus } from "../src/terminal/live-status.ts";

function status(options: { readonly repaints: boolean; readonly text?: string }) {
  const stream = new PassThrough();
  const live = createLiveStatus({
    stream,
    repaints: options.repaints,
    unicode: true,
    cut: "…",
    describe: () => options.text,
  });
  return { live, written: () => String(stream.read() ?? "") };
}

test("after a silence the line is painted in place, and taken away before anything else is printed", async () => {
  const { live, written } = status({ repaints: true, text: "3 of 12 readers done" });
  expect(written()).toBe("");
  await setTimeout(700);
  const paintings = written().split("\u001b[K");
  expect(paintings.pop()).toBe("");
  expect(paintings.length).toBeGreaterThan(0);
  for (const painting of paintings) expect(painting).toMatch(/^\r\S 3 of 12 readers done$/);
  live.clear();
  expect(written()).toBe("\r\u001b[K");
  live.clear();
  live.stop();
  expect(written()).toBe("");
});

test("nothing is shown where there is nothing to say, or where the stream cannot repaint yet", async () => {
  const quiet = status({ repaints: true });
  const plain = status({ repaints: false, text: "3 of 12 readers done" });
  await setTimeout(600);
  expect([quiet.written(), plain.written()]).toEqual(["", ""]);
  quiet.live.stop();
  plain.live.stop();
});
