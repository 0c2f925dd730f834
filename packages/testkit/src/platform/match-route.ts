/** A route's method and path as a test of requests. */
export interface RouteMatcher {
  match(method: string, path: string): Readonly<Record<string, string>> | undefined;
}

/** Reads `POST /bot:token/sendMessage`: `:name` stands for the rest of its segment, a final `*` for any rest. */
export function matchRoute(key: string): RouteMatcher {
  const [, method, pattern] = /^([A-Z]+) (\/\S*)$/.exec(key) ?? [];
  if (method === undefined || pattern === undefined)
    throw new Error(`a route is a method and a path, such as "POST /send"; got "${key}"`);
  const names: string[] = [];
  const source = pattern
    .split(/(:[A-Za-z]\w*|\*$)/)
    .map((part) => {
      if (part === "*") return ".*";
      if (!part.startsWith(":") || part.length === 1) return part.replaceAll(/[$()*+.?[\\\]^{|}]/g, "\\$&");
      names.push(part.slice(1));
      return "([^/]+)";
    })
    .join("");
  const expression = new RegExp(`^${source}$`);
  return {
    match(requested, path) {
      const found = requested === method ? expression.exec(path) : null;
      if (!found) return undefined;
      return Object.fromEntries(names.map((name, index) => [name, decodeURIComponent(found[index + 1] ?? "")]));
    },
  };
}
