import { z } from "zod";
import type { AccountContext, AccountRef, Failure } from "../context.ts";
import { metaAdvertising } from "../meta/ads/advertising.ts";
import { COMMON_GOALS, type Promotable } from "../meta/ads/api.ts";
import { get } from "../meta/graph.ts";
import type { PlatformPost } from "../publishing.ts";
import { graphOf } from "./api.ts";

/**
 * Boosts of an account's media (meta/ads/), with Facebook Login only.
 *
 * - A creative names the media with `source_instagram_media_id`, and at most the Page and the account. A
 *   story spec is refused, or replaces the media.
 * - Instagram gives the reason against a boost as free text, which is shown but never branched on.
 * - Traffic leads to the account's profile, because media have no links.
 * - Stories are not boosted, because they expire first. Leads, sales and app installs are not supported: they
 *   require a form, a pixel or a shop link.
 */
const Media = z.object({
  boost_eligibility_info: z
    .object({ eligible_to_boost: z.boolean().nullish(), boost_ineligible_reason: z.string().nullish() })
    .nullish(),
});

export const ads = metaAdvertising({
  placement: "instagram",
  types: ["post", "reel"],
  goals: {
    ...COMMON_GOALS,
    traffic: {
      objective: "OUTCOME_TRAFFIC",
      optimization: "VISIT_INSTAGRAM_PROFILE",
      destination: "INSTAGRAM_PROFILE",
      promotesPage: true,
    },
  },
  pageId,
  graphOf,
  promotable,
  shows: (account, id) => {
    const page = pageId(account);
    const owner = page === null ? {} : { object_id: page, instagram_user_id: account.id };
    return { source_instagram_media_id: id, ...owner };
  },
});

function pageId({ attributes }: AccountRef): string | null {
  return typeof attributes.page_id === "string" ? attributes.page_id : null;
}

async function promotable(context: AccountContext, { id }: PlatformPost): Promise<Promotable | Failure> {
  // In English, like all other texts.
  const query = { fields: "id,boost_eligibility_info", locale: "en_US" };
  const read = await graphOf(context).read(get(id, query), Media);
  if (read.kind === "failed") return read;
  // No statement counts as eligible.
  const { eligible_to_boost: isEligible, boost_ineligible_reason: words } = read.value.boost_eligibility_info ?? {};
  const reason = isEligible === false ? words || "Instagram does not boost this post, and gives no reason." : null;
  return { kind: "promotable", id, reason };
}

/** Why an account can never advertise; null if it can. */
export function adsImpossible({ attributes }: Pick<AccountRef, "attributes">): string | null {
  return attributes.login === "instagram"
    ? "Boosts require an Instagram account that is connected through its Facebook Page. Connect it with Facebook Login."
    : null;
}
