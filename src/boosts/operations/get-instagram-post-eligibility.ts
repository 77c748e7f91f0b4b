import { z } from "@hono/zod-openapi";
import { requireAnswer } from "../../acting/request-answer.ts";
import { invalid } from "../../core/errors.ts";
import { type ChannelId, idOf, type PostId } from "../../core/ids.ts";
import { operation } from "../../http/operation.ts";
import { requireAdAccess } from "../ad-account.ts";
import { livePost } from "../create.ts";
import { EligibilityBody } from "../schema.ts";
import { TAG } from "./common.ts";

export const GetInstagramPostEligibility = operation({
  id: "getInstagramPostEligibility",
  asksPlatform: true,
  method: "post",
  path: "/boost-campaigns/get-instagram-post-eligibility",
  tag: TAG,
  permission: "boost-create-campaign",
  summary: "Whether an Instagram post can be boosted",
  description:
    "Instagram's answer before a campaign exists, and the Page of the account. Instagram may still refuse the campaign later, with a reason.",
  body: EligibilityBody,
  answer: z.object({
    eligible: z.boolean(),
    reason: z.string().nullable(),
    page: z.object({ id: z.string(), name: z.string() }),
  }),
  answerDescription: "Whether it can be boosted, or the reason why not.",
  example: { eligible: true, reason: null, page: { id: "104000000000001", name: "Fern & Oak" } },
  run: async (as, { body }) => {
    const asking = as;
    const { channel_id, social_post_id } = body;
    const { ads, context, channel } = await requireAdAccess(asking, idOf<ChannelId>(channel_id), "channel_id");
    if (channel.platform !== "instagram") {
      throw invalid({ channel_id: [`channel_id must be an instagram channel, not one of ${channel.platform}.`] });
    }
    const post = await livePost(asking, idOf<PostId>(social_post_id));
    const [live] = post.platformPosts;
    if (post.channelId !== channel.id || !live) {
      const sentence = `social_post_id must be a post of channel ${channel_id}, not of ${post.channelId}.`;
      throw invalid({ social_post_id: [sentence] }, "reference_invalid");
    }
    const { isEligible, reason, page } = requireAnswer(await ads.eligibility(context, live, null), "social_post_id");
    return { eligible: isEligible, reason, page: page ?? { id: "", name: "" } };
  },
});
