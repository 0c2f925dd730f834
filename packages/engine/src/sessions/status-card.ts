import type { SessionDetails } from "./session-details.ts";

/** The card that a model or a person reads; everything in it is in the details too. */
export function statusCard(details: SessionDetails): string {
  const { model, usage, run, tasks, route } = details;
  const lines: (readonly [string, string | undefined])[] = [
    ["Session", details.label === undefined ? details.sessionKey : `${details.sessionKey} (${details.label})`],
    ["Model", modelLine(model)],
    ["Thinking", details.thinking],
    ["Run", run.abortedLastRun ? `${run.status}, the last run did not end well` : run.status],
    ["Goal", details.goal],
    ["Tokens", `${usage.inputTokens ?? 0} in, ${usage.outputTokens ?? 0} out, ${usage.totalTokens ?? 0} total`],
    ["Cost", usage.costUsd === undefined ? undefined : `$${usage.costUsd.toFixed(4)}`],
    ["Time", `${details.time.now} (${details.time.timeZone})`],
    ["State version", String(details.stateVersion)],
    ...tasks.map((task) => ["Task", taskLine(task)] as const),
  ];
  const width = 14;
  return [
    ...lines.flatMap(([name, value]) => (value === undefined ? [] : [`${name.padEnd(width)}${value}`])),
    ...(route ? ["", "Route context", JSON.stringify(route, null, 2)] : []),
  ].join("\n");
}

function taskLine({ label, childSessionKey, outcome, status, delivery }: SessionDetails["tasks"][number]): string {
  const posted = delivery === undefined ? "" : `, post ${delivery}`;
  return `${label ?? childSessionKey}: ${outcome ?? status}${posted}`;
}

function modelLine({ effective, override, agentDefault }: SessionDetails["model"]): string {
  const name = effective ?? "not configured";
  if (override !== undefined) return `${name} (set for this session${agentDefault ? `, default ${agentDefault}` : ""})`;
  return agentDefault !== undefined && agentDefault !== effective
    ? `${name} (default ${agentDefault})`
    : `${name} (default)`;
}
