import { z } from "zod";
import { isHmac } from "../../core/hmac.ts";
import { fromHex } from "../../core/tokens.ts";
import type { Deauthorizing } from "../deauthorizing.ts";
import { parseJson } from "../json.ts";

/**
 * TikTok's event `authorization.removed`: a person has removed our app, or their account is gone
 * (developers.tiktok.com/doc/webhooks-events and …/webhooks-verification, checked 2026-11-28).
 *
 * - The header `TikTok-Signature` is `t=<seconds>,s=<hex>`: the HMAC-SHA256 of the time, a dot and the raw
 *   body, by the client secret.
 * - An app has one address for all events. Those of posts and uploads say nothing that is not read anyway.
 * - TikTok repeats an event for 72 hours until it is answered with 200, and may send it twice.
 * - The apps for comments and ads, at TikTok's portal for business, have no such event.
 */
const HEADER = /^t=(\d{1,12}),\s*s=([0-9a-f]{64})$/i;

const Event = z.object({ client_key: z.string(), event: z.string() });
const Removed = z.object({
  event: z.literal("authorization.removed"),
  create_time: z.coerce.number().int().positive().max(1e11),
  user_openid: z.string().min(1).max(100),
});

export const deauthorizing: Deauthorizing = {
  app: "tiktok",
  by: "event",
  settings: () => ({ deauthorize: "Webhooks › Callback URL", deletion: "Webhooks › Callback URL" }),
  async read(body, headers, app) {
    const [, time = "", hex = ""] = HEADER.exec(headers.get("tiktok-signature") ?? "") ?? [];
    if (time === "" || app.secret === "") return null;
    const start = new TextEncoder().encode(`${time}.`);
    const signed = new Uint8Array(start.length + body.length);
    signed.set(start);
    signed.set(body, start.length);
    if (!(await isHmac(app.secret, signed, fromHex(hex)))) return null;
    const text = new TextDecoder().decode(body);
    const sent = parseJson(text);
    if (Event.safeParse(sent).data?.client_key !== app.id) return null;
    const removed = Removed.safeParse(sent).data;
    if (!removed) return { kind: "other" };
    // A repeat has the same body, whatever the time of its signature.
    return { kind: "deauthorized", userId: removed.user_openid, issuedAt: removed.create_time * 1000, signed: text };
  },
};
