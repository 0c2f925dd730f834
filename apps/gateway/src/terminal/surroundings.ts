import process from "node:process";

/** A stream that the program writes to; `process.stdout` fits, and so does a `PassThrough`. */
export interface OutputStream extends NodeJS.WritableStream {
  readonly isTTY?: boolean;
  readonly columns?: number;
}

/** Everything outside the program that a command may touch. */
export interface Surroundings {
  readonly stdin: NodeJS.ReadableStream;
  readonly stdout: OutputStream;
  readonly stderr: OutputStream;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly workingDirectory: string;
}

/** The surroundings of this process. */
export function processSurroundings(): Surroundings {
  return {
    stdin: process.stdin,
    stdout: process.stdout,
    stderr: process.stderr,
    environment: process.env,
    workingDirectory: process.cwd(),
  };
}

/** Writes one line; a reader that closed the pipe early is not an error of ours. */
export function writeLine(stream: OutputStream, line: string): void {
  stream.write(`${line}\n`);
}
