import { type Browser, formToken, isOwnForm, meetBrowser, rememberedSession, rememberSession } from "./browser.ts";
import type { FormFields } from "./forms.ts";
import type { FormTarget } from "./layout.tsx";
import { type PageContext, showNotice } from "./page-answer.tsx";
import { failureUrl, successUrl } from "./return-url.ts";
import { type FoundSession, findSession, type Session } from "./session.ts";
import type { Progress } from "./store.ts";
import type { ConnectedChannel } from "./table.ts";
import { readConnectToken } from "./token.ts";

/** A session that is still good, met in a browser. */
export interface BrowserSession {
  readonly session: Session;
  readonly progress: Progress | null;
  readonly choices: Extract<FoundSession, { kind: "open" }>["choices"];
  readonly browser: Browser;
  readonly form: FormTarget;
}

export async function withSession(
  c: PageContext,
  show: (c: PageContext, current: BrowserSession) => Promise<Response>,
): Promise<Response> {
  const found = await findSession(c.var.deps, c.req.param("token") ?? "");
  if (found.kind !== "open") return showClosed(c, found);
  return show(c, await meetSession(c, found.session, found.progress, found.choices));
}

/**
 * The same for a form: only our own, from this browser, with its cookie. Its token and that of the session say so by themselves,
 * so that an invented form is refused before anything is looked up.
 */
export async function withForm(
  c: PageContext,
  fields: FormFields,
  act: (c: PageContext, current: BrowserSession, fields: FormFields) => Promise<Response>,
): Promise<Response> {
  const token = await readConnectToken(c.var.deps.config.signingKey, c.req.param("token") ?? "");
  if (!token) return showClosed(c, { kind: "unknown" });
  const isForeign = c.req.header("Sec-Fetch-Site") === "cross-site";
  if (isForeign || !(await isOwnForm(c, fields.form[0] ?? "", token.hash))) {
    return showNotice(c, 403, {
      title: "This form is not valid here",
      lead: "It was opened in another browser, or this one does not keep cookies. Open the page again and repeat your choice.",
      links: [{ href: `/connect/${token.text}`, text: "Open the page again" }],
    });
  }
  return withSession(c, async (_, current) => {
    // A form sent twice, or from a tab left behind: it is done already.
    if (current.progress?.status === "success") return leave(c, current.session, current.progress.connected);
    return act(c, current, fields);
  });
}

export async function meetSession(
  c: PageContext,
  session: Session,
  progress: Progress | null,
  choices: BrowserSession["choices"],
): Promise<BrowserSession> {
  const browser = await meetBrowser(c);
  rememberSession(c, session.token.text);
  const proof = await formToken(c, browser, session.token.hash);
  return { session, progress, choices, browser, form: { action: sessionPath(session), proof } };
}

export function leave(c: PageContext, session: Session, connected: readonly ConnectedChannel[]): Response {
  const { returnUrl, token } = session;
  return c.redirect(returnUrl === null ? sessionPath(session) : successUrl(returnUrl, token.text, connected), 303);
}

export function showClosed(c: PageContext, found: Exclude<FoundSession, { kind: "open" }>): Promise<Response> {
  switch (found.kind) {
    case "unknown":
      return showNotice(c, 404, {
        title: "This link is not known",
        lead: "It may have been cut off on its way to you. Go back to the app and start connecting again.",
      });
    case "expired": {
      const message = "The connection session has expired.";
      const href = found.returnUrl && failureUrl(found.returnUrl, found.token.text, message);
      return showNotice(c, 410, {
        title: "This link has expired",
        lead: "It works for 15 minutes. Go back to the app and start connecting again.",
        links: href ? [{ href, text: "Back to the app" }] : [],
      });
    }
    case "unready":
      c.header("Retry-After", "5");
      return showNotice(c, 503, {
        title: "Just a moment",
        lead: "This link is so new that it is not known everywhere yet. Try again in a few seconds.",
        mark: "calm",
        links: [{ href: `/connect/${found.token.text}`, text: "Try again" }],
      });
  }
}

/** For what an expired session left in this browser: its page, which leads back to the application. Asks no D1. */
export async function showLastExpired(c: PageContext): Promise<Response> {
  const { deps } = c.var;
  const token = await readConnectToken(deps.config.signingKey, rememberedSession(c) ?? "");
  const isOver = token !== null && token.expiresAt <= Date.now();
  const found = isOver ? await findSession(deps, token.text) : null;
  if (found && found.kind !== "open") return showClosed(c, found);
  return showNotice(c, 410, {
    title: "This link has expired",
    lead: "It works for 15 minutes. Go back to the app and start connecting again.",
  });
}

export const sessionPath = ({ token }: Session): string => `/connect/${token.text}`;
