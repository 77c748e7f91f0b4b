import { z } from "zod";
import { isHmac } from "../../core/hmac.ts";
import { fromBase64Url } from "../../core/tokens.ts";
import type { AppCredentials } from "../context.ts";
import type { Deauthorization, Deauthorizing } from "../deauthorizing.ts";
import { PlatformId, parseJson } from "../json.ts";

/**
 * The callbacks of Meta's products for a removed app and for the deletion of data: a form with
 * `signed_request`, two parts in base64url (developers.facebook.com/docs/apps/delete-data, checked
 * 2026-11-28).
 *
 * - The first part is the HMAC-SHA256 of the second one as it was sent, by the app's secret.
 * - The second one is JSON with `algorithm`, `issued_at` (seconds) and `user_id`, the person's id in our app.
 * - Meta's JavaScript SDK hands such a text to any page in which a person is logged in, with a `code`. It
 *   is a login, and no removal.
 */
const SHAPE = /^([\w-]{43})=?\.([\w-]{2,4000}={0,2})$/;

const Payload = z.object({
  algorithm: z.literal("HMAC-SHA256"),
  user_id: PlatformId.pipe(z.string().max(100)),
  issued_at: z.coerce.number().int().positive().max(1e11),
  code: z.undefined().optional(),
});

export async function readSignedRequest(
  body: Uint8Array,
  { secret, options }: Pick<AppCredentials, "secret" | "options">,
): Promise<Deauthorization | null> {
  const sent = new URLSearchParams(new TextDecoder().decode(body)).getAll("signed_request");
  const [, mac = "", payload = ""] = (sent.length === 1 ? SHAPE.exec(sent[0] ?? "") : null) ?? [];
  const signature = fromBase64Url(mac);
  if (!signature) return null;
  const text = new TextEncoder().encode(payload);
  // With Instagram Login, the surrounding Meta app has another secret, which may be the one that signs.
  for (const key of [secret, options?.meta_secret ?? ""]) {
    if (key !== "" && (await isHmac(key, text, signature))) return parsed(payload);
  }
  return null;
}

function parsed(payload: string): Deauthorization | null {
  const bytes = fromBase64Url(payload.replace(/={1,2}$/, ""));
  const read = bytes && Payload.safeParse(parseJson(new TextDecoder().decode(bytes))).data;
  return read ? { userId: read.user_id, issuedAt: read.issued_at * 1000, signed: payload } : null;
}

/** For a product of Meta: where its addresses are entered. */
export function signedRequests(
  app: Deauthorizing["app"],
  settings: Deauthorizing["settings"],
): Deauthorizing & { readonly by: "form" } {
  return {
    app,
    by: "form",
    settings,
    async read(body, _headers, credentials) {
      const found = await readSignedRequest(body, credentials);
      return found && { kind: "deauthorized", ...found };
    },
  };
}

/** In the dashboard of an app with Facebook Login for Business. */
export const FACEBOOK_LOGIN_SETTINGS = {
  deauthorize: "Facebook Login for Business › Settings › Deauthorize callback URL",
  deletion: "App settings › Basic › User data deletion › Data deletion callback URL",
};
