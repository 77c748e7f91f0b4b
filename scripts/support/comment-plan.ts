// The plan for the second part of `npm run soak`: the comments, the bots that answer them, and the faults.
import type { PlatformName } from "../../src/platforms/names.ts";
import { platforms } from "../../src/platforms/registry.ts";
import type { Fault } from "../../test/support/control.ts";
import { type Random, whole } from "../../test/support/random.ts";
import type { Channel, NewAutomation } from "./api.ts";
import { faultsAt } from "./driver.ts";
import type { KnownPlatform } from "./kinds.ts";
import { inTurn } from "./soak-plan.ts";

/** A live post, with our id and the platform's. */
export interface LivePlan {
  readonly id: number;
  readonly platform: PlatformName;
  readonly channelId: number;
  readonly platformId: string;
}

type Shown = "comment_reply" | "direct_message" | "frequency" | "response_type";
type WholeBody = NewAutomation & Required<Pick<NewAutomation, Shown>>;

export interface BotPlan {
  readonly name: string;
  readonly body: WholeBody;
  readonly frequency: "everytime" | "once" | "randomly";
  /** Null if it answers every comment. */
  readonly topic: Topic | null;
  /** Ids of the posts that it covers. */
  readonly posts: ReadonlySet<number>;
  readonly comments: boolean;
  readonly messages: boolean;
  readonly usesAi: boolean;
}

export interface CommentPlan {
  readonly post: LivePlan;
  readonly author: string;
  readonly text: string;
  readonly topics: readonly Topic[];
  /** A reply to an earlier comment instead of the post. */
  readonly isInThread: boolean;
}

/** The mark that identifies a comment even if its text is changed. */
export const markOf = (text: string): string | null => /\(c\d{4}\)/.exec(text)?.[0] ?? null;

/** The keywords of each keyword bot. */
const TOPICS = {
  price: ["price", "how much"],
  delivery: ["delivery", "shipping cost"],
  hours: ["opening hours"],
  size: ["Größe"],
  thumbs: ["👍"],
} as const satisfies Readonly<Record<string, readonly string[]>>;
type Topic = keyof typeof TOPICS;

/** Comment texts with manually assigned topics: the plan must not use the code under test. */
const SAYINGS: readonly { readonly words: string; readonly topics: readonly Topic[] }[] = [
  { words: "What is the PRICE of this one?", topics: ["price"] },
  { words: "how  much is it", topics: ["price"] },
  { words: "This is priceless", topics: [] },
  { words: "Is there a délivery on Sundays?", topics: ["delivery"] },
  { words: "Is the shipping cost in the price?", topics: ["price", "delivery"] },
  { words: "Redelivery would be fine", topics: [] },
  { words: "Your opening hours, please", topics: ["hours"] },
  { words: "Opening tomorrow? What hours?", topics: [] },
  { words: "Welche größe ist das", topics: ["size"] },
  { words: "Love it 👍👍", topics: ["thumbs"] },
  { words: "Lovely!", topics: [] },
];

const AUTHORS_EACH = 40;
/** One in this many comments replies to another comment. */
const THREAD_ONE_IN = 20;
const DELAY_SECONDS = 6;

/** Plans this many comments across the posts in rotation; many authors write several times. */
export function planComments(count: number, posts: readonly LivePlan[], random: Random): CommentPlan[] {
  return Array.from({ length: count }, (_, at) => {
    const { words, topics } = inTurn(SAYINGS, whole(random, 0, SAYINGS.length - 1));
    return {
      post: inTurn(posts, at),
      author: `Reader ${whole(random, 1, AUTHORS_EACH)}`,
      text: `${words} (c${String(at + 1).padStart(4, "0")})`,
      topics,
      // The first comment on each post has no comment to reply to.
      isInThread: at >= posts.length && whole(random, 1, THREAD_ONE_IN) === 1,
    };
  });
}

interface Wish {
  readonly platform: PlatformName | null;
  readonly topic: Topic | null;
  readonly response: "comment" | "direct_message" | "both";
  readonly frequency: BotPlan["frequency"];
  readonly isDelayed?: boolean;
  /** Covers only every second post, selected individually. */
  readonly isChosen?: boolean;
  readonly usesAi?: boolean;
}

