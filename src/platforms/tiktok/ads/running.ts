import { z } from "zod";
import { listWords } from "../../../core/text.ts";
import type { Advertising, Applied, Boost, BoostTerms, Made } from "../../advertising.ts";
import type { AccountContext, Failure } from "../../context.ts";
import { down, okAs, rejected } from "../../outcomes.ts";
import { type AdObject, apply, findById, findObjects, isDeleted, isOn, OBJECTS, type ObjectName } from "./api.ts";
import { listAlike, nameOf } from "./create-object.ts";
import { readFigures } from "./figures.ts";
import { toUnits } from "./money.ts";
import { Prepared } from "./rights.ts";
import { locate } from "./targeting.ts";
import { budgetModeOf, changeableTerms, type Locations } from "./terms.ts";

/**
 * Switching a boost on and off, deleting and changing it. Each call sets the wanted state, so it may be
 * repeated. The state is then read, because TikTok may refuse a call if the state is already set.
 */
type Status = "ENABLE" | "DISABLE" | "DELETE";

async function setStatus(
  context: AccountContext,
  { adAccountId }: Pick<Boost, "adAccountId">,
  { object, ids }: { readonly object: ObjectName; readonly ids: readonly string[] },
  status: Status,
): Promise<Applied> {
  const body = { advertiser_id: adAccountId, [`${object}_ids`]: ids, operation_status: status };
  return okAs(await apply(context, `${object}/status/update`, body, z.unknown()), "done");
}

/** Sets the state unless it is set already, and checks the result. */
async function ensure(
  context: AccountContext,
  boost: Boost,
  { object, id }: { readonly object: ObjectName; readonly id: string },
  status: "ENABLE" | "DISABLE",
): Promise<Applied> {
  const set = await setStatus(context, boost, { object, ids: [id] }, status);
  if (set.kind === "failed" && set.reason !== "rejected") return set;
  const shown = await findById(context, boost.adAccountId, object, id);
  if (shown.kind === "failed") return shown;
  const { object: current } = shown;
  if (current && !isDeleted(current) && isOn(current) === (status === "ENABLE")) return { kind: "done" };
  return set.kind === "failed" ? set : down("TikTok does not show the change yet.");
}

/** From the inside out: nothing is shown before the campaign is on. */
export const enable: Advertising["enable"] = async (context, boost, made, { mayHaveTwins }) => {
  const cleared = mayHaveTwins ? await removeTwins(context, boost, made) : null;
  if (cleared?.kind === "failed") return cleared;
  for (const object of OBJECTS.toReversed()) {
    const id = made[object];
    if (id === undefined) return rejected(`The boost has no ${object} at TikTok.`);
    const applied = await ensure(context, boost, { object, id }, "ENABLE");
    if (applied.kind === "failed") return applied;
  }
  return { kind: "done" };
};

/**
 * Deletes duplicates created by a call whose answer was lost. Paused duplicates spend nothing, but a person
 * might switch them on.
 */
async function removeTwins(context: AccountContext, boost: Boost, made: Made): Promise<Applied> {
  for (const object of OBJECTS) {
    const alike = await listAlike(context, boost, object, made);
    if (alike.kind === "failed") return alike;
    const twins = alike.objects.filter((one) => one.id !== made[object] && !isDeleted(one) && !isOn(one));
    if (twins.length === 0) continue;
    const ids = twins.map(({ id }) => id);
    const deleted = await setStatus(context, boost, { object, ids }, "DELETE");
    // A duplicate that cannot be deleted does not block the boost.
    if (deleted.kind === "failed" && deleted.reason !== "rejected") return deleted;
  }
  return { kind: "done" };
}

/** A paused campaign prevents everything in it from being shown. */
export const pause: Advertising["pause"] = async (context, boost, { campaign }) =>
  campaign === undefined ? { kind: "done" } : ensure(context, boost, { object: "campaign", id: campaign }, "DISABLE");

/**
 * Deletes every campaign of the boost, including one whose id was never reported; the objects in them are
 * deleted too.
 */
