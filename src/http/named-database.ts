import { z } from "zod";
import { fromBase64Url } from "../core/tokens.ts";

const Named = z.object({ db: z.int().nonnegative() });

/**
 * The number of the database that a signed text names: of a connect link in the path, an approval link, or
 * the state of a login. It is read before the signature is verified, which happens where the text is used: a
 * forged number only chooses where nothing is found. Null if none names one.
 */
export function namedDatabase(url: URL): number | null {
  const texts = [...url.pathname.split("/"), url.searchParams.get("state") ?? ""];
  for (const text of texts) {
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
