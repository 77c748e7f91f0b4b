import type { OpenAPIHono } from "@hono/zod-openapi";
import type { Context } from "hono";
import type { AppEnv } from "../http/environment.ts";
import { Heading, htmlDocument } from "../pages/layout.tsx";
import { contentPolicy, newNonce } from "../pages/policy.ts";
import { chooseDigest } from "../people/digests.ts";
import { readUnsubscribeToken } from "./unsubscribe-token.ts";

/**
 * Stops the digest without a sign-in. Mail programs send the POST by one click (RFC 8058), without a cookie
 * or an origin. A GET only shows the button, because programs that check links open them.
 */
export function unsubscribePages(app: OpenAPIHono<AppEnv>): void {
  app.get("/unsubscribe/:token", async (c) => show(c, (await memberOf(c)) ? "ask" : "unknown"));
  app.post("/unsubscribe/:token", async (c) => {
    const member = await memberOf(c);
    if (member) await chooseDigest(c.var.deps.db, member, "off");
    return show(c, member ? "done" : "unknown");
  });
}

function memberOf(c: Context<AppEnv>) {
  c.set("operationId", "unsubscribe");
  return readUnsubscribeToken(c.var.deps.config.checksumKeys, c.req.param("token") ?? "");
}

const TEXTS = {
  ask: { title: "Stop the digest?", lead: "You will receive no more digests of this project by e-mail." },
  done: { title: "The digest is stopped", lead: "You can turn it on again under Members in the console." },
  unknown: { title: "This link is not valid", lead: "Copy the whole address from the e-mail." },
} as const;

function show(c: Context<AppEnv>, step: keyof typeof TEXTS): Response | Promise<Response> {
  const nonce = newNonce();
  c.header("Content-Security-Policy", contentPolicy({ nonce, images: "data:", forms: "'self'" }));
  c.header("Cache-Control", "no-store");
  c.header("Referrer-Policy", "no-referrer");
  const { title, lead } = TEXTS[step];
  const children = (
    <main class="card">
      <Heading title={title} lead={lead} />
      {step === "ask" && (
        <form method="post">
          <button class="button first" type="submit">
            Stop
          </button>
        </form>
      )}
    </main>
  );
  return c.html(
    htmlDocument({ title, nonce, style: "main{max-width:30rem;margin:10vh auto}", children }),
    step === "unknown" ? 404 : 200,
  );
}
