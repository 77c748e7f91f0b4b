// The projects and posts of `npm run scale`.
import { platforms } from "../../src/platforms/registry.ts";
import { happens, type Random, whole } from "../../test/support/random.ts";
import type { Channel, NewPost } from "./api.ts";
import type { Kind, KnownPlatform } from "./kinds.ts";
import { bodyOf, type Item, inTurn } from "./soak-plan.ts";

export interface ScaleOptions {
  readonly posts: number;
  readonly projects: number;
  readonly databases: number;
  readonly days: number;
  /** One in this many projects has a bot, which watches all posts of its first channel. */
  readonly watched: number;
  readonly seed: number;
}

export const MINUTE_MS = 60_000;
export const DAY_MINUTES = 24 * 60;
/** The share of posts of any kind; the others are the lightest of their platform. */
const ANY_KIND = 0.1;
const SCHEDULED = 0.8;
/** Of the scheduled posts, the share at a full quarter of an hour. */
const AT_QUARTERS = 0.6;
const MOST_AHEAD_MINUTES = 2 * DAY_MINUTES;
const SETTLE_MINUTES = 10;

/** Where a project posts: a platform that takes posts without files, and any platform. */
export interface ProjectPlan {
  readonly name: string;
  readonly platforms: readonly KnownPlatform[];
  readonly isWatched: boolean;
}

const shownKinds = ({ kinds }: KnownPlatform) => kinds.filter((kind) => !kind.isSilent);
const isPlain = ({ items }: Kind) => items.length === 1 && items.every((media) => media.length === 0);

export function planProjects(
  { projects, watched }: ScaleOptions,
  known: readonly KnownPlatform[],
): readonly ProjectPlan[] {
  const light = known.filter((one) => shownKinds(one).some(isPlain));
  const watchable = light.filter(({ name }) => platforms[name]?.comments?.reading);
  return Array.from({ length: projects }, (_, at) => {
    const isWatched = at % watched === 0;
    const first = isWatched ? inTurn(watchable, at / watched) : inTurn(light, at);
    const second = inTurn(known, at);
    return {
      name: `Customer ${at + 1}`,
      platforms: first === second ? [first] : [first, second],
      isWatched,
    };
  });
}

export interface ScalePost {
  readonly project: number;
  /** Minutes after the begin. */
  readonly createdAt: number;
  readonly dueAt: number;
  readonly items: readonly Item[];
  readonly body: NewPost;
  /** Whether a bot watches it. */
  readonly isWatched: boolean;
}

interface Home extends ProjectPlan {
  readonly channels: readonly Channel[];
}

/** The posts of all projects, in the order of their creation. `beginAt`: a full minute. */
export function planScale(
  { posts, days, seed }: ScaleOptions,
  homes: readonly Home[],
  {
    random,
    media,
    beginAt,
  }: { readonly random: Random; readonly media: (name: string) => string; readonly beginAt: number },
): readonly ScalePost[] {
  const end = days * DAY_MINUTES - SETTLE_MINUTES;
  const all = Array.from({ length: posts }, (_, at): ScalePost => {
    const project = whole(random, 0, homes.length - 1);
    const { platforms: known, channels, isWatched } = inTurn(homes, project);
    const isAny = happens(random, ANY_KIND);
    const platform = inTurn(known, isAny ? 1 : 0);
    const kinds = shownKinds(platform);
    const kind = isAny ? inTurn(kinds, at) : inTurn(kinds.filter(isPlain), 0);
    const channel = inTurn(
      channels.filter(({ channel_type: type }) => type === platform.name),
      0,
    );
    const items = kind.items.map((files, item) => ({
      text: `Scale ${seed} bell ${String(at + 1).padStart(6, "0")} stroke ${item + 1}.`,
      media: files.map(media),
    }));
    const isScheduled = happens(random, SCHEDULED);
    const wanted = whole(random, SETTLE_MINUTES, end);
    const dueAt = isScheduled && happens(random, AT_QUARTERS) ? Math.ceil(wanted / 15) * 15 : wanted;
    const ahead = whole(random, SETTLE_MINUTES, Math.min(dueAt, MOST_AHEAD_MINUTES));
    const createdAt = isScheduled ? dueAt - ahead : dueAt;
    const body = isScheduled
      ? scheduled(bodyOf(kind, channel, items), beginAt + dueAt * MINUTE_MS)
      : bodyOf(kind, channel, items);
    return { project, createdAt, dueAt, items, body, isWatched: isWatched && platform === known[0] };
  });
  return all.sort((a, b) => a.createdAt - b.createdAt);
}

function scheduled(body: NewPost, at: number): NewPost {
  const [day, time = ""] = new Date(at).toISOString().split("T");
  return { ...body, publish_mode: "scheduled", schedule_time: `${day} ${time.slice(0, 5)}`, time_zone: "UTC" };
}
