import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

export const root = fileURLToPath(new URL("..", import.meta.url));

/** Every package below packages/ and apps/: `{name, directory (absolute), manifest}`, in the order of their names. */
export function workspacePackages() {
  return ["packages", "apps"].flatMap((parent) =>
    readdirSync(join(root, parent))
      .sort()
      .map((entry) => join(root, parent, entry))
      .filter((directory) => existsSync(join(directory, "package.json")))
      .map((directory) => {
        const manifest = JSON.parse(readFileSync(join(directory, "package.json"), "utf8"));
        return { name: manifest.name, directory, manifest };
      }),
  );
}

export function publishedPackages() {
  return workspacePackages().filter(({ manifest }) => manifest.private !== true);
}
