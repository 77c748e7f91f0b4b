// Creatives: what an ad shows; here, a Page post or an Instagram media object. Immutable except for name and
// status.

import { z } from "zod";
import type { Sandbox } from "../../sandbox";
import { badParameter, GraphError, missingObject } from "../errors";
import { type GraphContext, nested, parse, text } from "../params";
import { requireScopes } from "../tokens";
import { type AdsWorld, type Person, type PromotablePage, requireOpen, type Target, writing } from "./access";
import { COMMON, isTrial, name, record, requireChangeable } from "./input";
import { findPromotedMedia, findStory, type Promoted } from "./promoted";
import { refused } from "./refusals";
import { type Creative, creatives } from "./store";

const id = text.or(z.number().transform(String));

const Create = z.object({
  ...COMMON,
  name: name.default("Untitled"),
  object_story_id: id.optional(),
  source_instagram_media_id: id.optional(),
  object_id: id.optional(),
  instagram_user_id: id.optional(),
  instagram_actor_id: id.optional(),
  object_story_spec: record.optional(),
  call_to_action: record.optional(),
  degrees_of_freedom_spec: record.optional(),
  contextual_multi_ads: record.optional(),
  url_tags: text.optional(),
  execution_options: nested(z.array(z.literal("validate_only"))).optional(),
});
const Change = z.object({ ...COMMON, name: name.optional(), status: z.enum(["ACTIVE", "DELETED"]).optional() });

/** Null for `validate_only`. */
export async function createCreative(world: AdsWorld, c: GraphContext, accountId: string): Promise<Creative | null> {
  const { sandbox } = world;
  const input = parse(c, Create);
  const { account, person } = await writing(world, c, accountId);
  requireOpen(account);
  checkForm(input);
  const { object_story_id: storyId = null, source_instagram_media_id: mediaId = null } = input;
  const owner =
    mediaId === null
      ? ownerOfStory(person, checkPromoted(findStory(sandbox, storyId ?? ""), storyId ?? ""))
      : ownerOfMedia(person, checkPromoted(findPromotedMedia(sandbox, mediaId), mediaId));
  if (input.object_id !== undefined && input.object_id !== owner.id) {
    throw badParameter("object_id must be the Page that is linked with the Instagram account");
  }
  if (input.instagram_user_id !== undefined && input.instagram_user_id !== owner.instagram?.id) {
    throw badParameter("instagram_user_id must be the account whose media it is");
  }
  refuseLate(sandbox, mediaId === null ? "facebook_app_mode" : "instagram_app_mode");
  if (isTrial(input.execution_options)) return null;
  return creatives.insert(sandbox, {
    platform: world.app.platform,
    account_id: account.id,
    name: input.name,
    status: "ACTIVE",
    content: {
      story_id: storyId === null ? null : (findStory(sandbox, storyId)?.id ?? storyId),
      media_id: mediaId,
      page_id: mediaId === null ? owner.id : (input.object_id ?? null),
      instagram_user_id: mediaId === null ? null : (owner.instagram?.id ?? null),
      call_to_action: input.call_to_action ?? null,
    },
  });
}

export async function changeCreative(world: AdsWorld, c: GraphContext, { id, accountId }: Target): Promise<void> {
  const { fields: _, locale: __, ...input } = parse(c, Change);
  await writing(world, c, accountId);
  const row = creatives.get(world.sandbox, id);
  requireChangeable(row, input);
  creatives.update(world.sandbox, { ...row, name: input.name ?? row.name, status: input.status ?? row.status });
}

/** Requires exactly one post or media object, and no other content. */
function checkForm(input: z.infer<typeof Create>): void {
  const { object_story_id, source_instagram_media_id, object_story_spec: spec } = input;
  if (input.instagram_actor_id !== undefined) {
    throw badParameter("instagram_actor_id is deprecated, use instagram_user_id instead");
  }
  if (spec !== undefined) {
    const isWhole = ["link_data", "video_data", "photo_data"].some((part) => spec[part] !== undefined);
    if (!isWhole) {
      const message = "The creative has no link: object_story_spec needs link_data, video_data or photo_data.";
      throw refused(2061015, { field: "object_story_spec", title: "Link required", message });
    }
    if (source_instagram_media_id === undefined && object_story_id === undefined) {
      throw badParameter("Only posts that exist can be promoted in the sandbox, not object_story_spec");
    }
  }
  const promoted = [object_story_id, source_instagram_media_id, spec].filter((one) => one !== undefined);
  if (promoted.length > 1) {
    const message = "A creative promotes one object: a post, a medium, or a specification.";
    throw refused(1487929, { field: "object_story_spec", title: "Two promoted objects", message });
  }
  if (promoted.length === 1) return;
  const message = "The creative has neither a post nor a link.";
  throw refused(2446383, { field: "object_story_id", title: "Link required", message });
}

function checkPromoted(promoted: Promoted | null, id: string): Promoted {
  if (!promoted) throw missingObject(id, "post");
  if (!promoted.isLive) {
    const message = "The post is not public: publish it before you boost it.";
    throw refused(2932001, { field: "object_story_id", title: "Post not public", message });
  }
  if (promoted.ineligible === null) return promoted;
  throw refused(2875030, { field: "object_story_id", title: "Cannot be boosted", message: promoted.ineligible });
}

function ownerOfStory({ token, pages }: Person, { ownerId }: Promoted): PromotablePage {
  requireScopes(token, "pages_show_list", "pages_read_engagement", "pages_manage_ads");
  const page = pages.find((one) => one.id === ownerId);
  if (!page) throw new GraphError(200, `(#200) The login has no access to the Page ${ownerId}.`);
  return requireAdvertiser(page);
}

function ownerOfMedia({ token, pages }: Person, { ownerId }: Promoted): PromotablePage {
  requireScopes(token, "pages_show_list", "pages_read_engagement", "instagram_basic");
  const page = pages.find((one) => one.instagram?.id === ownerId);
  if (page) return requireAdvertiser(page);
  const message = "The ad account may not use this Instagram account. Connect both in the business portfolio.";
  throw refused(1815199, { field: "source_instagram_media_id", title: "Instagram account", message });
}

function requireAdvertiser(page: PromotablePage): PromotablePage {
  if (page.tasks.includes("ADVERTISE") || page.tasks.includes("MANAGE")) return page;
  throw new GraphError(200, `(#200) The person lacks the task ADVERTISE on the Page ${page.id}.`);
}

const LATE: Readonly<Record<string, string>> = {
  "1815199": "The ad account may not use this Instagram account.",
  "1815279": "This video has to be copied to Facebook before it can be boosted.",
  "1885183":
    "Ads creative post was created by an app that is in development mode. It must be in public to create this ad.",
  "2875030": "This reel cannot be boosted because its music is copyrighted.",
  "2875039": "This reel cannot be boosted because it has elements that can be tapped.",
  "3686001": "Advertisers of your country cannot run this ad.",
};

function refuseLate(sandbox: Sandbox, mode: "facebook_app_mode" | "instagram_app_mode"): void {
  const { ads_late_refusal, [mode]: appMode } = sandbox.settings.all;
  const subcode = appMode === "development" ? "1885183" : ads_late_refusal;
  if (subcode === "none") return;
  throw refused(Number(subcode), { title: "Cannot be boosted", message: LATE[subcode] ?? "" });
}
