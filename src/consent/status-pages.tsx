import type { OpenAPIHono } from "@hono/zod-openapi";
import type { Context } from "hono";
import type { AppEnv } from "../http/environment.ts";
import { chosenLanguage, LanguageChoice, takeLanguage } from "../pages/language-choice.tsx";
import { Heading, htmlDocument } from "../pages/layout.tsx";
import { contentPolicy, newNonce } from "../pages/policy.ts";
import { readLanguage } from "../pages/texts.ts";
import { platformTitle } from "../platforms/facts.ts";
import { findByCode } from "./store.ts";

/**
 * `/data-deletion/{code}`: how far a deletion of data has come, for everyone who has its code. It names the
 * platform and the day, and no person.
 */
export function dataDeletionPages(app: OpenAPIHono<AppEnv>): void {
  app.get("/data-deletion/:code{[0-9A-Za-z]{32}}", takeLanguage, show);
}

async function show(c: Context<AppEnv>): Promise<Response> {
  c.set("operationId", "dataDeletion");
  const found = await findByCode(c.var.deps.directory, c.req.param("code") ?? "");
  const nonce = newNonce();
  c.header("Content-Security-Policy", contentPolicy({ nonce, images: "data:", forms: "'self'" }));
  c.header("Cache-Control", "no-store");
  c.header("Referrer-Policy", "no-referrer");
  const { code: language, texts: all } = await readLanguage(
    c.var.deps.assets,
    chosenLanguage(c),
    c.req.header("Accept-Language"),
  );
  const texts = all.consent;
  const title = found ? texts.title : texts.unknown.title;
  const stand =
    found && (found.doneAt === null ? texts.working : texts.done({ platform: platformTitle(found.platform) }));
  const day = found && new Intl.DateTimeFormat(language, { dateStyle: "long", timeZone: "UTC" });
  const children = (
    <main class="card">
      <Heading title={title} lead={stand ?? texts.unknown.lead} />
      {found && day && (
        <p>
          {texts.requested({ date: day.format(found.receivedAt) })}
          <br />
          {texts.code}: <code>{found.code}</code>
        </p>
      )}
      <LanguageChoice label={texts.language} current={language} address={c.req.path} />
    </main>
  );
  return c.html(
    htmlDocument({ title, language, nonce, style: "main{max-width:30rem;margin:10vh auto}", children }),
    found ? 200 : 404,
  );
}
