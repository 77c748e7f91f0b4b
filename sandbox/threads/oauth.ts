// Tokens of the simulated Threads: a code is exchanged for a short-lived token, that for a long-lived one,
// which can be refreshed. These endpoints have no version.

import { Hono } from "hono";
import { z } from "zod";
import { badParameter, GraphError } from "../meta/errors";
import { describeToken, findCode, issueToken, useCode } from "../meta/logins";
import { type GraphContext, type GraphEnv, parse, text } from "../meta/params";
import { operation } from "../operation";
import type { Sandbox } from "../sandbox";
import { APP_ID, APP_NAME, APP_SECRET, APP_TOKEN, authenticate, findToken, misbehaviour, type Token } from "./tokens";

/** The old flat error format, used only by the code exchange. */
class FlatError extends Error {
  toResponse(): Response {
    return Response.json({ error_type: "OAuthException", code: 400, error_message: this.message }, { status: 400 });
  }
}

const CodeCall = z.object({
  client_id: text.optional(),
  client_secret: text.optional(),
  grant_type: text.optional(),
  code: text.optional(),
  redirect_uri: text.optional(),
});

export function oauthRoutes(sandbox: Sandbox) {
  const app = new Hono<GraphEnv>();
  const tokenCall = operation<GraphEnv>(sandbox, "threads", "token", misbehaviour(sandbox));

  app.on(["GET", "POST"], "/oauth/access_token", tokenCall, (c) => {
    const call = parse(c, CodeCall);
    if (call.client_id !== APP_ID) throw new FlatError("Invalid platform app");
    if (call.client_secret !== APP_SECRET) throw new FlatError("Error validating client secret");
    if (call.grant_type === "client_credentials") return c.json({ access_token: APP_TOKEN, token_type: "bearer" });
    if (call.grant_type !== "authorization_code") throw new FlatError("Invalid grant_type");
    const { token, accountId } = redeem(sandbox, c, call);
    // The id is a JSON number that many parsers cannot represent exactly.
    const body = `{"access_token":${JSON.stringify(token)},"user_id":${accountId}}`;
    return c.body(body, 200, { "content-type": "application/json" });
  });

  app.get("/access_token", tokenCall, async (c) => {
    const Call = z.object({ grant_type: z.literal("th_exchange_token"), client_secret: text });
    const { client_secret } = parse(c, Call);
    if (client_secret !== APP_SECRET) throw new GraphError(101, "Error validating client secret.");
    return c.json(renewed(sandbox, await authenticate(sandbox, c, ["short"])));
  });

  app.get("/refresh_access_token", tokenCall, async (c) => {
    parse(c, z.object({ grant_type: z.literal("th_refresh_token") }));
    const token = await authenticate(sandbox, c, ["long"]);
    const age = sandbox.now() - token.issuedAt;
    if (age < sandbox.settings.all.threads_refresh_age_seconds * 1000) {
      throw badParameter("The access token must be at least 24 hours old to be refreshed");
    }
    return c.json(renewed(sandbox, token));
  });

  app.get("/debug_token", async (c) => {
    const { input_token } = parse(c, z.object({ input_token: text }));
    await authenticate(sandbox, c, ["app", "short", "long"]);
    return c.json({ data: describe(sandbox, input_token) });
  });

  app.onError((error) => {
    if (error instanceof FlatError) return error.toResponse();
    throw error;
  });
  return app;
}

function redeem(sandbox: Sandbox, c: GraphContext, call: z.infer<typeof CodeCall>) {
  const found = findCode(sandbox, APP_ID, call.code ?? "");
  if (!found) throw new FlatError("Invalid authorization code");
  if (found.used) throw new FlatError("This authorization code has been used");
  const isOver = found.expires_at <= sandbox.now() || c.env.call.fault?.kind === "expire_token";
  if (isOver) throw new FlatError("This authorization code has expired");
  if (found.redirect_uri !== call.redirect_uri) {
    throw new FlatError("Error validating verification code. Please make sure your redirect_uri is identical");
  }
  useCode(sandbox, found);
  const token = issue(sandbox, found.grant_id, "short", sandbox.settings.all.threads_short_token_seconds);
  return { token, accountId: findToken(sandbox, token)?.accountId ?? "" };
}

function renewed(sandbox: Sandbox, { grantId }: Token) {
  const seconds = sandbox.settings.all.threads_long_token_seconds;
  return { access_token: issue(sandbox, grantId, "long", seconds), token_type: "bearer", expires_in: seconds };
}

const issue = (sandbox: Sandbox, grantId: number, kind: "short" | "long", seconds: number): string =>
  issueToken(sandbox, { grantId, kind, prefix: "THQV", lastsMs: seconds * 1000 });

function describe(sandbox: Sandbox, sent: string) {
  const token = findToken(sandbox, sent);
  const known = token?.kind === "app" ? null : token;
  const { app_id: _, ...described } = { app_id: "", ...describeToken(known, APP_NAME, known?.accountId ?? "") };
  return described;
}
