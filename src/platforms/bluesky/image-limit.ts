import { z } from "zod";
import type { AccountContext, Failure } from "../context.ts";
import { rejected } from "../outcomes.ts";
import { parseBody } from "../request.ts";
import type { MediaFile } from "../rules.ts";

/**
 * Servers of the reference implementation before April 2026 refuse a post with a larger picture. Such a
 * server says its version; it is asked before anything of a post is published, so that no thread stays half
 * published. A server that says nothing, or another version, decides by itself.
 */
const OLD_MAX_BYTES = 1_000_000;
const FIRST_WITH_TWO = [0, 4, 218] as const;

const Health = z.object({ version: z.string() });

/** The refusal of a picture by the version of the account's server; null if it may take it. */
export async function oldServerRefusal(
  context: AccountContext,
  origin: string,
  { kind, bytes, url }: MediaFile,
): Promise<Failure | null> {
  if (kind === "video" || bytes <= OLD_MAX_BYTES) return null;
  const answer = await context.send({ method: "GET", url: `${origin}/xrpc/_health` });
  const version = answer.kind === "answered" ? parseBody(Health, answer)?.version : undefined;
  if (version === undefined || !isOld(version)) return null;
  const sentence = `The account's server (version ${version}) takes pictures of at most 1,000,000 bytes: ${url} has ${bytes.toLocaleString("en")}. Send a smaller file, or ask the server's operator to update it.`;
  return rejected(sentence, "media_invalid");
}

function isOld(version: string): boolean {
  const parts = /^v?(\d{1,6})\.(\d{1,6})\.(\d{1,6})$/.exec(version.trim())?.slice(1).map(Number);
  if (parts === undefined) return false;
  const differing = parts.findIndex((part, index) => part !== FIRST_WITH_TWO[index]);
  return differing >= 0 && (parts[differing] ?? 0) < (FIRST_WITH_TWO[differing] ?? 0);
}