export const remove: Advertising["remove"] = async (context, boost, { campaign }) => {
  const named = await campaignsOf(context, boost);
  if (named.kind === "failed") return named;
  const alive = named.campaigns.filter((one) => !isDeleted(one)).map(({ id }) => id);
  const isKnown = campaign === undefined || named.campaigns.some(({ id }) => id === campaign);
  const ids = isKnown ? alive : [...alive, campaign];
  if (ids.length === 0) return { kind: "done" };
  const set = await setStatus(context, boost, { object: "campaign", ids }, "DELETE");
  if (set.kind === "failed" && set.reason !== "rejected") return set;
  const after = await findObjects(context, boost.adAccountId, "campaign", { campaign_ids: ids });
  if (after.kind === "failed") return after;
  // A campaign that TikTok does not list, not even as deleted, no longer exists.
  if (after.objects.filter(({ id }) => ids.includes(id)).every(isDeleted)) return { kind: "done" };
  return set.kind === "failed" ? set : down("TikTok does not show yet that it is deleted.");
};

async function campaignsOf(
  context: AccountContext,
  boost: Boost,
): Promise<{ readonly kind: "campaigns"; readonly campaigns: readonly AdObject[] } | Failure> {
  const name = nameOf(boost);
  const found = await findObjects(context, boost.adAccountId, "campaign", { campaign_name: name });
  if (found.kind === "failed") return found;
  return { kind: "campaigns", campaigns: found.objects.filter((one) => one.name === name) };
}

/** TikTok allows no budget below this multiple of what is spent already. */
const LEAST_OF_SPENT = 1.05;

export const change: Advertising["change"] = async (context, boost, made, { wanted, progress }) => {
  const { adgroup } = made;
  if (adgroup === undefined) return rejected("The boost has no ad group at TikTok.");
  const shown = await findById(context, boost.adAccountId, "adgroup", adgroup);
  if (shown.kind === "failed") return shown;
  const { object: current } = shown;
  if (current === null) return down("TikTok does not show the boost yet.");
  if (isDeleted(current)) return rejected("The boost was deleted at TikTok, so it cannot be changed.");
  const fixed = fixedProblem(boost, current, wanted);
  if (fixed) return fixed;
  const places = await locationsOf(context, wanted, Prepared.parse(progress).locations);
  if (places.kind === "failed") return places;

  // All terms are sent, whatever is shown: lists may be late, and "nothing changed" is a valid answer.
  const { campaign } = made;
  const units = toUnits(wanted.budgetMinor, wanted.currency);
  const isEnough = current.budget === undefined || units >= current.budget;
  const setBudget = async (): Promise<Applied> => {
    const problem = isEnough || campaign === undefined ? null : await spentProblem(context, campaign, wanted);
    if (problem) return problem;
    const body = { advertiser_id: boost.adAccountId, budget: [{ adgroup_id: adgroup, budget: units }] };
    return okAs(await apply(context, "adgroup/budget/update", body, z.unknown()), "done");
  };
  const setOthers = async (): Promise<Applied> => {
    const others = changeableTerms(boost, wanted, places.locations);
    const body = { advertiser_id: boost.adAccountId, adgroup_id: adgroup, ...others };
    return okAs(await apply(context, "adgroup/update", body, z.unknown()), "done");
  };
  // For more days, the budget grows first; for a smaller budget, the days shrink first.
  const [first, second] = isEnough ? [setBudget, setOthers] : [setOthers, setBudget];
  const begun = await first();
  return begun.kind === "failed" ? begun : second();
};

function fixedProblem(boost: Boost, { budget_mode }: AdObject, wanted: BoostTerms): Failure | null {
  const fixed = [
    wanted.objective === boost.objective ? [] : "the objective",
    (budget_mode ?? budgetModeOf(boost)) === budgetModeOf(wanted)
      ? []
      : "whether the budget is for a day or for all of them",
  ].flat();
  if (fixed.length === 0) return null;
  const message = `TikTok does not allow changes of ${listWords(fixed)}. Delete the boost and create another.`;
  return rejected(message, "unsupported_by_platform");
}

async function locationsOf(context: AccountContext, wanted: BoostTerms, known: Locations) {
  const isKnown = wanted.countries.every((code) => Object.hasOwn(known, code));
  return isKnown ? { kind: "located" as const, locations: known } : locate(context, wanted);
}

async function spentProblem(context: AccountContext, campaign: string, wanted: BoostTerms): Promise<Failure | null> {
  if (wanted.budgetType === "daily") return null;
  const figures = await readFigures(context, wanted, campaign);
  if (figures.kind === "failed") return figures;
  const least = Math.ceil(figures.spendMinor * LEAST_OF_SPENT);
  if (wanted.budgetMinor >= least) return null;
  const amount = `${toUnits(least, wanted.currency)} ${wanted.currency}`;
  return rejected(`The boost has already spent too much for this budget. Set at least ${amount}.`);
}
