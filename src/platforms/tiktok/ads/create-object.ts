import { z } from "zod";
import { sha256Hex } from "../../../core/tokens.ts";
import type { Advertising, Boost, CreateOutcome, FindMadeOutcome, Made } from "../../advertising.ts";
import type { WriteResult } from "../../answers.ts";
import type { AccountContext, Failure, Json } from "../../context.ts";
import { PlatformId } from "../../json.ts";
import { rejected, unknown } from "../../outcomes.ts";
import { type AdObject, type Found, findObjects, isDeleted, OBJECTS, type ObjectName, write } from "./api.ts";
import { hasPictures, Prepared } from "./rights.ts";
import { adGroupTerms, goalOf } from "./terms.ts";

/**
 * Creating a boost: a campaign, an ad group in it, an ad in that. All three are created paused, so a
 * duplicate after a lost answer spends nothing: `enable` deletes the duplicates.
 *
 * - Campaign and ad group carry a key (`request_id`), always the same for one object. TikTok creates only
 *   one, and answers a repeat with "duplicate", with another refusal, or with the existing object. So a
 *   refusal is followed by a look-up.
 * - An ad has no key. It is identified by its name and post in our own ad group.
 */
const Created = {
  campaign: z.object({ campaign_id: PlatformId }).transform(({ campaign_id }) => campaign_id),
  adgroup: z.object({ adgroup_id: PlatformId }).transform(({ adgroup_id }) => adgroup_id),
  ad: z.object({ ad_ids: z.tuple([PlatformId], PlatformId) }).transform(({ ad_ids: [id] }) => id),
};

const LONGEST_NAME = 60;

/**
 * The same for all three. TikTok accepts no emoji: only letters, marks and digits of the boost's own name are
 * kept.
 */
export function nameOf({ name, reference }: Pick<Boost, "name" | "reference">): string {
  const plain = name
    .normalize("NFC")
    // Variation selectors turn a preceding sign into an emoji, and count as marks.
    .replace(/\p{Variation_Selector}/gu, "")
    .replace(/[^\p{L}\p{Mn}\p{Mc}\p{N}_-]+/gu, " ")
    .trim();
  const short = Array.from(plain).slice(0, LONGEST_NAME).join("").trim();
  return `${short || "Boost"} ${reference}`;
}

/**
 * A 64-bit integer, as TikTok requires: the same for each attempt at this object, and different for others.
 */
async function requestIdOf({ reference }: Boost, object: ObjectName): Promise<string> {
  const digest = await sha256Hex(`boost ${reference} ${object}`);
  return BigInt.asUintN(63, BigInt(`0x${digest.slice(0, 16)}`)).toString();
}

function asObject(name: string): ObjectName {
  const object = OBJECTS.find((one) => one === name);
  if (object === undefined) throw new Error(`TikTok has no ${name} in a boost.`);
  return object;
}

/** Objects are created in order: the parent exists. */
function idOf(made: Made, object: ObjectName): string {
  const id = made[object];
  if (id === undefined) throw new Error(`The ${object} of the boost is missing.`);
  return id;
}

export const createObject: Advertising["createObject"] = async (context, boost, { object, made, progress }) => {
  switch (asObject(object)) {
    case "campaign":
      return makeCampaign(context, boost, made);
    case "adgroup":
      return makeAdGroup(context, boost, made, progress);
    case "ad":
      return makeAd(context, boost, made, progress);
  }
};

async function makeCampaign(context: AccountContext, boost: Boost, made: Made): Promise<CreateOutcome> {
  const goal = goalOf(boost.objective);
  if (goal.kind === "failed") return goal;
  const body = {
    advertiser_id: boost.adAccountId,
    request_id: await requestIdOf(boost, "campaign"),
    campaign_name: nameOf(boost),
    objective_type: goal.objective_type,
    // The ad group's budget limits it.
    budget_mode: "BUDGET_MODE_INFINITE",
    operation_status: "DISABLE",
  };
  return settleKeyed(
    context,
    boost,
    { object: "campaign", made },
    await write(context, "campaign/create", body, Created.campaign),
  );
}

async function makeAdGroup(context: AccountContext, boost: Boost, made: Made, progress: Json): Promise<CreateOutcome> {
  const goal = goalOf(boost.objective);
  if (goal.kind === "failed") return goal;
  const body = {
    advertiser_id: boost.adAccountId,
    request_id: await requestIdOf(boost, "adgroup"),
    campaign_id: idOf(made, "campaign"),
    adgroup_name: nameOf(boost),
    ...adGroupTerms(boost, goal, Prepared.parse(progress).locations),
    operation_status: "DISABLE",
  };
  return settleKeyed(
    context,
    boost,
    { object: "adgroup", made },
    await write(context, "adgroup/create", body, Created.adgroup),
  );
}

