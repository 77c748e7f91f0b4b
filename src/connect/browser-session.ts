import { type Brand, findBrand } from "../branding/store.ts";
import { type Browser, formToken, isOwnForm, meetBrowser, rememberedSession, rememberSession } from "./browser.ts";
import type { FormFields } from "./forms.ts";
import { type FormTarget, returnText } from "./layout.tsx";
import { type PageContext, showNotice } from "./page-answer.tsx";
import { failureUrl, successUrl } from "./return-url.ts";
import { type FoundSession, findSession, type Session } from "./session.ts";
import type { Progress } from "./store.ts";
import type { ConnectedChannel } from "./table.ts";
import { type ConnectToken, readConnectToken } from "./token.ts";
import { type Wording, wordingOf } from "./wording.tsx";

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
 * token are verified first, so an invented form costs no look-up but that of the brand.
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
    const { notice } = wordingOf(c).texts;
    return showNotice(c, 403, {
      ...notice.form,
      brand: await brandOf(c, token),
      links: [{ href: `/connect/${token.text}`, text: notice.openAgain }],
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
  // The project may have moved since its link was made.
  c.set("deps", c.var.deps.in(session.token.database));
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
  const wording = wordingOf(c);
  const { notice, tryAgain } = wording.texts;
  switch (found.kind) {
    case "unknown":
      return showNotice(c, 404, { ...notice.unknown, ...(await nextSteps(c)) });
    case "expired":
      return showNotice(c, 410, { ...notice.expired, brand: found.brand, links: returnLinks(found, wording) });
    case "unready":
      c.header("Retry-After", "5");
      return showNotice(c, 503, {
        ...notice.unready,
        mark: "calm",
        brand: found.brand,
        links: [{ href: `/connect/${found.token.text}`, text: tryAgain }],
      });
  }
}

/** For a callback whose session has expired. */
export async function showLastExpired(c: PageContext): Promise<Response> {
  return showNotice(c, 410, { ...wordingOf(c).texts.notice.expired, ...(await nextSteps(c)) });
}

interface NextSteps {
  readonly links: readonly { readonly href: string; readonly text: string }[];
  readonly brand: Brand | null;
}

/**
 * Links for the person: to the session of the address or of this browser's cookie while it is open, otherwise
 * back to the app. Empty if neither names a session. One D1 call, for the brand, and none if neither does.
 */
export async function nextSteps(c: PageContext): Promise<NextSteps> {
  const { deps } = c.var;
  const wording = wordingOf(c);
  const [, , inAddress = ""] = c.req.path.split("/");
  for (const text of [inAddress, rememberedSession(c) ?? ""]) {
    const token = await readConnectToken(deps.config.signingKey, text);
    if (!token) continue;
    if (token.expiresAt > Date.now()) {
      const links = [{ href: `/connect/${token.text}`, text: wording.texts.notice.resume }];
      return { links, brand: await brandOf(c, token) };
    }
    const found = await findSession(deps, token.text);
    if (found.kind === "expired") return { links: returnLinks(found, wording), brand: found.brand };
  }
  return { links: [], brand: null };
}

/** A page about a failure does without, because the database may be what failed. */
function brandOf({ var: { deps } }: PageContext, { projectId, database }: ConnectToken): Promise<Brand | null> {
  return findBrand(deps.in(database).db, projectId).catch(() => null);
}

function returnLinks({ returnUrl, token, brand }: Extract<FoundSession, { kind: "expired" }>, wording: Wording) {
  if (returnUrl === null) return [];
  const href = failureUrl(returnUrl, token.text, "The connection session has expired.");
  return [{ href, text: returnText(brand, wording) }];
}

export const sessionPath = ({ token }: Session): string => `/connect/${token.text}`;
