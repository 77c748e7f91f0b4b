import { z } from "zod";
import type { Boost } from "./api.ts";
import type { World } from "./world.ts";

/** The soak of boosts compares our data with the platforms' records. */

export interface Campaign {
  readonly id: number;
  readonly platform: string;
  /** Part of the names of all its objects; only letters and digits. */
  readonly name: string;
  /** When we deleted it; null if it is not deleted. */
  deletedAt: number | null;
  /** It is deleted with its post. A campaign that has ended before stays listed. */
  goesWithPost: boolean;
}

const Ad = z.looseObject({
  platform: z.string(),
  kind: z.string(),
  name: z.string(),
  status: z.string(),
  spend_minor: z.number(),
});
type Ad = z.output<typeof Ad>;

/** The platform's objects of each campaign, by `keyOf`. */
export type Books = ReadonlyMap<string, readonly Ad[]>;

const keyOf = (platform: string, name: string) => `${platform} ${name}`;
/** The campaign name within an object's name. */
const CAMPAIGN_NAME = /soak\d+x[0-9a-z]+/;

export async function adsOf({ control }: World): Promise<Books> {
  const ads = z.array(Ad).parse(await control.control("GET", "ads?deleted=true"));
  return Map.groupBy(ads, ({ platform, name }) => keyOf(platform, CAMPAIGN_NAME.exec(name)?.[0] ?? name));
}

/** The objects of a campaign that the platform has or had. */
export function objectsOf({ platform, name }: Campaign, theirs: Books) {
  const own = theirs.get(keyOf(platform, name)) ?? [];
  const all = own.filter(({ kind }) => kind === "campaign");
  return {
    // A creative shows and spends nothing by itself.
    left: own.filter(({ kind, status }) => kind !== "creative" && status !== "DELETED"),
    running: all.filter(({ status }) => !/PAUSED|DISABLE|DELETED/.test(status)),
    spentMinor: all.reduce((sum, { spend_minor: spent }) => sum + spent, 0),
  };
}

export function wrongsOf(campaign: Campaign, ours: Boost | undefined, theirs: Books): readonly string[] {
  const { platform, name, deletedAt, goesWithPost } = campaign;
  const { left, running } = objectsOf(campaign, theirs);
  const status = ours?.status ?? (deletedAt === null ? "nowhere" : "deleted");
  const who = `${platform} ${name} (${status})`;
  const isOff = status === "failed" || status === "deleted";
  const mayBeListed = goesWithPost && (status === "failed" || status === "completed");
  return [
    ...(status === "nowhere" ? [`${who} is not listed`] : []),
    ...(running.length > 1 ? [`${who} runs ${running.length} times`] : []),
    ...(isOff && left.length > 0 ? [`${who} has ${left.length} objects left at the platform`] : []),
    ...(status === "completed" && running.length > 0 ? [`${who} still runs at the platform`] : []),
    ...(deletedAt !== null && ours && !mayBeListed ? [`${who} was deleted but is listed`] : []),
    ...(["in_review", "active"].includes(status) && running.length === 0
      ? [`${who} does not run at the platform`]
      : []),
    ...(status === "failed" && /was deleted/.test(ours?.reason ?? "")
      ? [`${who} failed because of objects that only this service deletes: ${ours?.reason}`]
      : []),
    ...(status === "failed" && !ours?.reason ? [`${who} failed without a reason`] : []),
  ];
}

/**
 * Spend after the end, and spend missing from our figures. Compares two reads of the platform's records with
 * our figures read between them.
 */
export function moneyWrongs(
  campaigns: readonly Campaign[],
  ours: ReadonlyMap<number, Boost>,
  { before, after }: { readonly before: Books; readonly after: Books },
): readonly string[] {
  return campaigns.flatMap((campaign) => {
    const [then, now] = [objectsOf(campaign, before).spentMinor, objectsOf(campaign, after).spentMinor];
    const shown = ours.get(campaign.id);
    const isOver = ["failed", "completed"].includes(shown?.status ?? "");
    const isOff = campaign.deletedAt !== null || isOver;
    const spentMinor = Math.round((shown?.spend ?? 0) * 100);
    return [
      ...(isOff && now > then ? [`${campaign.name} spent ${now - then} after its end`] : []),
      ...(shown && spentMinor > now
        ? [`${campaign.name} is shown with ${spentMinor} spent, the platform recorded ${now}`]
        : []),
      ...(isOver && spentMinor !== now
        ? [`${campaign.name} is ${shown?.status} with ${spentMinor}, the platform recorded ${now}`]
        : []),
    ];
  });
}
