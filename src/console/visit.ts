import type { Context } from "hono";
import { callerWithoutToken } from "../accounts/caller.ts";
import { projectMoving } from "../core/errors.ts";
import { PERMISSIONS, type Permission } from "../core/permissions.ts";
import { sha256Hex } from "../core/tokens.ts";
import type { AppEnv } from "../http/environment.ts";
import { apiOrigin } from "../http/origin.ts";
import { senderOf } from "../http/sender.ts";
import { formProof } from "../pages/form-proof.ts";
import { chosenLanguage } from "../pages/language-choice.tsx";
import { newNonce } from "../pages/policy.ts";
import { readLanguage } from "../pages/texts.ts";
import { deviceOf } from "../people/device.ts";
import { includesRole, type Role } from "../people/roles.ts";
import { findVisitor, isSeenLongAgo, type Membership, noteSeen, type Visitor } from "../people/sessions.ts";
import { type Cookies, proofSubject, readFlash } from "./cookies.ts";
import { NO_FORM, type PersonVisit, type ProjectVisit, type Visit } from "./definition.ts";

/** The visit of a request: who it is from (one D1 call), and what every page needs. */
export async function beginVisit(c: Context<AppEnv>, cookies: Cookies): Promise<Visit> {
  const { deps } = c.var;
  const now = Date.now();
  const visitor = await visitorOf(c, cookies, now);
  const { code, texts } = await readLanguage(
    deps.assets,
    visitor?.person.language ?? chosenLanguage(c),
    c.req.header("Accept-Language"),
  );
  return {
    deps,
    origin: apiOrigin(c),
    now,
    language: code,
    texts,
    params: c.req.param(),
    query: c.req.query(),
    proof: await formProof(deps.config.signingKey, proofSubject(cookies)),
    nonce: newNonce(),
    browser: browserOf(c, cookies),
    file: null,
    background: (work) => c.executionCtx.waitUntil(work),
    visitor,
    flash: await readFlash(c, cookies),
    form: NO_FORM,
  };
}

async function visitorOf(c: Context<AppEnv>, { session }: Cookies, now: number): Promise<Visitor | null> {
  if (session === null) return null;
  const { directory: db } = c.var.deps;
  const visitor = await findVisitor(db, await sha256Hex(session), now);
  if (visitor && isSeenLongAgo(visitor, now)) c.executionCtx.waitUntil(noteSeen(db, visitor, now));
  return visitor;
}

function browserOf(c: Context<AppEnv>, { browserHash, session, proof, begun }: Cookies) {
  return {
    hash: browserHash,
    session,
    proof,
    begun,
    device: deviceOf(c.req.header("User-Agent") ?? ""),
    ...senderOf(c),
  };
}

/** Whether the visitor operates the service (`OPERATORS`). */
export const isOperator = ({ visitor, deps }: Pick<Visit, "visitor" | "deps">): boolean =>
  visitor !== null && deps.config.operators.includes(visitor.person.email);

/** Errors: `project_moving`. */
export function enterProject(visit: PersonVisit, { project, role }: Membership): ProjectVisit {
  if (project.movingAt !== null) throw projectMoving();
  const deps = visit.deps.in(project.database);
  return { ...visit, deps, project, role, caller: callerWithoutToken(project, permissionsOf(role)) };
}

function permissionsOf(role: Role): readonly Permission[] {
  if (includesRole(role, "editor")) return PERMISSIONS;
  return includesRole(role, "author") ? [...READING, "social-propose-post"] : READING;
}

const READING: readonly Permission[] = [
  "social-read-insights",
  "social-read-comments",
  "social-read-posts",
  "social-view-post",
  "read-comment-automations",
  "view-comment-automation",
  "boost-read-campaigns",
  "boost-view-campaign",
];
