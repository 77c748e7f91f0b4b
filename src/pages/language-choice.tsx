import type { Context } from "hono";
import { getCookie, setCookie } from "hono/cookie";
import { createMiddleware } from "hono/factory";
import { DAY, SECOND } from "../core/time.ts";
import type { AppEnv } from "../http/environment.ts";
import { apiOrigin } from "../http/origin.ts";
import { asLanguage, LANGUAGE_CODES, LANGUAGE_NAMES, type LanguageCode } from "./languages.ts";

/** The language that a person without an account chooses: links on the page, and a cookie that keeps it. */

const COOKIE = "belfry_language";
const KEPT_SECONDS = (400 * DAY) / SECOND;

/** The choice of this browser; null if it has made none. */
export const chosenLanguage = (c: Context<AppEnv>): LanguageCode | null => asLanguage(getCookie(c, COOKIE));

/** Keeps the `language` of the address, and opens the page without it. */
export const takeLanguage = createMiddleware<AppEnv>(async (c, next) => {
  const { language, ...others } = c.req.query();
  const code = c.req.method === "GET" ? asLanguage(language) : null;
  if (code === null) return next();
  const secure = apiOrigin(c).startsWith("https:");
  setCookie(c, COOKIE, code, { path: "/", httpOnly: true, sameSite: "Lax", secure, maxAge: KEPT_SECONDS });
  const rest = new URLSearchParams(others).toString();
  return c.redirect(`${c.req.path}${rest === "" ? "" : `?${rest}`}`, 303);
});

interface LanguageChoice {
  /** What the choice is, in the language of the page. */
  readonly label: string;
  readonly current: string;
  /** The page to open in the other language, with its query. */
  readonly address: string;
}

/** A link for each other language, named in that language. */
export function LanguageChoice({ label, current, address }: LanguageChoice) {
  return (
    <nav class="languages" aria-label={label}>
      {LANGUAGE_CODES.map((code) =>
        code === current ? (
          <span aria-current="true">{LANGUAGE_NAMES[code]}</span>
        ) : (
          <a href={`${address}${address.includes("?") ? "&" : "?"}language=${code}`} lang={code} hreflang={code}>
            {LANGUAGE_NAMES[code]}
          </a>
        ),
      )}
    </nav>
  );
}
