/** The demo's own agents and rules; the same for `demo` and for every command with `--demo`. */
export const demoConfig = {
  agents: {
    defaults: { subagents: { maxChildrenPerAgent: 100, maxConcurrent: 8 } },
    list: [
      { id: "main", name: "Coordinator", default: true },
      { id: "editor", name: "Editor" },
    ],
  },
  tools: {
    sessions: { visibility: "all" },
    agentToAgent: { enabled: true, allow: ["main", "editor"] },
  },
  session: { agentToAgent: { maxPingPongTurns: 2 } },
  bindings: [{ agentId: "editor", match: { channel: "console", peer: { kind: "channel", id: "demo" } } }],
} as const;

export const coordinatorKey = "agent:main:main";

/** The editor's session: its key holds the route of the console channel, so what it announces appears there. */
export const editorKey = "agent:editor:console:channel:demo";

/** Words of the answer, sources not counted. */
export const answerWordLimit = 60;
