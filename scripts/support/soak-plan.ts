// What `npm run soak` publishes and what goes wrong meanwhile.
import type { Fault } from "../../test/support/control.ts";
import type { Channel, NewPost } from "./api.ts";
import type { Plan } from "./verdict.ts";

interface Kind {
  readonly platform: string;
  readonly name: string;
  readonly postType: string;
  /** The media of each item that must go live, one item unless it is a thread. */
  readonly items: readonly (readonly string[])[];
}

/** Kinds of posts, in turn. */
const KINDS: readonly Kind[] = [
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
export const FAULTS: readonly Fault[] = [
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

export interface SoakPlan extends Plan {
  readonly label: string;
  /** Its Idempotency-Key. */
  readonly key: string;
  readonly body: NewPost;
}

/** `count` posts over the channels; `mediaUrl` tells where the sandbox serves a sample. */
export function planPosts(
  count: number,
  channels: readonly Channel[],
  mediaUrl: (name: string) => string,
  seed: number,
): SoakPlan[] {
  const created = new Map<string, number>();
  return Array.from({ length: count }, (_, at) => {
    const kind = inTurn(KINDS, at);
    const own = channels.filter(({ channel_type: type }) => type === kind.platform);
    const earlier = created.get(kind.platform) ?? 0;
    created.set(kind.platform, earlier + 1);
    const channel = inTurn(own, earlier);
    const items = kind.items.map((media, item) => ({
      text: `Soak ${seed} bell ${String(at + 1).padStart(2, "0")} stroke ${item + 1}.`,
      media: media.map(mediaUrl),
    }));
    return {
      label: `${kind.platform} ${kind.name}`,
      key: `soak-${seed}-${at}`,
      items,
      body: bodyOf(kind, channel, items),
    };
  });
}

interface Item {
  readonly text: string;
  readonly media: readonly string[];
}

function bodyOf(kind: Kind, channel: Channel, items: readonly Item[]): NewPost {
  const shared = {
    channel_type: kind.platform,
    channel_id: channel.channel_id,
    post_type: kind.postType,
    publish_mode: "now",
  } as const;
  if (kind.postType === "thread") {
    return { ...shared, twitter_threads: items.map(({ text, media }) => ({ message: text, media_urls: media })) };
  }
  const { text, media } = inTurn(items, 0);
  return { ...shared, caption_text: text, media_urls: media };
}

function inTurn<T>(list: readonly T[], at: number): T {
  const found = list[at % list.length];
  if (found === undefined) throw new Error("There is nothing to take in turn.");
  return found;
}
