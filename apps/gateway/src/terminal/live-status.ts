import type { OutputStream } from "./surroundings.ts";
import { cutTo } from "./text-width.ts";

const silenceMs = 300;
const repaintMs = 100;
const plainLineMs = 10_000;
const frames = ["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"] as const;
const asciiFrames = ["|", "/", "-", "\\"] as const;

/** One line that says what is going on while nothing else is printed. */
export interface LiveStatus {
  /** Takes the line away before something is printed, and starts the silence anew. */
  clear(): void;
  stop(): void;
}

export interface LiveStatusOptions {
  readonly stream: OutputStream;
  /** True where the stream is a terminal that can repaint a line. */
  readonly repaints: boolean;
  readonly unicode: boolean;
  readonly cut: string;
  /** What to say now; `undefined` = nothing. */
  describe(): string | undefined;
}

/** Shows a repainted line after 300 ms of silence; where the stream cannot repaint, one plain line every 10 s. */
export function createLiveStatus(options: LiveStatusOptions): LiveStatus {
  const { stream, repaints, describe } = options;
  const symbols = options.unicode ? frames : asciiFrames;
  let quietSince = Date.now();
  let shown = false;
  let frame = 0;

  function tick(): void {
    if (repaints && Date.now() - quietSince < silenceMs) return;
    const text = describe();
    if (text === undefined) return;
    if (!repaints) {
      stream.write(`${text}\n`);
      return;
    }
    frame = (frame + 1) % symbols.length;
    stream.write(`\r${cutTo(`${symbols[frame]} ${text}`, (stream.columns ?? 80) - 1, options.cut)}\u001b[K`);
    shown = true;
  }

  const timer = setInterval(tick, repaints ? repaintMs : plainLineMs);
  timer.unref();

  function clear(): void {
    quietSince = Date.now();
    if (shown) stream.write("\r\u001b[K");
    shown = false;
  }
  return {
    clear,
    stop() {
      clearInterval(timer);
      clear();
    },
  };
}
