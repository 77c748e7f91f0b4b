import { and, eq, ne, sql } from "drizzle-orm";
import { z } from "zod";
import { selectProjectKind } from "../../accounts/store.ts";
import type { Caller } from "../../core/caller.ts";
import { AppError, absent, projectMoving } from "../../core/errors.ts";
import { idOf, type PostId } from "../../core/ids.ts";
import { databaseClaim, readClaims, signClaims } from "../../core/signed.ts";
import { DAY, SECOND } from "../../core/time.ts";
import { randomBase62 } from "../../core/tokens.ts";
import { readTogether } from "../../db/client.ts";
import type { Deps } from "../../service/deps.ts";
import { findWholePost, isVisible, type Post } from "../store.ts";
import { postsTable } from "../table.ts";
import type { Who } from "./request-approval.ts";

/**
 * A link with which a client without an account approves one post, sends it back, or comments on it. It is
 * signed, names the post and its expiry, and holds a nonce that the post stores until the link is revoked.
 */
const LINK_LIFE_MS = 14 * DAY;
const AUDIENCE = "approval";

const LinkClaims = z.object({ post: z.int().positive(), nonce: z.string(), exp: z.int() });

/** The address of the page for a client. */
export const approvalUrl = (origin: string, secret: string): string => `${origin}/console/approve/${secret}`;

export interface ApprovalLink {
  readonly secret: string;
  readonly expiresAt: number;
}

/**
 * A link for the post, in place of earlier ones. Errors: `not_found`; `not_changeable` if it does not wait
 * for approval.
 */
export async function makeApprovalLink(
  deps: Deps,
  caller: Pick<Caller, "projectId">,
  id: PostId,
  by: Who,
): Promise<ApprovalLink> {
  const { database, config } = deps;
  const nonce = randomBase62(22);
  const exp = Math.floor((Date.now() + LINK_LIFE_MS) / SECOND);
  await storeNonce(deps, caller, id, { nonce, by });
  const claims = { post: id, ...databaseClaim(database), nonce, exp };
  return { secret: await signClaims(config.signingKey, AUDIENCE, claims), expiresAt: exp * SECOND };
}

/** Revokes the link of the post. Errors as for `makeApprovalLink`. */
export function revokeApprovalLink(deps: Deps, caller: Pick<Caller, "projectId">, id: PostId): Promise<void> {
  return storeNonce(deps, caller, id, { nonce: null, by: null });
}

async function storeNonce(
  deps: Deps,
  { projectId }: Pick<Caller, "projectId">,
  id: PostId,
  { nonce, by }: { readonly nonce: string | null; readonly by: Who | null },
): Promise<void> {
  const own = isVisible(projectId, id);
  const isWaiting = and(own, eq(postsTable.approvalState, "waiting"));
  const approval = sql`json_set(${postsTable.approval}, '$.linkNonce', ${nonce}, '$.linkedBy', ${by})`;
  const stored = await deps.db.update(postsTable).set({ approval }).where(isWaiting).returning({ id: postsTable.id });
  if (stored.length > 0) return;
  if (!(await findWholePost(deps, projectId, id))) throw absent("post", id);
  throw new AppError("not_changeable", `Post ${id} does not wait for approval.`);
}

/** The post of a link, and the database that serves its project. */
export interface LinkedPost {
  readonly post: Post;
  readonly deps: Deps;
}

/**
 * The post of a link; null if the link is forged, expired or revoked, or the post was deleted. It is in the
 * database that the link names, or in one with a higher number, if its project has moved since. Errors:
 * `project_moving`.
 */
export async function findPostOfLink(named: Deps, secret: string, now: number): Promise<LinkedPost | null> {
  const claims = await readClaims(named.config.signingKey, AUDIENCE, LinkClaims, secret);
  if (!claims || claims.exp * SECOND <= now) return null;
  for (let database = named.database; database < named.databases; database++) {
    const deps = named.in(database);
    const isNamed = eq(postsTable.id, idOf<PostId>(claims.post));
    const { posts, projects } = await readTogether(deps.db, {
      posts: deps.db
        .select()
        .from(postsTable)
        .where(and(isNamed, ne(postsTable.state, "deleted"))),
      projects: selectProjectKind(deps.db, sql`(SELECT project_id FROM posts WHERE ${isNamed})`),
    });
    const [[post], [project]] = [posts, projects];
    if (!post || !project || project.database > database) continue;
    if (project.movingAt !== null) throw projectMoving();
    return post.approval?.linkNonce === claims.nonce ? { post, deps } : null;
  }
  return null;
}