async function makeAd(context: AccountContext, boost: Boost, made: Made, progress: Json): Promise<CreateOutcome> {
  const goal = goalOf(boost.objective);
  if (goal.kind === "failed") return goal;
  const { username } = context.account;
  if (goal.promotion_type && username === null)
    return rejected("TikTok did not return the account's name. Reconnect it.");
  const { identity } = Prepared.parse(progress);
  const creative = {
    ad_name: nameOf(boost),
    identity_type: identity.type,
    identity_id: identity.id,
    ad_format: hasPictures(boost.post) ? "CAROUSEL_ADS" : "SINGLE_VIDEO",
    tiktok_item_id: boost.post.id,
    // A boost has no landing page of its own, so the ad links to the account's page.
    ...(goal.promotion_type
      ? { call_to_action: "LEARN_MORE", landing_page_url: `https://www.tiktok.com/@${username}` }
      : {}),
    operation_status: "DISABLE",
  };
  const body = { advertiser_id: boost.adAccountId, adgroup_id: idOf(made, "adgroup"), creatives: [creative] };
  return settle(await write(context, "ad/create", body, Created.ad));
}

function settle(answer: WriteResult<string>): CreateOutcome {
  if (answer.kind === "ok") return { kind: "made", id: answer.value };
  return answer.kind === "duplicate" ? unknown(answer.message) : answer;
}

/** A refusal may mean that an earlier call with the same key was carried out. */
async function settleKeyed(
  context: AccountContext,
  boost: Boost,
  { object, made }: { readonly object: ObjectName; readonly made: Made },
  answer: WriteResult<string>,
): Promise<CreateOutcome> {
  if (answer.kind !== "failed" || answer.reason !== "rejected") return settle(answer);
  const found = await lookUp(context, boost, object, made);
  if (found.kind === "found") return { kind: "made", id: found.id };
  return found.kind === "absent" ? answer : unknown(answer.message);
}

export const find: Advertising["find"] = (context, boost, { object, made }) =>
  lookUp(context, boost, asObject(object), made);

async function lookUp(context: AccountContext, boost: Boost, object: ObjectName, made: Made): Promise<FindMadeOutcome> {
  const found = await listAlike(context, boost, object, made);
  if (found.kind === "failed") return found;
  // Deleted objects are not reused: nothing can be created in them, and they cannot be switched on.
  const alike = found.objects.filter((one) => !isDeleted(one));
  const [ours] = alike.filter(({ tiktok_item_id: post = boost.post.id }) => post === boost.post.id).toSorted(byAge);
  if (ours) return { kind: "found", id: ours.id };
  if (alike.length > 0) return unknown("TikTok has an ad of this boost's name with another post.");
  if (found.odd.some((one) => isNamed(one, boost)))
    return unknown(`TikTok does not show all of the boost's ${object}.`);
  return found.isWhole ? { kind: "absent" } : unknown("TikTok lists more objects than one page shows.");
}

/** Objects with the name of the boost, including deleted ones. */
export async function listAlike(
  context: AccountContext,
  boost: Boost,
  object: ObjectName,
  made: Made,
): Promise<Found | Failure> {
  const found = await findObjects(context, boost.adAccountId, object, whereIs(boost, object, made));
  if (found.kind === "failed") return found;
  return { ...found, objects: found.objects.filter(({ name }) => name === nameOf(boost)) };
}

/** Whether an unreadable object contains the reference of the boost. */
const isNamed = (odd: unknown, { reference }: Boost): boolean => JSON.stringify(odd).includes(reference);

function whereIs(boost: Boost, object: ObjectName, made: Made): Readonly<Record<string, string | readonly string[]>> {
  switch (object) {
    case "campaign":
      return { campaign_name: nameOf(boost) };
    case "adgroup":
      return { campaign_ids: [idOf(made, "campaign")] };
    case "ad":
      return { adgroup_ids: [idOf(made, "adgroup")] };
  }
}

/** Of two objects created after a lost answer, the older one counts. Ids have the same length. */
function byAge(one: AdObject, other: AdObject): number {
  const key = (object: AdObject) => `${object.create_time ?? ""} ${object.id}`;
  return key(one) < key(other) ? -1 : 1;
}
