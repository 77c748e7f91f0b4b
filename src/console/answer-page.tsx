import type { Context } from "hono";
import { HTTPException } from "hono/http-exception";
import type { ContentfulStatusCode } from "hono/utils/http-status";
import { AppError, projectMoving } from "../core/errors.ts";
import { isMovingViolation } from "../db/client.ts";
import type { AppEnv } from "../http/environment.ts";
import { contentPolicy } from "../pages/policy.ts";
import { MENU } from "./catalog.ts";
import { readCookies } from "./cookies.ts";
import type { Opened, ProjectVisit, Visit } from "./definition.ts";
import { consoleDocument, Message } from "./layout.tsx";
import { beginVisit } from "./visit.ts";

/** The documents with which the console answers: a page, or a message about what went wrong. */
type PageContext = Context<AppEnv>;

interface Shown extends Opened {
  readonly visit: Visit;
  readonly current: ProjectVisit | null;
}

export async function answerPage(
  c: PageContext,
  status: ContentfulStatusCode,
  { visit, current, title, body, brand, leadsTo }: Shown,
): Promise<Response> {
  const { nonce } = visit;
  const forms = leadsTo === undefined ? "'self'" : `'self' ${leadsTo}`;
  c.header("Content-Security-Policy", contentPolicy({ nonce, images: "'self' data:", forms, scripts: true }));
  const { path, url, method } = c.req;
  const address = method === "GET" ? `${path}${new URL(url).search}` : null;
  const frame = { visit, current, menu: MENU, path, address, title, brand };
  return c.html(consoleDocument({ ...frame, children: body }), status);
}

type MessageName = "moving" | "notFound" | "form" | "foreign" | "method" | "tooLarge" | "busy" | "encoding";

export async function showMessage(
  c: PageContext,
  status: ContentfulStatusCode,
  name: MessageName,
  known?: Visit,
): Promise<Response> {
  const visit = known ?? (await beginVisit(c, await readCookies(c)));
  const { errors } = visit.texts;
  const { title, lead } = errors[name];
  const body = <Message title={title} lead={lead} back={errors.back} />;
  return answerPage(c, status, { visit, current: null, title, body });
}

export function showForbidden(c: PageContext, visit: ProjectVisit): Promise<Response> {
  const { errors, roles } = visit.texts;
  const { title, lead } = errors.forbidden;
  const body = <Message title={title} lead={lead({ role: roles[visit.role] })} back={errors.back} />;
  return answerPage(c, 403, { visit, current: visit, title, body });
}

export function showMethods(c: PageContext, methods: readonly string[]): Promise<Response> {
  c.header("Allow", methods.join(", "));
  return showMessage(c, 405, "method");
}

export async function showError(error: Error, c: PageContext): Promise<Response> {
  if (error instanceof AppError && error.code === "not_found") return showMessage(c, 404, "notFound");
  if (isMovingViolation(error) || (error instanceof AppError && error.code === "project_moving")) {
    c.header("Retry-After", String(projectMoving().details.retryAfterSeconds));
    return showMessage(c, 423, "moving");
  }
  if (error instanceof HTTPException && error.status === 403) return showMessage(c, 403, "foreign");
  const { deps, requestId } = c.var;
  deps.log.error("console_failed", error, { requestId });
  // The database may be what failed: this page is shown as to a person who is not signed in.
  const visit = { ...(await beginVisit(c, { ...(await readCookies(c)), session: null })), visitor: null };
  const { errors } = visit.texts;
  const { title, lead } = errors.unexpected;
  const body = <Message title={title} lead={lead({ reference: requestId })} back={errors.back} />;
  return answerPage(c, 500, { visit, current: null, title, body });
}
