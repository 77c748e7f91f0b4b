import { z } from "zod";
import { fromBase64Url } from "../core/tokens.ts";

const Named = z.object({ db: z.int().nonnegative() });

/** The pages of the connect flow, and of clients who approve a post. */
const NAMING = /^\/(?:connect|console\/approve)\//;

/**
 * The number of the database that a signed text names: of a connect link in the path, an approval link, or
 * the state of a login. It is read before the signature is verified, which happens where the text is used: a
 * forged number only chooses where nothing is found. Null if none names one, and at every other address:
 * nobody chooses by a parameter where a sign-in or a request is served.
 */
export function namedDatabase({ pathname, searchParams }: URL): number | null {
  if (!NAMING.test(pathname)) return null;
  for (const text of [...pathname.split("/"), searchParams.get("state") ?? ""]) {
    const [, payload = ""] = /^[\w-]+\.([\w-]{1,400})\.[\w-]+$/.exec(text) ?? [];
    const bytes = fromBase64Url(payload);
    const named = bytes === null ? null : Named.safeParse(parsed(bytes)).data;
    if (named) return named.db;
  }
  return null;
}

function parsed(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder().decode(bytes));
  } catch {
    return null;
  }
}
