// The posts and faults of `npm run soak`.
import type { Fault } from "../../test/support/control.ts";
import type { Channel, NewPost } from "./api.ts";
import { faultsAt, type Run } from "./driver.ts";
import type { Kind, KnownPlatform } from "./kinds.ts";
import type { Plan } from "./post-outcome.ts";
import type { Realism } from "./world.ts";

/** Each fault of each platform, some with slow calls, at some time of the run. */
export function faultsOf({ name: platform, facts, isRenewable }: KnownPlatform, realism: Realism): readonly Fault[] {
  // In production mode, not every app receives refresh tokens.
  const isRenewed = isRenewable && (realism === "calm" || facts.renewing === undefined);
  return [
    ...faultsAt(platform, ["publish"], { accept_then_drop: 2, accept_then_error: 1, slow: 1, rate_limit: 2 }),
    // Skipped if only the account owner can reconnect: the rest of the run would fail there.
    ...(isRenewed ? faultsAt(platform, ["publish"], { expire_token: 1 }) : []),
    ...(facts.sendsParts.length > 0 ? faultsAt(platform, ["upload"], { error: 2, slow: 1 }) : []),
  ];
}

export interface SoakPlan extends Plan {
  readonly label: string;
  /** Its Idempotency-Key. */
  readonly key: string;
  readonly body: NewPost;
}

/**
 * A sample that these platforms do not take as it is: their posts get a copy of it (docs/guides/media.md).
 */
export const FITTED = "photo.webp";
const FITTED_ON: readonly string[] = ["facebook", "instagram", "threads", "linkedin"];
const FITTED_EVERY = 2;

/**
 * `count` posts, rotating over platforms, kinds and channels. Kinds without visible text are omitted, because
 * the text identifies the post.
 */
export function planPosts(
  { seed, world }: Run,
  count: number,
  known: readonly KnownPlatform[],
  channels: readonly Channel[],
): (SoakPlan & { readonly kind: Kind })[] {
  return Array.from({ length: count }, (_, at) => {
    const round = Math.floor(at / known.length);
    const { name, kinds } = inTurn(known, at);
    const shown = kinds.filter((kind) => !kind.isSilent);
    const kind = inTurn(shown, round);
    const own = channels.filter(({ channel_type: type }) => type === name);
    // The channels rotate after each round of kinds, so that each channel gets all kinds.
    const channel = inTurn(own, round + Math.floor(round / shown.length));
    const isFitted = round % FITTED_EVERY === 0 && FITTED_ON.includes(name);
    const items = kind.items.map((media, item) => ({
      text: `Soak ${seed} bell ${String(at + 1).padStart(3, "0")} stroke ${item + 1}.`,
      media: media.map((file) => world.control.media(isFitted && file === "square.jpg" ? FITTED : file)),
    }));
    return {
      label: `${name} ${kind.name}`,
      key: `soak-${seed}-${at}`,
      items,
      body: bodyOf(kind, channel, items),
      kind,
    };
  });
}

export interface Item {
  readonly text: string;
  readonly media: readonly string[];
}

/** The create-post body for a post of this kind, published now. */
export function bodyOf(kind: Kind, channel: Channel, items: readonly Item[]): NewPost {
  const shared = {
    ...kind.required,
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

export function inTurn<T>(list: readonly T[], at: number): T {
  const found = list[at % list.length];
  if (found === undefined) throw new Error("The list to rotate is empty.");
  return found;
}
