import { type SQL, sql } from "drizzle-orm";
import { callerWithoutToken } from "../../accounts/caller.ts";
import { findProject, markDeleting } from "../../accounts/store.ts";
import { revokeToken } from "../../accounts/tokens.ts";
import { ENDINGS } from "../../api/endings.ts";
import { deleteAutomation } from "../../automations/change.ts";
import { deleteCampaign } from "../../boosts/change.ts";
import { disconnect } from "../../channels/disconnect.ts";
import { healthOf } from "../../channels/health.ts";
import { findActor } from "../../channels/store.ts";
import { AppError } from "../../core/errors.ts";
import {
  type AutomationId,
  type CampaignId,
  type ChannelId,
  idOf,
  type PostId,
  type ProjectId,
  type TokenId,
} from "../../core/ids.ts";
import { isNearlySpent } from "../../core/meter.ts";
import { PERMISSIONS } from "../../core/permissions.ts";
import { HOUR } from "../../core/time.ts";
import { runBatch } from "../../db/client.ts";
import { keyFor } from "../../jobs/key-for.ts";
import { QUEUES } from "../../jobs/messages.ts";
import { deletePost } from "../../posts/delete/remove.ts";
import { takeBackSome } from "../../posts/rest/take-back.ts";
import type { Deps } from "../../service/deps.ts";
import { anyPiece, nextPiece, type PieceOf } from "../pieces.ts";
import type { Deletion, DeletionCursor } from "../table.ts";
import { belongsTo, tableOf } from "../tables.ts";
import { counted, updateDeletion, updateDeletionAt } from "./store.ts";

/**
 * What ends before rows are deleted: access, then everything that acts at platforms, by the functions of the
 * API's operations. Each step looks for what is left of its kind, so it may be repeated from any point.
 */

/** Whether the step is done, or for how long it waits. */
export type StepEnd = "done" | "more" | "waiting";

/** Deletions at platforms are tried for a day; then they are given up, with a sentence in the list. */
const PATIENCE_MS = 26 * HOUR;
const PAGE = 50;

/** Does this to each row that the query finds, until it finds none: what was done to it makes it leave. */
async function forEach(
  deps: Pick<Deps, "db" | "meter">,
  query: SQL,
  act: (id: number) => Promise<unknown>,
): Promise<StepEnd> {
  while (!isNearlySpent(deps.meter)) {
    const rows = await deps.db.all<{ id: number }>(sql`${query} LIMIT ${PAGE}`);
    if (rows.length === 0) return "done";
    for (const { id } of rows) {
      if (isNearlySpent(deps.meter)) return "more";
      await act(id).catch(ifGone);
    }
  }
  return "more";
}

/** Another run, or the end of what it belonged to, was first. */
function ifGone(error: unknown): void {
  if (!(error instanceof AppError) || error.code !== "not_found") throw error;
}

async function callerOf({ db }: Deps, projectId: ProjectId) {
  const project = await findProject(db, projectId);
  if (!project) throw new Error(`The project ${projectId} is gone before its deletion.`);
  return callerWithoutToken(project, PERMISSIONS);
}

export async function revokeTokens(deps: Deps, { deletedId: id }: Deletion): Promise<StepEnd> {
  if (deps.database !== 0) await markDeleting(deps.directory, id, Date.now());
  const valid = sql`SELECT id FROM ${sql.identifier("tokens")} WHERE project_id = ${id} AND revoked_at IS NULL`;
  return forEach({ db: deps.directory, meter: deps.meter }, valid, (token) => revokeToken(deps, idOf<TokenId>(token)));
}

export async function deleteBots(deps: Deps, deletion: Deletion): Promise<StepEnd> {
  const { deletedId: id } = deletion;
  const caller = await callerOf(deps, id);
  // Counted before: the sweep forgets deleted ones by itself. Repeated, it keeps the first count.
  const count = sql`coalesce((SELECT automations FROM ${sql.identifier("automation_counts")} WHERE project_id = ${id}), 0)`;
  const gone = sql`json_insert(gone, '$."bots"', ${count})`;
  await runBatch(deps.db, [updateDeletion(deps.db, deletion, { gone })]);
  const bots = sql`SELECT id FROM ${sql.identifier("automations")} WHERE project_id = ${id} AND deleted_at IS NULL`;
  return forEach(deps, bots, (bot) => deleteAutomation(deps, caller, idOf<AutomationId>(bot)));
}

export async function endCampaigns(deps: Deps, { deletedId: id }: Deletion): Promise<StepEnd> {
  const asking = { deps, caller: await callerOf(deps, id), origin: "" };
  const open = sql`SELECT id FROM ${sql.identifier("campaigns")} WHERE project_id = ${id} AND deleted_at IS NULL AND ended_at IS NULL`;
  return forEach(deps, open, (campaign) => deleteCampaign(asking, idOf<CampaignId>(campaign)));
}

