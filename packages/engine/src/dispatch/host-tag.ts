import { readFileSync, readlinkSync } from "node:fs";
import { hostname } from "node:os";

/** Names this process on this host and boot, so that its successor on the same host can prove it dead at once. */
export const hostTag = [hostPart(), process.pid, startOf(process.pid)].join("/");

/** Whether a tag names a process of this very host and boot that no longer exists; a foreign host's is never proven. */
export function isProvenDead(tag: string): boolean {
  const [host, pid, start] = tag.split("/");
  if (host !== hostPart() || pid === undefined) return false;
  if (!exists(Number(pid))) return true;
  const now = startOf(Number(pid));
  return start !== undefined && start !== "" && now !== "" && now !== start;
}

function hostPart(): string {
  const boot = attempt(() => readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim().slice(0, 13));
  const namespace = attempt(() => readlinkSync("/proc/self/ns/pid").replace(/\D/g, ""));
  return `${hostname().replaceAll("/", "_").slice(0, 60)}.${boot}.${namespace}`;
}

/** When the process began, in clock ticks since boot, where the system tells it: a reused pid is not the same process. */
function startOf(pid: number): string {
  return attempt(() => {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    return stat.slice(stat.lastIndexOf(")") + 2).split(" ")[19] ?? "";
  });
}

function exists(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return !(error instanceof Error && "code" in error && error.code === "ESRCH");
  }
}

function attempt(read: () => string): string {
  try {
    return read();
  } catch {
    return "";
  }
}
