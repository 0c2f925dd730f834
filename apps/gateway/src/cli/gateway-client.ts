import { z } from "zod";
import { CommandError } from "./command-error.ts";

/** A gateway reached over HTTP; every call acts as its token's session. */
export interface GatewayClient {
  readonly url: string;
  /** The tool's result, unchanged. */
  callTool(name: string, args: object): Promise<unknown>;
  listTools(): Promise<readonly { readonly name: string; readonly description: string }[]>;
}

const problemSchema = z.object({
  error: z.object({ code: z.string(), message: z.string(), path: z.string().optional() }),
});
const toolsSchema = z.object({ tools: z.array(z.object({ name: z.string(), description: z.string() })) });

/** Makes a client. Throws `invalid_input` for an address that is none, or that holds a password or a query. */
export function createGatewayClient(address: string, token: string | undefined): GatewayClient {
  const base = parseAddress(address);
  if (token === undefined || token === "") {
    throw new CommandError("gateway_unauthorized", `a token is needed to ask ${base}`, {
      fix: "Put the token that serve printed into the environment: TRUNKLINE_TOKEN",
    });
  }
  const request = async (method: string, path: string, body?: object): Promise<unknown> => {
    const response = await send(`${base}${path}`, {
      method,
      headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    if (response.ok) return await response.json();
    throw await problemOf(response, base);
  };
  return {
    url: base,
    callTool: (name, args) => request("POST", `/v1/tools/${encodeURIComponent(name)}`, args),
    listTools: async () => toolsSchema.parse(await request("GET", "/v1/tools")).tools,
  };
}

function parseAddress(address: string): string {
  const url = URL.canParse(address) ? new URL(address) : undefined;
  const usable =
    url !== undefined &&
    /^https?:$/u.test(url.protocol) &&
    url.username === "" &&
    url.password === "" &&
    url.search === "" &&
    url.hash === "";
  if (usable) return `${url.origin}${url.pathname.replace(/\/+$/u, "")}`;
  throw new CommandError("invalid_input", "--url is no plain http address", {
    fix: "Give the gateway's address alone, e.g. --url http://127.0.0.1:4747; the token goes into TRUNKLINE_TOKEN",
    path: "--url",
  });
}

async function send(url: string, options: RequestInit): Promise<Response> {
  try {
    return await fetch(url, options);
  } catch (error) {
    throw new CommandError("gateway_unreachable", `no gateway answers at ${new URL(url).origin}`, {
      fix: "Start one with: npx trunkline serve",
      cause: error,
    });
  }
}

async function problemOf(response: Response, base: string): Promise<CommandError> {
  const problem = problemSchema.safeParse(await response.json().catch(() => undefined)).data?.error;
  if (response.status === 401) {
    return new CommandError("gateway_unauthorized", `${base} does not accept the token in TRUNKLINE_TOKEN`, {
      fix: "Use the token that this gateway printed at its first start",
    });
  }
  if (response.status === 400 && problem !== undefined) {
    return new CommandError("invalid_input", problem.message, {
      fix: "Correct the argument; every flag is listed with: npx trunkline --help",
      ...(problem.path === undefined ? {} : { path: problem.path }),
    });
  }
  return new CommandError("gateway_unreachable", `${base} answered ${response.status}`, {
    fix: "Check that --url names a Trunkline gateway, and look into its log",
  });
}
