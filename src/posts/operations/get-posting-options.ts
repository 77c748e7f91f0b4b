import { z } from "@hono/zod-openapi";
import { ChannelIdParam } from "../../channels/schema.ts";
import { operation } from "../../http/operation.ts";
import { readPathId } from "../../http/page.ts";
import { findPostingOptions, PostingOptionsView, toPostingOptionsView } from "../content/posting-options.ts";

const MUSIC = {
  label: "Music Usage Confirmation",
  url: "https://www.tiktok.com/legal/page/global/music-usage-confirmation/en",
};

const EXAMPLE_OPTIONS = {
  channel_id: 14,
  channel_type: "tiktok",
  can_post: true,
  reason: null,
  name: "Fern & Oak",
  username: "fernandoak",
  picture_url: "https://p16.example/fernandoak.jpg",
  privacy_levels: ["PUBLIC_TO_EVERYONE", "MUTUAL_FOLLOW_FRIENDS", "SELF_ONLY"],
  comments: true,
  duets: true,
  stitches: false,
  max_video_seconds: 600,
  disclosures: {
    own_brand: "Your photo/video will be labeled as 'Promotional content'",
    paid_partnership: "Your photo/video will be labeled as 'Paid partnership'",
    consent: { text: "By posting, you agree to TikTok's Music Usage Confirmation.", links: [MUSIC] },
    consent_to_paid_partnership: {
      text: "By posting, you agree to TikTok's Branded Content Policy and Music Usage Confirmation.",
      links: [{ label: "Branded Content Policy", url: "https://www.tiktok.com/legal/page/global/bc-policy/en" }, MUSIC],
    },
  },
  read_at: "2030-03-05T09:00:00.000+00:00",
} satisfies z.output<typeof PostingOptionsView>;

export const GetPostingOptions = operation({
  id: "getPostingOptions",
  method: "get",
  path: "/social/get-posting-options/{channel_id}",
  tag: "Posts",
  permission: "social-create-post",
  extension: true,
  asksPlatform: true,
  summary: "Read what an account can choose when it posts",
  description:
    "What TikTok says now of the account, kept for a minute: who may see a post, which interactions can be allowed, and the sentences that a page for posting must show. The person chooses, and create-post takes the choice in `options` and `declared`. A 422 on platforms where the choice does not depend on the account.",
  params: ChannelIdParam,
  answer: z.object({ posting_options: PostingOptionsView, status: z.literal(true) }),
  answerDescription: "The options.",
  example: { posting_options: EXAMPLE_OPTIONS, status: true },
  run: async ({ deps, caller }, { params }) => {
    const id = readPathId("channel", params.channel_id);
    const found = await findPostingOptions(deps, caller, id);
    return { posting_options: toPostingOptionsView(found), status: true } as const;
  },
});
