import type { AutomationRequest } from "../../automations/settings.ts";
import { type CampaignName, selectCampaignNames } from "../../boosts/names.ts";
import { selectNewestChannels } from "../../channels/list.ts";
import type { ChannelState } from "../../channels/store.ts";
import { type CampaignId, idOf, type PostId } from "../../core/ids.ts";
import { readTogether } from "../../db/client.ts";
import { PLATFORM_NAMES, type PlatformName } from "../../platforms/names.ts";
import { findPlatform } from "../../platforms/registry.ts";
import {
  type PostTitle,
  selectLiveTitles,
  selectRestingTitles,
  selectTitles,
  withResting,
} from "../../posts/lists/titles.ts";
import type { ProjectVisit } from "../definition.ts";
import { idIn } from "../fields.ts";
import { fieldValue, fieldValues } from "../parts.tsx";

/** From what a person chooses where a bot answers; an API call names anything else. */
export interface BotChoices {
  readonly channels: readonly ChannelState[];
  /** The chosen ones first. */
  readonly posts: readonly PostTitle[];
  readonly campaigns: readonly CampaignName[];
}

const MOST_CHANNELS = 100;
/** Besides the chosen ones. */
const MOST_FOUND = 30;

export const readsComments = (name: PlatformName): boolean => findPlatform(name)?.comments?.reading !== undefined;

/** One D1 call. What is chosen is of the form, otherwise of the bot. */
export async function readChoices(visit: ProjectVisit, body?: AutomationRequest): Promise<BotChoices> {
  const { deps, project, now } = visit;
  const postIds = chosenIn(visit, "post_ids", body?.post_ids).map((id) => idOf<PostId>(id));
  const campaignIds = chosenIn(visit, "campaign_ids", body?.campaign_ids).map((id) => idOf<CampaignId>(id));
  const sought = {
    platforms: PLATFORM_NAMES.filter(readsComments),
    words: wordsIn(visit, "search"),
    limit: MOST_FOUND,
  };
  const named = { words: wordsIn(visit, "search_campaigns"), chosen: campaignIds, limit: MOST_FOUND };
  const { chosen, found, atRest, ...others } = await readTogether(deps.db, {
    channels: selectNewestChannels(deps.db, project.id, { now, limit: MOST_CHANNELS }),
    chosen: selectTitles(deps.db, project.id, postIds),
    found: selectLiveTitles(deps.db, project.id, sought),
    atRest: selectRestingTitles(deps.db, project.id, postIds, sought),
    campaigns: selectCampaignNames(deps.db, project.id, named),
  });
  const titles = await withResting(deps, { chosen, found, atRest }, postIds, sought);
  return { ...others, posts: [...titles.chosen, ...titles.found.filter(({ id }) => !postIds.includes(id))] };
}

/** The words of a search: of the form, otherwise of the address. */
export const wordsIn = (visit: ProjectVisit, name: string): string =>
  fieldValue(visit, name, visit.query[name]).trim().slice(0, 100);

/** The chosen ids of a list. */
export function chosenIn(visit: ProjectVisit, name: string, stored: readonly number[] = []): readonly number[] {
  return fieldValues(visit, name)?.map(idIn) ?? stored;
}
