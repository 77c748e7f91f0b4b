// Instagram Login: api.instagram.com exchanges the code and has its own error format; graph.instagram.com
// serves the rest.

import { Hono } from "hono";
import { z } from "zod";
import { badParameter, GraphError } from "../meta/errors";
import { findCode, findIssued, isRegisteredRedirect, issueToken, useCode } from "../meta/logins";
import { type GraphEnv, parse, text } from "../meta/params";
import { operation } from "../operation";
import type { PlatformBindings } from "../platform";
import type { Sandbox } from "../sandbox";
import { DAY_MS } from "./store";
import { authenticate, findToken, LOGIN_APP, misbehaviour } from "./tokens";

class LoginError extends Error {}

export function apiApp(sandbox: Sandbox) {
  const app = new Hono<{ Bindings: PlatformBindings }>();
  app.post(
    "/oauth/access_token",
    operation(sandbox, "instagram", "token", {
      refusals: {},
      outage: () => new Response("<html><body>Sorry, something went wrong.</body></html>", { status: 500 }),
      rateLimited: () => refusal(429, "Too many requests"),
      expireToken: () => {},
      revokeToken: () => {},
    }),
    async (c) => {
      const form = await c.req.formData().catch(() => new FormData());
      const value = (name: string) => String(form.get(name) ?? "");
      if (value("client_id") !== LOGIN_APP.id) throw new LoginError("Invalid platform app");
      if (value("client_secret") !== LOGIN_APP.secret) throw new LoginError("Error validating client secret.");
      if (value("grant_type") !== "authorization_code") throw new LoginError("Invalid grant_type");
      if (!isRegisteredRedirect("instagram", value("redirect_uri"))) throw new LoginError("Invalid redirect_uri");
      // The fragment mark (`#_`) of the redirect is not part of the code.
      const code = findCode(sandbox, LOGIN_APP.id, value("code"));
      const isOver = !code || code.used === 1 || code.expires_at <= sandbox.now();
      if (isOver || c.env.call.fault?.kind === "expire_token") {
        throw new LoginError("This authorization code has been used");
      }
      if (code.redirect_uri !== value("redirect_uri")) throw new LoginError("redirect_uri does not match");
      useCode(sandbox, code);
      return answerLogin(sandbox, code.grant_id);
    },
  );
  app.notFound(() => refusal(404, "Unknown path"));
  app.onError((error) => refusal(error instanceof LoginError ? 400 : 500, error.message));
  return app;
}

const refusal = (status: number, message: string) =>
  Response.json({ error_type: "OAuthException", code: status, error_message: message }, { status });

function answerLogin(sandbox: Sandbox, grantId: number): Response {
  const { instagram_short_token_seconds: seconds, instagram_exchange: form } = sandbox.settings.all;
  const token = issueToken(sandbox, { grantId, kind: "short", prefix: "IGAA", lastsMs: seconds * 1000 });
  const grant = findIssued(sandbox, token, [LOGIN_APP.id]);
  const scopes = grant?.scopes ?? [];
  const [id = "0"] = grant?.subjects ?? [];
  const permissions = form === "flat" ? JSON.stringify(scopes) : JSON.stringify(scopes.join(","));
  // The id is a number that is larger than most JSON parsers can represent exactly.
  const one = `{"access_token":${JSON.stringify(token)},"user_id":${id},"permissions":${permissions}}`;
  const headers = { "content-type": "application/json" };
  return new Response(form === "flat" ? one : `{"data":[${one}]}`, { headers });
}

export function instagramTokenRoutes(sandbox: Sandbox) {
  const app = new Hono<GraphEnv>();
  const tokenCall = operation<GraphEnv>(sandbox, "instagram", "token", misbehaviour(sandbox));
  const lastsMs = () => sandbox.settings.all.instagram_long_token_seconds * 1000;

  app.get("/access_token", tokenCall, async (c) => {
    const input = parse(c, z.object({ grant_type: z.literal("ig_exchange_token"), client_secret: text }));
    if (input.client_secret !== LOGIN_APP.secret) throw new GraphError(101, "Error validating client secret.");
    const token = await authenticate(sandbox, c, ["short", "long"]);
    if (token.kind !== "short") throw badParameter("Only a short-lived token is exchanged");
    const issued = issueToken(sandbox, {
      grantId: token.grantId,
      kind: "long",
      prefix: "IGAA",
      lastsMs: lastsMs(),
    });
    return c.json({ access_token: issued, token_type: "bearer", expires_in: lastsMs() / 1000 });
  });

  app.get("/refresh_access_token", tokenCall, async (c) => {
    parse(c, z.object({ grant_type: z.literal("ig_refresh_token") }));
    const { token: sent, kind, grantId } = await authenticate(sandbox, c, ["short", "long"]);
    const token = findToken(sandbox, sent);
    if (kind !== "long" || (token?.issuedAt ?? 0) > sandbox.now() - DAY_MS) {
      throw badParameter("The token must be a long-lived one, and at least 24 hours old");
    }
    const issued = issueToken(sandbox, { grantId, kind: "long", prefix: "IGAA", lastsMs: lastsMs() });
    const permissions = token?.scopes.join(",") ?? "";
    return c.json({ access_token: issued, token_type: "bearer", expires_in: lastsMs() / 1000, permissions });
  });
  return app;
}
