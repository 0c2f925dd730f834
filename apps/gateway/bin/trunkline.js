#!/usr/bin/env node
// Plain JavaScript, so that a Node too old for the program itself can still say what it needs.
import { existsSync } from "node:fs";

const needed = [22, 12];
const program = new URL("../dist/main.js", import.meta.url);
const [major, minor] = process.versions.node.split(".").map(Number);

if (major < needed[0] || (major === needed[0] && minor < needed[1])) {
  stop(
    `trunkline needs Node ${needed.join(".")} or newer; this is Node ${process.versions.node}. Get one from https://nodejs.org`,
  );
} else if (!existsSync(program)) {
  stop("trunkline is not built in this checkout. Build it with: npm run build");
} else {
  await import(program.href);
}

function stop(line) {
  console.error(line);
  process.exitCode = 2;
}
