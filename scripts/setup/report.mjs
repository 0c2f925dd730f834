const outputTailLines = 30;
const utf8 = /utf-?8/i.test(`${process.env.LC_ALL || process.env.LC_CTYPE || process.env.LANG || ""}`);
const tick = (utf8 || process.platform === "darwin") && process.env.TERM !== "dumb" ? "✓" : "ok";

/** Progress on one line of stderr, so that stdout belongs to the command: `[1/3] title  ✓ 31 s      [2/3] …`. */
export function createReport(total) {
  let open = false;
  const write = (text) => {
    process.stderr.write(text);
    open = true;
  };
  SetupFailure.beforePrint = () => open && process.stderr.write("\n");
  return {
    start(number, title) {
      write(`[${number}/${total}] ${title}  `);
      const startedAt = performance.now();
      return () => write(`${tick} ${seconds(performance.now() - startedAt)}      `);
    },
    last(title) {
      const note = open ? "        (a second run starts here)" : "";
      write(`[${total}/${total}] ${title}${note}\n`);
      open = false;
    },
  };
}

/** A failed set-up step: what happened, what to do, and the end of the output of the program that failed. */
export class SetupFailure extends Error {
  static beforePrint = () => undefined;

  constructor(code, message, { fix, output = "" }) {
    super(message);
    this.code = code;
    this.fix = fix;
    this.output = output;
  }

  print() {
    SetupFailure.beforePrint();
    const tail = this.output.trimEnd().split("\n").slice(-outputTailLines);
    if (this.output !== "") process.stderr.write(`${tail.map((line) => `  | ${line}`).join("\n")}\n`);
    process.stderr.write(`error  ${this.code.padEnd(18)}  ${this.message}\n  fix  ${this.fix}\n`);
  }
}

function seconds(durationMs) {
  return `${durationMs < 9_950 ? (durationMs / 1000).toFixed(1) : Math.round(durationMs / 1000)} s`;
}
