import { sql } from "drizzle-orm";
import { type ActingAs, accessAs, settleConnection } from "../channels/acting.ts";
import type { FailureCode } from "../core/failures.ts";
import { type CampaignId, idOf } from "../core/ids.ts";
import { SECOND } from "../core/time.ts";
import { runBatch, type Statement } from "../db/client.ts";
import type { Deps } from "../deps.ts";
import type { Recurrence, RecurringHandler } from "../jobs/recurring.ts";
import { wakeJobs } from "../jobs/wake.ts";
import type { Boost, Standing } from "../platforms/advertising.ts";
import type { Failure } from "../platforms/context.ts";
import { codeOf } from "../platforms/outcomes.ts";
import { findPlatform } from "../platforms/registry.ts";
import { type CampaignEvent, campaignEvents } from "./events.ts";
import { COUNTED_MS, LOOK, LOOK_EVERY } from "./jobs.ts";
import { mostSpent, toAmount } from "./money.ts";
import { isOver, isSame, openReboost } from "./reboost.ts";
import { isThere, readForWork, updateCampaign } from "./store.ts";
import type { Campaign, CampaignState } from "./table.ts";
import { liveOf, toBoost } from "./work.ts";

/**
 * Looks how a campaign stands, and what it has brought: the recurring task `campaign:<id>`, often while it is reviewed, less often while
 * it runs, and for some days after its end, for platforms correct their figures. One platform read, one D1 read, and a write.
 */
export const campaignLooks: RecurringHandler<Deps> = { kind: LOOK, queue: "campaigns", run: look };

async function look(deps: Deps, subject: string): Promise<Recurrence> {
  const id = idOf<CampaignId>(Number(subject));
  const read = await readForWork(deps.db, id);
  if (!read || read.campaign.deletedAt !== null || read.campaign.state === "failed") return { kind: "stop" };
  const { campaign, actor } = read;
  const ads = findPlatform(campaign.platform)?.ads;
  if (!ads || !actor) return { kind: "stop" };
  const access = await accessAs(deps, actor, "ads");
  if (access.kind === "later") return again(deps, access.seconds * SECOND);
  if (access.kind !== "ready") return unread(deps, campaign, access);
  const terms = campaign.applied ?? campaign.terms;
  const boost = toBoost({ campaign, live: liveOf(read) }, terms);
  const standing = await ads.read(access.context, boost, campaign.made);
  if (standing.kind === "failed") return afterFailure(deps, campaign, access, standing);
  await write(deps, campaign, standing, mostSpent(ads, terms));
  await catchUp(deps, campaign);
  return next(deps, boost, standing);
}

/** Before it is tried again; a campaign that is reviewed is waited for. */
const usualMs = ({ state }: Campaign): number => (state === "in_review" ? LOOK_EVERY.review : LOOK_EVERY.running);

async function afterFailure(
  deps: Deps,
  campaign: Campaign,
  { channel, grant }: Pick<ActingAs, "channel" | "grant">,
  failure: Failure,
): Promise<Recurrence> {
  const { reason, message, retryAfterSeconds } = failure;
  deps.log.event("campaign_unread", { campaignId: campaign.id, platform: campaign.platform, reason });
  const untoldMs = usualMs(campaign);
  switch (reason) {
    case "throttled":
    case "down":
      return again(deps, Math.max(untoldMs, (retryAfterSeconds ?? 0) * SECOND));
    case "blocked":
    case "rejected":
      return unread(deps, campaign, { code: codeOf(failure), reason: message });
    case "token_expired":
    case "disconnected":
    case "permission_missing": {
      const settled = await settleConnection(deps, { channel, grant, capability: "ads" }, { reason, message });
      if (settled.kind === "renewed") return again(deps, SECOND);
      return settled.kind === "later" ? again(deps, untoldMs) : unread(deps, campaign, settled);
    }
  }
}

const UNREAD = "How it stands cannot be read at the platform: ";

