import { type SQL, sql } from "drizzle-orm";
import { type ActingAs, actAs, asking, handleFailure } from "../channels/acting.ts";
import { type CampaignId, idOf } from "../core/ids.ts";
import { DAY, isoUtc } from "../core/time.ts";
import type { Statement } from "../db/client.ts";
import type { Deps } from "../deps.ts";
import { GiveUp, type WaitCause } from "../jobs/once.ts";
import type { Journal } from "../jobs/steps.ts";
import type { Advertising, Applied, Boost, Made } from "../platforms/advertising.ts";
import { findPlatform } from "../platforms/registry.ts";
import { type CampaignEvent, campaignEvents } from "./events.ts";
import { readForWork } from "./store.ts";
import type { StoredTerms } from "./stored.ts";
import type { Campaign } from "./table.ts";

/** What the jobs of a campaign share. */
export interface Working extends ActingAs {
  readonly campaign: Campaign;
  readonly ads: Advertising;
  readonly live: Live;
}

/** The post at its platform. */
type Live = Pick<Boost, "post" | "postType">;

/** Of a post that is not there any more: to end a campaign, or to read how it stands, takes its objects only. */
const FORGOTTEN: Live = { post: { id: "", secondaryId: null, permalink: null }, postType: "post" };

export function liveOf({ post }: Pick<Read, "post">): Live {
  const [live] = post?.platformPosts ?? [];
  return post && live ? { post: live, postType: post.postType } : FORGOTTEN;
}

type Read = NonNullable<Awaited<ReturnType<typeof readForWork>>>;

export function readWork(deps: Deps, journal: Journal): Promise<Read | null> {
  return readForWork(deps.db, idOf<CampaignId>(journal.job.subjectId));
}

/** With credentials to advertise; else ends the delivery. */
export async function startWork(deps: Deps, journal: Journal, read: Read, isPatient: boolean): Promise<Working> {
  const { campaign, actor } = read;
  const ads = findPlatform(campaign.platform)?.ads;
  if (!ads) throw new GiveUp("unsupported_by_platform", `Posts cannot be boosted on ${campaign.platform}.`);
  const acting = await actAs({ deps, journal, isPatient }, actor, "ads");
  return { ...acting, campaign, ads, live: liveOf(read) };
}

/** The campaign as an adapter takes it. It begins when it was first worked on. */
export function toBoost(
  { campaign, live }: Pick<Working, "campaign" | "live">,
  terms: StoredTerms,
  begunAt?: number,
): Boost {
  const startAt = begunAt ?? campaign.startAt ?? campaign.createdAt;
  const endAt = startAt + terms.days * DAY;
  const { reference, name } = campaign;
  return { ...terms, ...live, reference, name, startAt, endAt };
}

/** Does what may be repeated, until it is done. */
export async function apply(working: Working, at: string, act: () => Promise<Applied>): Promise<void> {
  await working.journal.checkpoint();
  asking(working);
  const outcome = await act();
  if (outcome.kind === "failed") await handleFailure(working, outcome, at);
}

export function tell(
  { deps, journal, campaign }: Pick<Working, "deps" | "journal" | "campaign">,
  event: CampaignEvent,
  when: SQL = sql`1`,
): Statement {
  const { projectId, id: subjectId } = campaign;
  return campaignEvents.insert(
    deps.db,
    { ...event, projectId, subjectId, at: Date.now() },
    sql`${journal.held} AND ${when}`,
  );
}

/** Shows a wait in the timeline. */
export function noteWait(
  deps: Deps,
  { job, held }: Journal,
  { code, message }: WaitCause,
  until: number,
): readonly Statement[] {
  const { projectId, subjectId } = job;
  const detail = { until: isoUtc(until), error_code: code };
  const event = { projectId, subjectId, type: "campaign.waiting", message, detail, at: Date.now() } as const;
  return [campaignEvents.insert(deps.db, event, held)];
}

/** Which of the objects are there. */
export function isWhole({ objects }: Advertising, made: Made): boolean {
  return objects.every((object) => made[object] !== undefined);
}
