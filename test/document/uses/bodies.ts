import { boost, create, createBot, generate } from "./use";

/**
 * What every client takes and refuses of the operations that create: held against the types of each, which
 * `use.ts` brings.
 */

const caption = { channel_id: 12, caption_text: "x", media_urls: [] };
const thread = { channel_id: 13, twitter_threads: [{ message: "1" }, { message: "2", media_urls: [] }] };

export const accepted = [
  create({ ...caption, channel_type: "facebook", post_type: "post", publish_mode: "now" }),
  create({ ...thread, channel_type: "twitter", post_type: "thread", publish_mode: "queued" }),
  create({ ...thread, channel_type: "threads", post_type: "thread", publish_mode: "queued" }),
  create({
    ...caption,
    channel_type: "youtube",
    post_type: "reel",
    post_extra: { title: "A video", category: 22 },
    publish_mode: "scheduled",
    schedule_time: "2030-03-05 10:00",
    time_zone: "Europe/Berlin",
  }),
];

export const refused = [
  // @ts-expect-error facebook has no tweets.
  create({ ...caption, channel_type: "facebook", post_type: "tweet", publish_mode: "now" }),
  // @ts-expect-error linkedin has no stories.
  create({ ...caption, channel_type: "linkedin", post_type: "story", publish_mode: "now" }),
  // @ts-expect-error facebook has no threads.
  create({ ...thread, channel_type: "facebook", post_type: "thread", publish_mode: "now" }),
  // @ts-expect-error A thread has items.
  create({ ...caption, channel_type: "twitter", post_type: "thread", publish_mode: "now" }),
  // @ts-expect-error A post has a caption.
  create({ channel_id: 12, media_urls: [], channel_type: "facebook", post_type: "post", publish_mode: "now" }),
  // @ts-expect-error youtube wants a title.
  create({ ...caption, channel_type: "youtube", post_type: "post", post_extra: {}, publish_mode: "now" }),
  // @ts-expect-error A scheduled post has a time.
  create({ ...caption, channel_type: "facebook", post_type: "post", publish_mode: "scheduled" }),
];

const terms = { social_post_id: 42, budget: 15.5, duration: 7, ad_account_id: "act_1", countries: ["DE"] };

/** Fields with defaults are optional. */
export const others = [
  createBot({ name: "Thanks", channels: [12], ai_enable: "no", comment_reply: "Thank you!" }),
  createBot({ name: "Thanks", channels: [12], ai_settings: { response_tone: "friendly" } }),
  boost({ ...terms, duration_type: "daily_budget" }),
  generate({ post_type: "text_only", input: "Saffron buns" }),
];

export const othersRefused = [
  // @ts-expect-error A bot whose replies are written by a model has settings for it.
  createBot({ name: "Thanks", channels: [12] }),
  // @ts-expect-error A budget is for a day, or for all days.
  boost(terms),
  // @ts-expect-error A generation has a theme.
  generate({ post_type: "text_only" }),
];