/** Says on the campaign that what it shows is of before, until a look succeeds; it may go on spending. */
async function unread(
  deps: Deps,
  campaign: Campaign,
  { code, reason }: { readonly code: FailureCode; readonly reason: string },
): Promise<Recurrence> {
  const sentence = `${UNREAD}${reason}`;
  if (campaign.reason !== sentence) {
    const asRead = sql`${isThere(campaign.id)} AND state = ${campaign.state}`;
    const changes = { reason: sentence, errorCode: code };
    await runBatch(deps.db, [updateCampaign(deps.db, campaign.id, changes, Date.now(), asRead)]);
  }
  return again(deps, LOOK_EVERY.running);
}

/** A change that the platform does not have, and nobody brings there: two came at once, or something died. */
async function catchUp(deps: Deps, { id, projectId, applied, terms, state }: Campaign): Promise<void> {
  if (applied === null || isSame(applied, terms) || isOver({ state })) return;
  await wakeJobs(deps, await openReboost(deps.db, { projectId, id, now: Date.now() }, isThere(id)));
}

function again({ config }: Pick<Deps, "config">, ms: number, isPrompt = false): Recurrence {
  const afterMs = Math.max(1_000, Math.ceil(ms / config.paceFactor));
  return { kind: "again", afterMs, isPrompt: isPrompt || config.paceFactor > 1 };
}

function next(deps: Deps, { endAt }: Boost, { state }: Standing): Recurrence {
  if (state === "deleted") return { kind: "stop" };
  const isOver = state === "completed" || state === "rejected";
  if (isOver && Date.now() > endAt + COUNTED_MS) return { kind: "stop" };
  // Whoever waits for the review waits for its very moment.
  if (state === "in_review") return again(deps, LOOK_EVERY.review, true);
  return again(deps, isOver ? LOOK_EVERY.ended : LOOK_EVERY.running);
}

/** With what happened, in one transaction. Figures never shrink by a platform's later word alone: they are as it says. */
async function write({ db }: Deps, campaign: Campaign, standing: Standing, mostMinor: number): Promise<void> {
  const { reach, impressions, spendMinor, reason } = standing;
  const state: CampaignState = standing.state === "deleted" ? "completed" : standing.state;
  const now = Date.now();
  const asRead = sql`${isThere(campaign.id)} AND state = ${campaign.state}`;
  const told = eventOf(campaign, state, standing);
  // What was rejected may be shown after an appeal.
  const committedMinor = state === "completed" ? spendMinor : Math.max(mostMinor, spendMinor);
  // What is wrong with a change stays; that it could not be read is over.
  const lasting = state === campaign.state && !campaign.reason?.startsWith(UNREAD);
  const changes = {
    state,
    reason: reason ?? (lasting ? campaign.reason : null),
    errorCode: lasting ? campaign.errorCode : null,
    reach,
    impressions,
    spendMinor,
    committedMinor,
    ...(state === "active" && campaign.liveAt === null ? { liveAt: now } : {}),
  };
  const statements: Statement[] = told
    ? [
        campaignEvents.insert(
          db,
          { ...told, projectId: campaign.projectId, subjectId: campaign.id, at: now },
          sql`EXISTS (SELECT 1 FROM campaigns WHERE id = ${campaign.id} AND deleted_at IS NULL AND state = ${campaign.state})`,
        ),
      ]
    : [];
  await runBatch(db, [...statements, updateCampaign(db, campaign.id, changes, now, asRead)]);
}

function eventOf(campaign: Campaign, state: CampaignState, standing: Standing): CampaignEvent | null {
  if (state === campaign.state) return null;
  const detail = { social_post_id: campaign.postId };
  const { reach, impressions, spendMinor } = standing;
  switch (state) {
    case "active":
      return { type: "campaign.live", message: "The platform shows the campaign.", detail };
    case "paused":
      return { type: "campaign.paused", message: standing.reason ?? "The campaign is paused at the platform.", detail };
    case "rejected":
      return {
        type: "campaign.rejected",
        message: standing.reason ?? "The platform does not show the campaign.",
        detail,
      };
    case "completed": {
      const spend = toAmount(spendMinor, campaign.decimals);
      const figures = { reach, impressions, spend, currency: campaign.currency };
      return { type: "campaign.completed", message: "Its time is over.", detail: { ...detail, ...figures } };
    }
    default:
      return null;
  }
}
