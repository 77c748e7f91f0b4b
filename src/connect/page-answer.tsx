import type { Context } from "hono";
import type { Child } from "hono/jsx";
import type { ContentfulStatusCode } from "hono/utils/http-status";
import type { Brand } from "../branding/store.ts";
import type { AppEnv } from "../http/environment.ts";
import { contentPolicy, newNonce } from "../pages/policy.ts";
import { document, type FormTarget } from "./layout.tsx";
import { Notice } from "./problem-views.tsx";
import type { Session } from "./session.ts";
import { wordingOf } from "./wording.tsx";

/** The answer of a hosted page: its headers forbid scripts, frames and foreign form targets. */
export type PageContext = Context<AppEnv>;

interface ShownPage {
  readonly title: string;
  readonly children: Child;
  readonly session?: Session | undefined;
  /** For a page without an open session. */
  readonly brand?: Brand | null | undefined;
  /** Present if the page has a form. */
  readonly form?: FormTarget;
}

export async function showPage(
  c: PageContext,
  status: ContentfulStatusCode,
  { title, children, session, brand = session?.brand ?? null, form }: ShownPage,
): Promise<Response> {
  const nonce = newNonce();
  const pictures = session && pictureOrigin(c, session);
  const images = `'self' https: data:${pictures ? ` ${pictures}` : ""}`;
  const forms = form && session ? formTargets(c, session).join(" ") : "'none'";
  c.header("Content-Security-Policy", contentPolicy({ nonce, images, forms }));
  const page = { wording: wordingOf(c), address: addressOf(c, session), isTest: session?.isTest ?? false };
  return c.html(document({ title, nonce, brand, ...page, children }), status);
}

/** An address that shows this page, or its session, to another request without a form. */
function addressOf(c: PageContext, session: Session | undefined): string | null {
  if (c.req.method === "GET" && !c.req.path.startsWith("/connect/callback/")) return c.req.path;
  return session ? `/connect/${session.token.text}` : null;
}

export function showNotice(
  c: PageContext,
  status: ContentfulStatusCode,
  notice: Notice,
  session?: Session,
): Promise<Response> {
  const { title, brand = session?.brand } = notice;
  return showPage(c, status, {
    title,
    session,
    brand,
    children: <Notice {...notice} wording={wordingOf(c)} brand={brand} />,
  });
}

/**
 * Browsers check every redirect after a form against `form-action`: the platform's sign-in, which continues
 * on hosts of its own choice, and finally the application's address.
 */
function formTargets(c: PageContext, { isTest, returnUrl }: Session): readonly string[] {
  const { sandboxUrl, allowLoopback } = c.var.deps.config;
  const targets = ["'self'", "https:"];
  if (isTest && sandboxUrl !== null) targets.push(policySource(sandboxUrl));
  // In development, a server that a person names may be on this machine.
  if (!isTest && allowLoopback) targets.push("http://localhost:*");
  if (returnUrl !== null) targets.push(policySource(returnUrl));
  return [...new Set(targets)];
}

/** The origin if a policy can name it, otherwise the scheme. */
function policySource(address: string): string {
  const { protocol, origin, host } = new URL(address);
  if (protocol === "https:") return protocol;
  return protocol === "http:" && /^[a-z0-9.:-]+$/.test(host) ? origin : protocol;
}

/** Simulated pictures are not served by https in development. */
export function pictureOrigin(c: PageContext, { isTest }: Session): string | null {
  const { sandboxUrl } = c.var.deps.config;
  return isTest && sandboxUrl !== null ? new URL(sandboxUrl).origin : null;
}
