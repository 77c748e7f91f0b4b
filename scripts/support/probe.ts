import type { PostType } from "../../src/platforms/names.ts";
import type { Kind } from "./kinds.ts";

/**
 * Publishes one post of each kind with each account, as long as the rules allow, and compares what comes of
 * it with the rules. Pure but for `ProbeService`: `npm run probe` calls a service, the tests one in the
 * sandbox.
 */
export interface ProbedChannel {
  readonly channel_id: number;
  readonly channel_type: string;
  readonly name: string;
  readonly canPublish: boolean;
}

/** What `/social/get-platforms` says of a platform, as far as a probe compares it. */
export interface ProbedRules {
  readonly channel_type: string;
  readonly deletes_on_platform: boolean;
  readonly permalink: { readonly shown: "at_once" | "later" | "never" };
  readonly post_types: readonly {
    readonly post_type: string;
    readonly text: { readonly max: number };
    readonly privacy: readonly string[] | null;
    readonly options: readonly { readonly name: string }[];
  }[];
}

export interface ProbedPost {
  readonly STATUS: string;
  readonly permalink: string | null;
  readonly error: string | null;
}

export interface ProbeService {
  channels(): Promise<readonly ProbedChannel[]>;
  rules(): Promise<readonly ProbedRules[]>;
  /** What the account can choose now; null where it does not depend on the account. */
  privacyLevels(channelId: number): Promise<readonly string[] | null>;
  /** The address of a sample file that the platforms can fetch. */
  sample(name: string): Promise<string>;
  /** The id, or the sentence with which this service refuses it. */
  create(body: Readonly<Record<string, unknown>>): Promise<number | string>;
  /** As it is once it is published or has failed; null if neither came in time. */
  ended(id: number): Promise<ProbedPost | null>;
  delete(id: number): Promise<void>;
  /** The sentence of the deletion at the platform; null if it is gone there. */
  removed(id: number): Promise<string | null>;
}

/** What becomes of the post: seen by the account alone, deleted at once, or left for people to see. */
export type Fate = "private" | "deleted" | "left";

export interface Planned {
  readonly channel: ProbedChannel;
  readonly kind: Kind;
  readonly fate: Fate;
  readonly body: Readonly<Record<string, unknown>>;
  readonly shown: ProbedRules["permalink"]["shown"];
  readonly isDeleted: boolean;
}

export interface Probed extends Planned {
  /** What differs from the rules, a sentence each; empty if nothing does. */
  readonly differs: readonly string[];
  readonly permalink: string | null;
}

/** A post of each kind for each channel that may publish. `mark` makes the texts of a run its own. */
export async function planProbe(service: ProbeService, kinds: readonly Kind[], mark: string): Promise<Planned[]> {
  const [channels, rules] = await Promise.all([service.channels(), service.rules()]);
  const planned: Planned[] = [];
  for (const channel of channels.filter(({ canPublish }) => canPublish)) {
    const own = rules.find(({ channel_type: type }) => type === channel.channel_type);
    if (!own) continue;
    const levels = await service.privacyLevels(channel.channel_id);
    for (const kind of kinds.filter(({ platform }) => platform === channel.channel_type)) {
      const type = own.post_types.find(({ post_type: name }) => name === kind.postType);
      if (!type) continue;
      const hidden = hiding(type, levels);
      planned.push({
        channel,
        kind,
        fate: hidden ? "private" : own.deletes_on_platform ? "deleted" : "left",
        body: bodyOf(channel, kind, { max: type.text.max, mark, hidden: hidden ?? {} }),
        shown: own.permalink.shown,
        isDeleted: own.deletes_on_platform,
      });
    }
  }
  return planned;
}

type Fields = Readonly<Record<string, unknown>>;

/** The fields that let only the account see the post; null if the platform has none. */
function hiding(
  { privacy, options }: ProbedRules["post_types"][number],
  levels: readonly string[] | null,
): Fields | null {
  if (privacy?.includes("private")) return { post_extra: { privacyStatus: "private" } };
  const isOffered = options.some(({ name }) => name === "privacy_level");
  return isOffered && levels?.includes("SELF_ONLY") ? { options: { privacy_level: "SELF_ONLY" } } : null;
}

