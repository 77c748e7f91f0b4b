import type { Context } from "hono";
import type { AppEnv } from "../http/environment.ts";
import { chosenLanguage } from "../pages/language-choice.tsx";
import { filled, type Language, languageOf, type Text, type Texts, textsIn } from "../pages/texts.ts";
import { platformTitle } from "../platforms/facts.ts";
import { findLogin, type LoginName, platformOf } from "./logins.ts";

export type ConnectTexts = Texts["connect"];

/**
 * What the hosted pages say, in the person's language: the choice of this browser, or what it accepts. The
 * API says the same in English, and so do the sentences that come from platforms' adapters.
 */
export type Wording = Language<ConnectTexts>;

/** In the language that `pageHeaders` has read. */
export function wordingOf(c: Context<AppEnv>): Wording {
  const { code, texts } = languageOf(chosenLanguage(c), c.req.header("Accept-Language"));
  return { code, texts: texts.connect };
}

/** "a and b" in the language of the page. */
export function listIn({ code }: Pick<Wording, "code">, words: readonly string[]): string {
  return new Intl.ListFormat(code === "en" ? "en-GB" : code).format(words);
}

/** What a login connects, for people. */
export function loginTitleIn(texts: ConnectTexts, name: LoginName): string {
  const title = platformTitle(platformOf(name));
  const further = findLogin(name)?.further;
  return further
    ? texts.furtherLogin({ platform: title, what: phraseIn(texts, further.title) ?? further.title })
    : title;
}

/** The translation of a sentence that is known in English; null if there is none. */
export function phraseIn(texts: ConnectTexts, sentence: string): string | null {
  const known = texts.phrases[sentence];
  if (typeof known === "string") return known;
  for (const [english, translated] of [...ownSentences(texts), ...Object.entries(texts.phrases)]) {
    const [before, after] = english.split("{0}");
    if (before === undefined || after === undefined) continue;
    if (sentence.startsWith(before) && sentence.endsWith(after) && sentence.length > before.length + after.length) {
      return filled(translated, { 0: sentence.slice(before.length, sentence.length - after.length) });
    }
  }
  return null;
}

/** A session keeps its last problem in English, as the API says it. */
function ownSentences({ failed }: ConnectTexts): [english: string, translated: Text][] {
  const { failed: english } = textsIn("en").connect;
  const of = (platform: string) => ({ platform, login: platform });
  const names = ["declined", "noPermission", "noAccount", "notSetUp"] as const;
  return names.map((name) => [
    english[name](of("{0}")),
    ({ 0: words }: { readonly 0: string }) => failed[name](of(words)),
  ]);
}

interface Said {
  readonly wording: Wording;
  readonly sentence: string;
  /** Before a sentence that stays in English. */
  readonly lead?: string;
}

/** A sentence in the language of the page, or in English and marked so. */
export function Said({ wording: { code, texts }, sentence, lead = texts.failed.said }: Said) {
  const translated = code === "en" ? sentence : phraseIn(texts, sentence);
  if (translated !== null) return <>{translated}</>;
  return (
    <>
      {lead} <span lang="en">{sentence}</span>
    </>
  );
}
