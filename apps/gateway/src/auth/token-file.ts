import { createHash, randomBytes, timingSafeEqual } from "node:crypto";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import { TrunklineError } from "@trunkline/core";
import { z } from "zod";

const tokenFileSchema = z.strictObject({
  v: z.literal(1),
  /** SHA-256 of the token, in hexadecimal. */
  hash: z.string().regex(/^[0-9a-f]{64}$/u),
  sessionKey: z.string().min(1),
  createdAt: z.int(),
});

/** What is known of the gateway's token: its hash and the session that acts when it is presented. */
export interface AccessToken {
  readonly sessionKey: string;
  /** Whether a presented token is this one; takes the same time for every token. */
  matches(presented: string): boolean;
}

export interface OpenedToken {
  readonly access: AccessToken;
  /** The token itself, only when it was made just now: it is kept nowhere. */
  readonly created?: string;
}

/**
 * Reads the token's hash from a file, or makes a token and writes its hash there (mode 600). Of several processes that start
 * at once one makes it. Throws `invalid_config` when the file is not one of ours.
 */
export async function openToken(file: string, sessionKey: string): Promise<OpenedToken> {
  const existing = await readTokenFile(file);
  if (existing !== undefined) return { access: existing };
  const token = `tl_${randomBytes(32).toString("base64url")}`;
  const hash = hashOf(token);
  await mkdir(dirname(file), { recursive: true, mode: 0o700 });
  try {
    const content = { v: 1, hash: hash.toString("hex"), sessionKey, createdAt: Date.now() };
    await writeFile(file, `${JSON.stringify(content, null, 2)}\n`, { mode: 0o600, flag: "wx" });
  } catch (error) {
    if (!isCode(error, "EEXIST")) throw unusable(file, "cannot be written", error);
    const other = await readTokenFile(file);
    if (other !== undefined) return { access: other };
  }
  return { access: accessFor(hash, sessionKey), created: token };
}

async function readTokenFile(file: string): Promise<AccessToken | undefined> {
  let text: string;
  try {
    text = await readFile(file, "utf8");
  } catch (error) {
    if (isCode(error, "ENOENT")) return undefined;
    throw unusable(file, "cannot be read", error);
  }
  const parsed = tokenFileSchema.safeParse(parseJson(text));
  if (!parsed.success) throw unusable(file, "is not a token file of this version", parsed.error);
  return accessFor(Buffer.from(parsed.data.hash, "hex"), parsed.data.sessionKey);
}

function accessFor(hash: Buffer, sessionKey: string): AccessToken {
  return { sessionKey, matches: (presented) => timingSafeEqual(hashOf(presented), hash) };
}

function hashOf(token: string): Buffer {
  return createHash("sha256").update(token).digest();
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

function unusable(file: string, what: string, cause: unknown): TrunklineError {
  return new TrunklineError("invalid_config", `${file} ${what}`, {
    fix: `Move ${file} away; the next start makes a new token: npx trunkline serve`,
    cause,
  });
}

function isCode(error: unknown, code: string): boolean {
  return error instanceof Error && "code" in error && error.code === code;
}
