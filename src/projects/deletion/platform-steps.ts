import { type SQL, sql } from "drizzle-orm";
import { callerWithoutToken } from "../../accounts/caller.ts";
import { findProject, markDeleting } from "../../accounts/store.ts";
import { revokeToken } from "../../accounts/tokens.ts";
import { deleteAutomation } from "../../automations/change.ts";
import { cancelWithChannel, cancelWithPost } from "../../automations/lifecycle.ts";
import { deleteCampaign } from "../../boosts/change.ts";
import { campaignHold, withdrawCampaigns } from "../../boosts/withdraw.ts";
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
import { deletePost } from "../../posts/delete/remove.ts";
import { takeBackSome } from "../../posts/rest/take-back.ts";
import type { Deps } from "../../service/deps.ts";
import type { Deletion } from "../table.ts";
import { updateDeletion } from "./store.ts";

/**
 * What ends before rows are deleted: access, then everything that acts at platforms, by the functions of the
 * API's operations. Each step looks for what is left of its kind, so it may be repeated from any point.
 */

/** Whether the step is done, or for how long it waits. */
export type StepEnd = "done" | "more" | "waiting";

/** Deletions at platforms are tried for a day; then they are given up, with a sentence in the list. */
const PATIENCE_MS = 26 * HOUR;
const PAGE = 50;

/** Does this to each row that the query finds, until it finds none. */
async function forEach(
  deps: Pick<Deps, "db" | "meter">,
  query: SQL,
  act: (id: number) => Promise<unknown>,
): Promise<StepEnd> {
  while (!isNearlySpent(deps.meter)) {
    const rows = await deps.db.all<{ id: number }>(sql`${query} ORDER BY id LIMIT ${PAGE}`);
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
  const count = sql`(SELECT count(*) FROM ${sql.identifier("automations")} WHERE project_id = ${id})`;
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

/** Posts that would still be published, and on request those that are live. */
export async function deletePosts(deps: Deps, deletion: Deletion): Promise<StepEnd> {
  const { deletedId: id, options } = deletion;
  const caller = await callerOf(deps, id);
  const isLive = sql`(state IN ('published', 'failed') AND platform_posts <> '[]')`;
  const isWanted = options.deletesPosts ? sql`(${isAhead} OR ${isLive})` : isAhead;
  const posts = sql`SELECT id FROM ${sql.identifier("posts")} WHERE project_id = ${id} AND deleted_at IS NULL AND ${isWanted}`;
  const end = await forEach(deps, posts, (post) =>
    deletePost(deps, caller, idOf<PostId>(post), [withdrawCampaigns, cancelWithPost]),
  );
  if (end !== "done" || !options.deletesPosts) return end;
  return (await takeBackSome(deps, id, PAGE)) ? "more" : "done";
}

const isAhead = sql`state IN ('pending', 'scheduled', 'queued')`;

/** Waits until campaigns have ended, and what was begun at platforms has an outcome. */
export async function settle(deps: Deps, deletion: Deletion, now: number): Promise<StepEnd> {
  const { deletedId: id, requestedAt } = deletion;
  const spending = await campaignsLeft(deps, id, now);
  const isPatient = now < requestedAt + PATIENCE_MS;
  const [open] = await deps.db.all<{ removals: number; jobs: number; remaining: number }>(sql`SELECT
    EXISTS (SELECT 1 FROM ${sql.identifier("posts")} WHERE project_id = ${id} AND removal = 'open') AS removals,
    EXISTS (SELECT 1 FROM ${sql.identifier("jobs")} WHERE project_id = ${id} AND state = 'open'
      AND kind IN ('publish', 'first_comment', 'unpublish', 'reply')) AS jobs,
    (SELECT count(*) FROM ${sql.identifier("posts")} WHERE project_id = ${id}
      AND removal IN ('open', 'given_up', 'unsupported')) AS remaining`);
  if (spending.some(({ isDead }) => !isDead)) return "waiting";
  if (isPatient && (open?.removals === 1 || open?.jobs === 1)) return "waiting";
  const removed = sql`(SELECT count(*) FROM ${sql.identifier("posts")} WHERE project_id = ${id} AND removal = 'done')`;
  // Set, not added: the step may run again.
  const left = { posts_live: open?.remaining ?? 0, campaigns: spending.length };
  const gone = sql`json_set(gone, '$."platform_posts"', ${removed})`;
  await runBatch(deps.db, [updateDeletion(deps.db, deletion, { left: { ...deletion.left, ...left }, gone })]);
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
      healthOf(actor.channel, actor.grants, campaignHold.capability, now).health === "reconnect_needed";
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
    disconnect(deps, { projectId: id, id: idOf<ChannelId>(channel) }, campaignHold, cancelWithChannel),
  );
  if (ended !== "done") return ended;
  const [revoking] = await deps.db.all<{ open: number; failed: number; revoked: number }>(sql`SELECT
    EXISTS (SELECT 1 FROM ${sql.identifier("jobs")} WHERE project_id = ${id} AND state = 'open' AND kind = 'revoke') AS open,
    (SELECT count(*) FROM ${sql.identifier("events")} WHERE ${ofChannels(id)} AND type = 'channel.revocation_failed') AS failed,
    (SELECT count(*) FROM ${sql.identifier("events")} WHERE ${ofChannels(id)} AND type = 'channel.revoked') AS revoked`);
  if (revoking?.open === 1 && now < requestedAt + 2 * PATIENCE_MS) return "waiting";
  const left = { ...deletion.left, logins: revoking?.failed ?? 0 };
  const gone = sql`json_set(gone, '$."logins"', ${revoking?.revoked ?? 0})`;
  await runBatch(deps.db, [updateDeletion(deps.db, deletion, { left, gone })]);
  return "done";
}

const ofChannels = (id: ProjectId): SQL =>
  sql`subject = 'channel' AND subject_id IN (SELECT id FROM ${sql.identifier("channels")} WHERE project_id = ${id})`;