/** How far the deletion of posts is: those at rest come back first, then all go by their ids. */
const AT_REST: DeletionCursor = { table: 0, after: null };
const BY_ID = 1;

/** Posts that would still be published, and on request those that are live. */
export async function deletePosts(deps: Deps, deletion: Deletion): Promise<StepEnd> {
  const { deletedId: id, options } = deletion;
  const caller = await callerOf(deps, id);
  const act = (post: number) => deletePost(deps, caller, idOf<PostId>(post), ENDINGS.post).catch(ifGone);
  const cursor = deletion.cursor ?? AT_REST;
  if (options.deletesPosts && cursor.table < BY_ID && !(await deleteResting(deps, id, act))) return "more";
  let after = cursor.table < BY_ID ? null : cursor.after;
  const isWanted = options.deletesPosts ? sql`(${isAhead} OR ${isLive})` : isAhead;
  const posts = tableOf("posts");
  do {
    const piece: PieceOf = await nextPiece(deps.db, posts, belongsTo(posts, id), after);
    const wanted = sql`SELECT id FROM ${sql.identifier("posts")} WHERE ${piece.where} AND deleted_at IS NULL AND ${isWanted}`;
    if ((await forEach(deps, wanted, act)) === "more") return "more";
    after = piece.next;
    await runBatch(deps.db, [updateDeletion(deps.db, deletion, { cursor: { table: BY_ID, after } })]);
  } while (after !== null);
  // Some may have gone to rest meanwhile.
  if (!options.deletesPosts || !(await hasResting(deps, id))) return "done";
  await runBatch(deps.db, [updateDeletion(deps.db, deletion, { cursor: AT_REST })]);
  return "more";
}

const isAhead = sql`state IN ('pending', 'scheduled', 'queued')`;
const isLive = sql`(state IN ('published', 'failed') AND platform_posts <> '[]')`;

/** Whether no post is at rest any more. Those that a death leaves between the steps are found by id. */
async function deleteResting(deps: Deps, id: ProjectId, act: (post: number) => Promise<unknown>): Promise<boolean> {
  while (!isNearlySpent(deps.meter)) {
    const posts = await takeBackSome(deps, id, PAGE);
    if (posts.length === 0) return true;
    for (const post of posts) await act(post);
  }
  return false;
}

async function hasResting({ db }: Deps, id: ProjectId): Promise<boolean> {
  const rows = await db.all(sql`SELECT 1 FROM ${sql.identifier("posts_at_rest")} WHERE project_id = ${id} LIMIT 1`);
  return rows.length > 0;
}

/** Waits until campaigns have ended and what was begun has an outcome; then counts what is left. */
export async function settle(deps: Deps, deletion: Deletion, now: number): Promise<StepEnd> {
  const { deletedId: id, requestedAt } = deletion;
  if (deletion.cursor === null) {
    const spending = await campaignsLeft(deps, id, now);
    if (spending.some(({ isDead }) => !isDead)) return "waiting";
    if (now < requestedAt + PATIENCE_MS && (await isUnderWay(deps, id))) return "waiting";
    const left = { ...deletion.left, campaigns: spending.length };
    return beginCount(deps, { ...deletion, left }, { gone: "platform_posts", left: "posts_live" });
  }
  const posts = sql.identifier("posts");
  return countPieces(deps, deletion, "posts", (where) => ({
    gone: ["platform_posts", sql`(SELECT count(*) FROM ${posts} WHERE ${where} AND removal = 'done')`],
    left: [
      "posts_live",
      sql`(SELECT count(*) FROM ${posts} WHERE ${where} AND removal IN ('open', 'given_up', 'unsupported'))`,
    ],
  }));
}

/** Whether a post is being deleted at its platform, or a job is open that acts there. */
async function isUnderWay({ db }: Deps, id: ProjectId): Promise<boolean> {
  const [channels, posts, jobs] = ["channels", "posts", "jobs"].map((name) => sql.identifier(name));
  const kinds = sql`kind IN ('publish', 'first_comment', 'unpublish', 'reply')`;
  const queues = sql.raw(QUEUES.map((queue) => `'${queue}'`).join(", "));
  const open = (situation: SQL) =>
    sql`EXISTS (SELECT 1 FROM ${jobs} WHERE project_id = ${id} AND state = 'open' AND ${kinds} AND ${situation})`;
  // By the indexes of what is usual.
  const [seen] = await db.all<{ is: number }>(sql`SELECT (
    EXISTS (SELECT 1 FROM ${channels} AS own CROSS JOIN ${posts} AS gone ON gone.channel_id = own.id
      AND gone.removal IN ('open', 'given_up') WHERE own.project_id = ${id} AND gone.removal = 'open')
    OR ${open(sql`message_at IS NOT NULL AND queue IN (${queues})`)}
    OR ${open(sql`throttled_at IS NOT NULL AND queue IN (${queues})`)}
    OR ${open(sql`waiting_code IS NOT NULL`)}) AS "is"`);
  if (seen?.is === 1) return true;
  // The rest has no index of the project.
  const stored = tableOf("jobs");
  return anyPiece(db, stored, belongsTo(stored, id), async (where) => {
    const found = await db.all(sql`SELECT 1 FROM ${jobs} WHERE ${where} AND state = 'open' AND ${kinds} LIMIT 1`);
    return found.length > 0;
  });
}

