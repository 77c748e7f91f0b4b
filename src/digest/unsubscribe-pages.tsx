import type { OpenAPIHono } from "@hono/zod-openapi";
import type { Context } from "hono";
import type { AppEnv } from "../http/environment.ts";
import { chosenLanguage, LanguageChoice, takeLanguage } from "../pages/language-choice.tsx";
import { Heading, htmlDocument } from "../pages/layout.tsx";
import { contentPolicy, newNonce } from "../pages/policy.ts";
import { readLanguage } from "../pages/texts.ts";
import { chooseDigest } from "../people/digests.ts";
import { readUnsubscribeToken } from "./unsubscribe-token.ts";

/**
 * Stops the digest without a sign-in. Mail programs send the POST by one click (RFC 8058), without a cookie
 * or an origin. A GET only shows the button, because programs that check links open them.
 */
export function unsubscribePages(app: OpenAPIHono<AppEnv>): void {
  app.get("/unsubscribe/:token", takeLanguage, async (c) => show(c, (await memberOf(c)) ? "ask" : "unknown"));
  app.post("/unsubscribe/:token", async (c) => {
    const member = await memberOf(c);
    if (member) await chooseDigest(c.var.deps.directory, member, "off");
    return show(c, member ? "done" : "unknown");
  });
}

function memberOf(c: Context<AppEnv>) {
  c.set("operationId", "unsubscribe");
  return readUnsubscribeToken(c.var.deps.config.checksumKeys, c.req.param("token") ?? "");
}

async function show(c: Context<AppEnv>, step: "ask" | "done" | "unknown"): Promise<Response> {
  const nonce = newNonce();
  c.header("Content-Security-Policy", contentPolicy({ nonce, images: "data:", forms: "'self'" }));
  c.header("Cache-Control", "no-store");
  c.header("Referrer-Policy", "no-referrer");
  const { code, texts: all } = await readLanguage(
    c.var.deps.assets,
    chosenLanguage(c),
    c.req.header("Accept-Language"),
  );
  const texts = all.digestMail;
  const { title, lead } = texts[step];
  const children = (
    <main class="card">
      <Heading title={title} lead={lead} />
      {step === "ask" && (
        <form method="post">
          <button class="button first" type="submit">
            {texts.button}
          </button>
        </form>
      )}
      <LanguageChoice label={texts.language} current={code} address={c.req.path} />
    </main>
  );
  return c.html(
    htmlDocument({ title, language: code, nonce, style: "main{max-width:30rem;margin:10vh auto}", children }),
    step === "unknown" ? 404 : 200,
  );
}
