// Google's `tokeninfo`: the properties of an access token. It needs no login, and `token` faults do not apply
// to it.

import { Hono } from "hono";
import { formOf } from "../oauth";
import type { Sandbox } from "../sandbox";
import type { YoutubeContext, YoutubeEnv } from "./api";
import { CLIENT_ID } from "./store";

const PATHS = ["/tokeninfo", "/oauth2/v1/tokeninfo", "/oauth2/v2/tokeninfo", "/oauth2/v3/tokeninfo"];

export function tokenInfo(sandbox: Sandbox) {
  const app = new Hono<YoutubeEnv>();
  for (const path of PATHS) {
    app.on(["GET", "POST"], path, async (c) => {
      const token = (await formOf(c)).access_token ?? c.req.query("access_token");
      if (token === undefined) return refused(c, "invalid_request", "Required parameter is missing: access_token");
      const info = infoOf(sandbox, token);
      return info === null ? refused(c, "invalid_token", "Invalid Value") : c.json(info);
    });
  }
  return app;
}

const refused = (c: YoutubeContext, error: string, description: string) =>
  c.json({ error, error_description: description }, 400);

/** Numbers are returned as text. Null if the token is invalid or not an access token. */
function infoOf(sandbox: Sandbox, token: string): Record<string, string> | null {
  type Found = { expires_at: number; scopes: string; is_lasting: number };
  const found = sandbox.db.first<Found>(
    `SELECT t.expires_at, g.scopes, EXISTS (
       SELECT 1 FROM youtube_tokens r WHERE r.grant_id = g.id AND r.kind = 'refresh') AS is_lasting
     FROM youtube_tokens t JOIN youtube_grants g ON g.id = t.grant_id
     WHERE t.token = ? AND t.kind = 'access' AND g.is_dead = 0`,
    token,
  );
  if (!found || found.expires_at <= sandbox.now()) return null;
  return {
    azp: CLIENT_ID,
    aud: CLIENT_ID,
    scope: found.scopes,
    exp: String(Math.floor(found.expires_at / 1000)),
    expires_in: String(Math.floor((found.expires_at - sandbox.now()) / 1000)),
    access_type: found.is_lasting === 1 ? "offline" : "online",
  };
}