interface Wanted {
  readonly max: number;
  readonly mark: string;
  readonly hidden: Fields;
}

function bodyOf({ channel_id, channel_type }: ProbedChannel, kind: Kind, { max, mark, hidden }: Wanted): Fields {
  const extra = { ...record(kind.required.post_extra), ...record(hidden.post_extra) };
  const shared = {
    ...kind.required,
    ...hidden,
    ...(Object.keys(extra).length > 0 ? { post_extra: extra } : {}),
    channel_type,
    channel_id,
    post_type: kind.postType,
    publish_mode: "now",
  };
  const texts = kind.items.map((_, index) => longest(`${mark} ${kind.name} ${index + 1}.`, max));
  if (kind.postType === ("thread" satisfies PostType))
    return { ...shared, twitter_threads: kind.items.map((files, index) => ({ message: texts[index], files })) };
  return { ...shared, caption_text: texts[0], files: kind.items[0] ?? [] };
}

const record = (value: unknown): Fields => (typeof value === "object" && value !== null ? { ...value } : {});

const FILLER = "This is a test of Belfry, which takes as long a text as the rules allow. ";

/** A text of exactly `max` plain letters, which every platform counts as so many. */
export function longest(beginning: string, max: number): string {
  const text = `${beginning} ${FILLER.repeat(Math.ceil(max / FILLER.length))}`.slice(0, max);
  // A text may not end with white space.
  return text.endsWith(" ") ? `${text.slice(0, -1)}.` : text;
}

/** Publishes it, reads it back, deletes it, and says what differs. */
export async function probe(service: ProbeService, planned: Planned): Promise<Probed> {
  const created = await service.create(await withSamples(service, planned.body));
  if (typeof created === "string") {
    return { ...planned, permalink: null, differs: [`Our own checks refuse it: ${created}`] };
  }
  const post = await service.ended(created);
  const differs = differencesOf(planned, post);
  if (planned.isDeleted && post !== null) {
    await service.delete(created);
    const left = post.STATUS === "published" ? await service.removed(created) : null;
    if (left !== null) differs.push(`It is not deleted there: ${left}`);
  }
  return { ...planned, permalink: post?.permalink ?? null, differs };
}

function differencesOf({ shown }: Planned, post: ProbedPost | null): string[] {
  if (post === null) return ["It was neither published nor refused in time."];
  if (post.STATUS !== "published") return [`The platform refuses what the rules allow: ${post.error ?? post.STATUS}`];
  if (shown === "at_once" && post.permalink === null) return ["It has no permalink, which the platform shows at once."];
  if (shown === "never" && post.permalink !== null) return ["It has a permalink, which the platform never shows."];
  return [];
}

/** The body with addresses in place of the names of sample files. */
async function withSamples(service: ProbeService, { files, twitter_threads: items, ...body }: Fields): Promise<Fields> {
  const addresses = (names: unknown) =>
    Promise.all((Array.isArray(names) ? names : []).map((name) => service.sample(String(name))));
  if (!Array.isArray(items)) return { ...body, media_urls: await addresses(files) };
  const thread = items.map(async (item) => {
    const { files: own, message } = record(item);
    return { message, media_urls: await addresses(own) };
  });
  return { ...body, twitter_threads: await Promise.all(thread) };
}

/** What the operator confirms: each account with what it publishes, and what stays there. */
export function describePlan(planned: readonly Planned[]): readonly string[] {
  const byChannel = Map.groupBy(planned, ({ channel }) => channel.channel_id);
  return [...byChannel.values()].flatMap((own) => {
    const [first] = own;
    if (!first) return [];
    const { name, channel_type: type } = first.channel;
    const lines = own.map(
      ({ kind, fate, isDeleted }) =>
        `    ${kind.name}: ${FATES[fate]}${isDeleted && fate === "private" ? ", then deleted" : ""}`,
    );
    return [`${name} (${type})`, ...lines];
  });
}

const FATES: Readonly<Record<Fate, string>> = {
  private: "private",
  deleted: "public, deleted at once",
  left: "public; the platform's API deletes no posts, so a person must",
};