/** Four bots per platform and two for all platforms, covering every kind. */
function wishes(names: readonly PlatformName[]): Wish[] {
  const own = names.flatMap((platform, at): Wish[] => [
    { platform, topic: null, response: "both", frequency: "everytime" },
    { platform, topic: "price", response: "comment", frequency: "once" },
    {
      platform,
      topic: "delivery",
      response: "both",
      frequency: at % 2 === 0 ? "randomly" : "everytime",
      isDelayed: true,
    },
    { platform, topic: "hours", response: "comment", frequency: "everytime", isChosen: true, usesAi: at % 2 === 0 },
  ]);
  return [
    ...own,
    { platform: null, topic: "size", response: "comment", frequency: "randomly" },
    // If a platform allows one message per comment, the first of two bots sends it; if it allows none, no
    // message is sent.
    { platform: null, topic: "thumbs", response: "direct_message", frequency: "everytime" },
  ];
}

/** Every bot has unique words that identify its replies. */
export function planBots(posts: readonly LivePlan[], channels: readonly Channel[], seed: number): BotPlan[] {
  const names = [...new Set(posts.map(({ platform }) => platform))];
  return wishes(names).map((wish, at): BotPlan => {
    const { platform, topic, response, frequency, isDelayed = false, isChosen = false, usesAi = false } = wish;
    const name = `Bot ${String(at + 1).padStart(2, "0")}`;
    const isMeant = (type: string) => platform === null || platform === type;
    const own = posts.filter(
      (post, turn) => isMeant(post.platform) && (!isChosen || Math.floor(turn / names.length) % 2 === 0),
    );
    const body: WholeBody = {
      name,
      channels: channels.filter(({ channel_type: type }) => isMeant(type)).map(({ channel_id: id }) => id),
      ...(isChosen ? { target_type: "posts", post_ids: own.map(({ id }) => id) } : {}),
      ...(topic === null ? {} : { trigger_type: "keywords", keywords: TOPICS[topic] }),
      response_type: response,
      comment_reply: `${name} of soak ${seed} says thank you.`,
      direct_message: `${name} of soak ${seed} writes to you.`,
      frequency,
      ...(isDelayed ? { response_time: "delayed", delay_time: DELAY_SECONDS } : {}),
      ...(usesAi ? { ai_enable: "yes", ai_settings: { response_length: "short" } } : { ai_enable: "no" }),
    };
    const ids = new Set(own.map(({ id }) => id));
    const kind = { comments: response !== "direct_message", messages: response !== "comment", usesAi };
    return { name, body, frequency, topic, posts: ids, ...kind };
  });
}

/** Whether the platform supports direct messages. */
export const takesMessages = (platform: PlatformName): boolean => platforms[platform]?.messages !== undefined;

const REFUSED: Counts = { error: 2, html_error: 1, empty_error: 1, gateway_refusal: 1, rate_limit: 2, slow: 1 };
const ACCEPTED: Counts = { accept_then_drop: 3, accept_then_error: 2 };
type Counts = Readonly<Record<string, number>>;

/**
 * Every fault of each platform at each operation that comments need. One login expires and another is
 * revoked, on the platform's turn. Credentials that are rejected twice within minutes are disabled
 * permanently.
 */
export function commentFaults({ name: platform, facts }: KnownPlatform, turn: number): readonly Fault[] {
  const own = Object.fromEntries((facts.ownFaults ?? []).map((kind) => [kind, 1]));
  const acts = { ...REFUSED, ...ACCEPTED, ...own };
  const reads = { ...REFUSED, accept_then_drop: 1, accept_then_error: 1 };
  const few = { error: 1, accept_then_drop: 1, accept_then_error: 1 };
  const isEven = turn % 2 === 0;
  return [
    ...faultsAt(platform, takesMessages(platform) ? ["reply", "message"] : ["reply"], acts),
    ...faultsAt(platform, ["comments"], reads),
    ...faultsAt(platform, ["upload", "status", "token"], few),
    ...faultsAt(platform, [isEven ? "reply" : "comments"], { expire_token: 1 }),
    ...faultsAt(platform, [isEven ? "comments" : "reply"], { revoke_token: 1 }),
  ];
}

/** Faults of the model that writes replies. */
export const modelFaults = (): readonly Fault[] => faultsAt("models", ["chat"], { ...REFUSED, ...ACCEPTED });
