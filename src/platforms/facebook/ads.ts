import { z } from "zod";
import type { AccountContext, Failure } from "../context.ts";
import { PlatformId } from "../json.ts";
import { metaAdvertising } from "../meta/ads/advertising.ts";
import { COMMON_GOALS, type Promotable } from "../meta/ads/api.ts";
import { get } from "../meta/graph.ts";
import type { PlatformPost } from "../publishing.ts";
import { graphOf } from "./api.ts";
import { pagePostId } from "./find.ts";

/**
 * Boosts of a Page's posts (meta/ads/). Ads are bought with the person's token. The post is read with the
 * Page's own token, which the person's token returns.
 *
 * - Ads know a post by its `promotable_id`, which may differ from its id.
 * - Stories are not boosted, because they expire first. Leads, sales and app installs are not supported: they
 *   require a form, a pixel or a shop link, which an existing post lacks.
 */
const Post = z.object({
  is_published: z.boolean().nullish(),
  is_eligible_for_promotion: z.boolean().nullish(),
  promotable_id: PlatformId.nullish(),
});
const Page = z.object({ access_token: z.string().nullish() });
const Video = z.object({ post_id: PlatformId.nullish() });

export const ads = metaAdvertising({
  placement: "facebook",
  types: ["post", "reel"],
  goals: {
    ...COMMON_GOALS,
    traffic: {
      objective: "OUTCOME_TRAFFIC",
      optimization: "LINK_CLICKS",
      destination: "WEBSITE",
      promotesPage: false,
    },
  },
  pageId: ({ id }) => id,
  graphOf,
  promotable,
  shows: (_account, id) => ({ object_story_id: id }),
});

async function promotable(person: AccountContext, post: PlatformPost): Promise<Promotable | Failure> {
  const context = await asPage(person);
  if ("kind" in context) return context;
  const id = await storyOf(context, post);
  if (typeof id !== "string") return id;
  const fields = "id,is_published,is_eligible_for_promotion,promotable_id";
  const read = await graphOf(context).read(get(id, { fields }), Post);
  if (read.kind === "failed") return read;
  const { is_published: isPublished, is_eligible_for_promotion: isEligible, promotable_id: own } = read.value;
  const reason =
    isPublished === false
      ? "Facebook does not show this post to everyone."
      : isEligible === false
        ? "Facebook does not boost this post. It is not public, shares another account's post, or has a type that cannot be boosted."
        : null;
  return { kind: "promotable", id: own ?? id, reason };
}

/** The account with the Page's token; with the person's own if the person gets no Page token. */
async function asPage(person: AccountContext): Promise<AccountContext | Failure> {
  const read = await graphOf(person).read(get(person.account.id, { fields: "access_token" }), Page);
  if (read.kind === "failed") return read;
  const accessToken = read.value.access_token ?? person.credentials.accessToken;
  return { ...person, credentials: { ...person.credentials, accessToken } };
}

/** The id of the post. Of a video, only the video's own id may be known: the post that shows it is read. */
async function storyOf(context: AccountContext, { id }: PlatformPost): Promise<string | Failure> {
  if (id.includes("_")) return id;
  const read = await graphOf(context).read(get(id, { fields: "post_id" }), Video);
  if (read.kind === "failed") return read;
  return pagePostId(context, read.value.post_id ?? id);
}
