type ConfigPart = Readonly<Record<string, unknown>>;

/**
 * The configuration under which the operator reads: every tool, every session, no sandbox. Only the policy of tools and
 * sessions is opened; the view through which texts are read stays as it is.
 */
export function operatorConfig(input: object): object {
  const { agents, channels: _channels, tools: _tools, ...rest } = input as ConfigPart;
  return {
    ...rest,
    agents: withoutPolicy(agents),
    tools: {
      sessions: { visibility: "all" },
      agentToAgent: { enabled: true, allow: ["*"] },
      subagents: { tools: { allow: ["session_status", "sessions_list", "sessions_history"] } },
    },
  };
}

function withoutPolicy(agents: unknown): object {
  const { defaults, list } = isPart(agents) ? agents : {};
  return {
    // A session that was made in a sandbox stays there; this lets it see beyond.
    defaults: { ...(isPart(defaults) ? withoutSandbox(defaults) : {}), sandbox: { sessionToolsVisibility: "all" } },
    ...(Array.isArray(list) ? { list: list.map((agent) => (isPart(agent) ? withoutSandbox(agent) : agent)) } : {}),
  };
}

function withoutSandbox({ sandbox: _sandbox, tools: _tools, ...rest }: ConfigPart): ConfigPart {
  return rest;
}

function isPart(value: unknown): value is ConfigPart {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
