// What `npm run soak` publishes and what goes wrong meanwhile.

/** Kinds of posts, in turn. `items` are the media of each item that must go live, one item unless it is a thread. */
const KINDS = [
  { platform: "facebook", name: "text", postType: "post", items: [[]] },
  { platform: "twitter", name: "text", postType: "tweet", items: [[]] },
  { platform: "facebook", name: "photo", postType: "post", items: [["square.jpg"]] },
  { platform: "twitter", name: "thread", postType: "thread", items: [[], [], []] },
  { platform: "facebook", name: "reel", postType: "reel", items: [["reel.mp4"]] },
  { platform: "twitter", name: "photo", postType: "tweet", items: [["landscape.jpg"]] },
  { platform: "facebook", name: "photos", postType: "post", items: [["square.jpg", "landscape.jpg"]] },
  { platform: "twitter", name: "video", postType: "tweet", items: [["clip.mp4"]] },
  { platform: "facebook", name: "video", postType: "post", items: [["clip.mp4"]] },
  { platform: "twitter", name: "photo thread", postType: "thread", items: [["square.jpg"], [], []] },
];

/** Each platform misbehaves in each of these ways, some calls long, at some time of the run. */
export const FAULTS = [
  { platform: "twitter", operation: "publish", kind: "accept_then_drop", times: 2 },
  { platform: "facebook", operation: "publish", kind: "accept_then_error", times: 2 },
  { platform: "facebook", operation: "publish", kind: "accept_then_drop", times: 2 },
  { platform: "twitter", operation: "publish", kind: "accept_then_error", times: 1 },
  { platform: "twitter", operation: "publish", kind: "expire_token", times: 1 },
  { platform: "facebook", operation: "publish", kind: "slow", times: 1 },
  { platform: "twitter", operation: "publish", kind: "rate_limit", times: 2 },
  { platform: "twitter", operation: "upload", kind: "error", times: 2 },
  { platform: "facebook", operation: "upload", kind: "slow", times: 1 },
  { platform: "twitter", operation: "publish", kind: "slow", times: 1 },
];

/** `count` posts over the channels; every item has a text of its own, by which it is found again. */
export function planPosts(count, channels, control, seed) {
  const created = { facebook: 0, twitter: 0 };
  return Array.from({ length: count }, (_, at) => {
    const kind = KINDS[at % KINDS.length];
    const own = channels.filter(({ channel_type: type }) => type === kind.platform);
    const channel = own[created[kind.platform]++ % own.length];
    const items = kind.items.map((media, item) => ({
      text: `Soak ${seed} bell ${String(at + 1).padStart(2, "0")} stroke ${item + 1}.`,
      media: media.map((name) => control.media(name)),
    }));
    return {
      label: `${kind.platform} ${kind.name}`,
      key: `soak-${seed}-${at}`,
      items,
      body: bodyOf(kind, channel, items),
    };
  });
}

function bodyOf(kind, channel, items) {
  const shared = {
    channel_type: kind.platform,
    channel_id: Number(channel.channel_id),
    post_type: kind.postType,
    publish_mode: "now",
  };
  if (kind.postType === "thread") {
    return { ...shared, twitter_threads: items.map(({ text, media }) => ({ message: text, media_urls: media })) };
  }
  return { ...shared, caption_text: items[0].text, media_urls: items[0].media };
}