interface Counts<Value> {
  readonly gone: Value;
  readonly left: Value;
}

/** A count begins at zero, and `countPieces` adds the pieces. */
async function beginCount({ db }: Deps, deletion: Deletion, names: Counts<string>): Promise<StepEnd> {
  const gone = sql`json_set(gone, ${`$."${names.gone}"`}, 0)`;
  const left = { ...deletion.left, [names.left]: 0 };
  await runBatch(db, [updateDeletion(db, deletion, { left, gone, cursor: { table: 0, after: null } })]);
  return "more";
}

/** A piece and the position after it are one transaction, which fails to match if another run was first. */
async function countPieces(
  { db, meter }: Deps,
  deletion: Deletion,
  table: string,
  countsOf: (where: SQL) => Counts<readonly [name: string, count: SQL]>,
): Promise<StepEnd> {
  const stored = tableOf(table);
  let cursor = deletion.cursor ?? { table: 0, after: null };
  while (cursor.table === 0) {
    if (isNearlySpent(meter)) return "more";
    const piece = await nextPiece(db, stored, belongsTo(stored, deletion.deletedId), cursor.after);
    const counts = countsOf(piece.where);
    const next = piece.next === null ? { table: 1, after: null } : { table: 0, after: piece.next };
    const change = { gone: counted("gone", ...counts.gone), left: counted("remains", ...counts.left), cursor: next };
    await runBatch(db, [updateDeletionAt(db, { ...deletion, cursor }, change)]);
    cursor = next;
  }
  return "done";
}

/** Campaigns that may still spend; dead credentials cannot end theirs. */
async function campaignsLeft({ db }: Deps, id: ProjectId, now: number) {
  const rows = await db.all<{ id: number; channel_id: number }>(
    sql`SELECT id, channel_id FROM ${sql.identifier("campaigns")} WHERE project_id = ${id} AND ended_at IS NULL LIMIT ${PAGE}`,
  );
  const campaigns = rows.map(async ({ channel_id: channelId }) => {
    const actor = await findActor(db, idOf<ChannelId>(channelId));
    const isDead =
      actor === null ||
      actor.channel.disconnectedAt !== null ||
      healthOf(actor.channel, actor.grants, ENDINGS.channelHold.capability, now).health === "reconnect_needed";
    return { isDead };
  });
  return Promise.all(campaigns);
}

/** Disconnects the channels, and waits until their logins are revoked or that has failed. */
export async function revokeLogins(deps: Deps, deletion: Deletion, now: number): Promise<StepEnd> {
  const { deletedId: id, options, requestedAt } = deletion;
  if (!options.revokesLogins) return "done";
  const connected = sql`SELECT id FROM ${sql.identifier("channels")} WHERE project_id = ${id} AND disconnected_at IS NULL`;
  const ended = await forEach(deps, connected, (channel) =>
    disconnect(deps, { projectId: id, id: idOf<ChannelId>(channel) }, ENDINGS),
  );
  if (ended !== "done") return ended;
  if (deletion.cursor === null) {
    if (now < requestedAt + 2 * PATIENCE_MS && (await isRevoking(deps, id))) return "waiting";
    return beginCount(deps, deletion, { gone: "logins", left: "logins" });
  }
  return countPieces(deps, deletion, "events", (where) => {
    // `+`: by the range of the piece, not by all events of channels.
    const events = (type: string) => sql`(SELECT count(*) FROM ${sql.identifier("events")} WHERE ${where}
      AND +subject = 'channel' AND type = ${type})`;
    return { gone: ["logins", events("channel.revoked")], left: ["logins", events("channel.revocation_failed")] };
  });
}

function isRevoking({ db }: Deps, id: ProjectId): Promise<boolean> {
  const stored = tableOf("channels");
  return anyPiece(db, stored, belongsTo(stored, id), async (where) => {
    const own = sql`SELECT ${keyFor("revoke", sql`id`)} FROM ${sql.identifier("channels")} WHERE ${where}`;
    const found = await db.all(
      sql`SELECT 1 FROM ${sql.identifier("jobs")} WHERE key IN (${own}) AND state = 'open' LIMIT 1`,
    );
    return found.length > 0;
  });
}
