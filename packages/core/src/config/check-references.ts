import type { z } from "zod";
import type { ConfigProblem } from "./config-problems.ts";
import type { trunklineConfigSchema } from "./trunkline-config.ts";

/** The faults that only show when sections are read together: ids used twice, or used and never defined. */
export function referenceProblems(config: z.output<typeof trunklineConfigSchema>): readonly ConfigProblem[] {
  return [...duplicateAgents(config), ...unknownBindingAgents(config), ...forbiddenAcpDefault(config)];
}

function duplicateAgents({ agents }: z.output<typeof trunklineConfigSchema>): readonly ConfigProblem[] {
  return agents.list.flatMap(({ id }, index) => {
    const first = agents.list.findIndex((other) => other.id === id);
    if (first === index) return [];
    return [
      { path: `agents.list[${index}].id`, message: `the agent id "${id}" is already used by agents.list[${first}]` },
    ];
  });
}

function unknownBindingAgents({ agents, bindings }: z.output<typeof trunklineConfigSchema>): readonly ConfigProblem[] {
  const ids = agents.list.length === 0 ? ["main"] : agents.list.map(({ id }) => id);
  return bindings.flatMap(({ agentId }, index) => {
    if (ids.includes(agentId)) return [];
    const message = `"${agentId}" is no configured agent`;
    return [
      { path: `bindings[${index}].agentId`, message, fix: `Add it to agents.list, or use one of: ${ids.join(", ")}.` },
    ];
  });
}

function forbiddenAcpDefault({ acp }: z.output<typeof trunklineConfigSchema>): readonly ConfigProblem[] {
  const { allowedAgents, defaultAgent } = acp;
  if (defaultAgent === undefined || allowedAgents === undefined) return [];
  if (allowedAgents.includes("*") || allowedAgents.includes(defaultAgent)) return [];
  return [{ path: "acp.defaultAgent", message: `"${defaultAgent}" is not in acp.allowedAgents` }];
}
