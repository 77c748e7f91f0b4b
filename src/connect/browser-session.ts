import { type Browser, formToken, isOwnForm, meetBrowser, rememberedSession, rememberSession } from "./browser.ts";
import type { FormFields } from "./forms.ts";
import type { FormTarget } from "./layout.tsx";
import { type PageContext, showNotice } from "./page-answer.tsx";
import { failureUrl, successUrl } from "./return-url.ts";
import { type FoundSession, findSession, type Session } from "./session.ts";
import type { Progress } from "./store.ts";
import type { ConnectedChannel } from "./table.ts";
import { readConnectToken } from "./token.ts";

/** An open session in a browser. */
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
 * The same for a form, which must come from this browser, with its cookie. The form's token and the session's
 * token are verified first, so an invented form costs no look-up.
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
      lead: "The page was opened in another browser, or this browser blocks cookies. Open the page again and repeat your choice.",
      links: [{ href: `/connect/${token.text}`, text: "Open the page again" }],
    });
  }
  return withSession(c, async (_, current) => {
    // A form that was sent twice, or from an old tab: it is done already.
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

export async function showClosed(c: PageContext, found: Exclude<FoundSession, { kind: "open" }>): Promise<Response> {
  switch (found.kind) {
    case "unknown":
      return showNotice(c, 404, {
        title: "Unknown link",
        lead: "The address may be incomplete.",
        links: await nextSteps(c),
      });
    case "expired": {
      return showNotice(c, 410, {
        ...EXPIRED,
        links: returnLinks(found),
      });
    }
    case "unready":
      c.header("Retry-After", "5");
      return showNotice(c, 503, {
        title: "Just a moment",
        lead: "The link was created a moment ago. Try again in a few seconds.",
        mark: "calm",
        links: [{ href: `/connect/${found.token.text}`, text: "Try again" }],
      });
  }
}

/** For a callback whose session has expired. Makes no D1 call. */
export async function showLastExpired(c: PageContext): Promise<Response> {
  return showNotice(c, 410, { ...EXPIRED, links: await nextSteps(c) });
}

const EXPIRED = { title: "This link has expired", lead: "A link is valid for 15 minutes." } as const;

/**
 * Links for the person: to the session of the address or of this browser's cookie while it is open, otherwise
 * back to the app. Empty if neither names a session. Makes no D1 call.
 */
export async function nextSteps(c: PageContext): Promise<readonly { href: string; text: string }[]> {
  const { deps } = c.var;
  const [, , inAddress = ""] = c.req.path.split("/");
  for (const text of [inAddress, rememberedSession(c) ?? ""]) {
    const token = await readConnectToken(deps.config.signingKey, text);
    if (!token) continue;
    if (token.expiresAt > Date.now()) return [{ href: `/connect/${token.text}`, text: "Continue connecting" }];
    const found = await findSession(deps, token.text);
    const links = found.kind === "expired" ? returnLinks(found) : [];
    if (links.length > 0) return links;
  }
  return [];
}

function returnLinks({ returnUrl, token }: Extract<FoundSession, { kind: "expired" }>) {
  if (returnUrl === null) return [];
  const href = failureUrl(returnUrl, token.text, "The connection session has expired.");
  return [{ href, text: "Back to the app" }];
}

export const sessionPath = ({ token }: Session): string => `/connect/${token.text}`;
