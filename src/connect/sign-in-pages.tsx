import type { ContentfulStatusCode } from "hono/utils/http-status";
import { apiOrigin } from "../http/origin.ts";
import { Heading, Proof } from "../pages/layout.tsx";
import type { LoginQuestion } from "../platforms/login.ts";
import { beginLogin, connectable } from "./begin.ts";
import type { BrowserSession } from "./browser-session.ts";
import type { FormFields } from "./forms.ts";
import type { FormTarget } from "./layout.tsx";
import { findLogin, type LoginName } from "./logins.ts";
import { noSuchPage, showUnavailable } from "./next-pages.tsx";
import { type PageContext, showPage } from "./page-answer.tsx";
import { loginTitleIn, phraseIn, Said, type Wording, wordingOf } from "./wording.tsx";

/** The page before a login that needs an answer of the person: on which server, or for which account. */

/** A handle or a server's address has at most 253 characters, with room for what people add. */
const MAX_ANSWER = 300;

export async function showQuestion(c: PageContext, current: BrowserSession): Promise<Response> {
  const asked = askedLogin(c);
  if (!asked) return noSuchPage(c);
  if (!connectable(c.var.deps, current.session, asked.name)) return showUnavailable(c, current, asked.name);
  return showForm(c, current, asked, { status: 200, answer: asked.question.usual, problem: null });
}

export async function answerQuestion(c: PageContext, current: BrowserSession, fields: FormFields): Promise<Response> {
  const asked = askedLogin(c);
  if (!asked) return noSuchPage(c);
  const answer = (fields.answer[0] ?? "").trim().slice(0, MAX_ANSWER);
  const again = (status: ContentfulStatusCode, problem: string | null) =>
    showForm(c, current, asked, { status, answer, problem });
  if (answer === "") return again(422, null);
  const later = (current.progress?.remaining ?? []).filter((name) => name !== asked.name);
  const from = { origin: apiOrigin(c), browserHash: current.browser.hash, answer };
  const begun = await beginLogin(c.var.deps, current.session, [asked.name, ...later], from);
  switch (begun.kind) {
    case "redirect":
      return c.redirect(begun.url.href, 303);
    case "asks":
    case "unavailable":
      return showUnavailable(c, current, asked.name);
    case "refused":
      return again(begun.failure.reason === "rejected" ? 422 : 503, begun.failure.message);
  }
}

interface Asked {
  readonly name: LoginName;
  readonly question: LoginQuestion;
}

/** Null if the address names no login, or one that asks nothing. */
function askedLogin(c: PageContext): Asked | null {
  const login = findLogin(c.req.param("login") ?? "");
  return login && "asks" in login.oauth ? { name: login.name, question: login.oauth.asks } : null;
}

interface Form {
  readonly status: ContentfulStatusCode;
  readonly answer: string;
  /** In the adapter's words, in English; null if there is none, or the answer is missing. */
  readonly problem: string | null;
}

function showForm(
  c: PageContext,
  { session, form }: BrowserSession,
  asked: Asked,
  { status, ...fields }: Form,
): Promise<Response> {
  const wording = wordingOf(c);
  const title = wording.texts.signIn.title({ login: loginTitleIn(wording.texts, asked.name) });
  const isMissing = status !== 200 && fields.answer === "";
  const children = <SignIn form={form} wording={wording} title={title} isMissing={isMissing} {...asked} {...fields} />;
  return showPage(c, status, { title, session, form, children });
}

interface SignIn extends Asked, Omit<Form, "status"> {
  readonly form: FormTarget;
  readonly wording: Wording;
  readonly title: string;
  readonly isMissing: boolean;
}

function SignIn({ form, wording, title, isMissing, name, question, answer, problem }: SignIn) {
  const { texts } = wording;
  const label = phraseIn(texts, question.label) ?? question.label;
  const isWrong = isMissing || problem !== null;
  return (
    <>
      <Heading title={title} lead={phraseIn(texts, question.hint) ?? question.hint} />
      {isWrong && (
        <p class="note bad" role="alert" id="problem">
          {problem === null ? texts.signIn.required({ label }) : <Said wording={wording} sentence={problem} />}
        </p>
      )}
      <form method="post" action={`${form.action}/sign-in/${name}`}>
        <Proof proof={form.proof} />
        <label class="field">
          <span>{label}</span>
          <input
            type="text"
            name="answer"
            value={answer}
            maxlength={MAX_ANSWER}
            required
            autocapitalize="none"
            autocomplete="username"
            spellcheck={false}
            {...(isWrong ? { "aria-invalid": "true", "aria-describedby": "problem" } : {})}
          />
        </label>
        <button class="button first" type="submit">
          {texts.platforms.submit}
        </button>
      </form>
      <a class="plain" href={form.action}>
        {texts.otherPlatforms}
      </a>
    </>
  );
}
