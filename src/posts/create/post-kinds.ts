import { PLATFORM_FACTS } from "../../platforms/facts.ts";
import { PLATFORM_NAMES, type PlatformName, type PostType } from "../../platforms/names.ts";
import { findPlatform } from "../../platforms/registry.ts";
import { PUBLISH_MODES, type PublishMode } from "../table.ts";

/**
 * The kinds of post that create-post accepts, and their times, as data. The document's union is made from it
 * (documented-post.ts), so a generated client refuses what the service would refuse; so are the warnings
 * about fields without effect. test/posts/create/post-kinds.test.ts compares it with the checks of
 * create-post.
 */
interface Branch {
  /** The name of its schema in the document. */
  readonly name: string;
  readonly requires: readonly FieldName[];
  /** Fields with restricted values. */
  readonly takes: readonly FieldName[];
  /** Fields that are accepted and have no effect. */
  readonly ignores: readonly FieldName[];
}

type FieldName =
  | "caption_text"
  | "media_urls"
  | "alt_texts"
  | "twitter_threads"
  | "post_extra"
  | "schedule_time"
  | "time_zone";

export interface PostKind extends Branch {
  readonly channel: PlatformName;
  readonly types: readonly PostType[];
  readonly isThread: boolean;
}

export interface PostTime extends Branch {
  readonly modes: readonly PublishMode[];
}

/** One kind per channel type, and one more if it has threads. */
export const POST_KINDS: readonly PostKind[] = PLATFORM_NAMES.flatMap((channel) =>
  [false, true].flatMap((isThread): PostKind[] => {
    const types = PLATFORM_FACTS[channel].postTypes.filter((type) => (type === "thread") === isThread);
    if (types.length === 0) return [];
    const rules = findPlatform(channel)?.rules({}) ?? {};
    const hasExtra = types.some((type) => rules[type]?.title !== undefined);
    const hasPrivacy = types.some((type) => rules[type]?.privacy !== undefined);
    return [
      {
        name: `${channel.charAt(0).toUpperCase()}${channel.slice(1)}${isThread ? "Thread" : "Post"}`,
        channel,
        types,
        isThread,
        requires: [
          ...(isThread ? (["twitter_threads"] as const) : (["caption_text", "media_urls"] as const)),
          ...(hasExtra ? (["post_extra"] as const) : []),
        ],
        takes: hasPrivacy && !hasExtra ? ["post_extra"] : [],
        ignores: [
          ...(isThread ? (["caption_text", "media_urls"] as const) : (["twitter_threads"] as const)),
          ...(hasExtra || hasPrivacy ? [] : (["post_extra"] as const)),
        ],
      },
    ];
  }),
);

export const POST_TIMES: readonly PostTime[] = [
  {
    name: "Unscheduled",
    modes: PUBLISH_MODES.filter((mode) => mode !== "scheduled"),
    requires: [],
    takes: [],
    ignores: ["schedule_time"],
  },
  { name: "Scheduled", modes: ["scheduled"], requires: ["schedule_time", "time_zone"], takes: [], ignores: [] },
];

interface Wanted {
  readonly channel_type: PlatformName;
  readonly post_type: PostType;
  readonly publish_mode: PublishMode;
}

/** Warnings about fields without effect; an empty text or list causes none. */
export function ignoredFields(body: Wanted & Readonly<Record<string, unknown>>): readonly string[] {
  const { channel_type: channel, post_type: type, publish_mode: mode } = body;
  const kind = POST_KINDS.find((one) => one.channel === channel && one.types.includes(type));
  const time = POST_TIMES.find(({ modes }) => modes.includes(mode));
  const ofKind = kind?.ignores ?? [];
  return [
    ...ofKind.map((field) => [field, field === "post_extra" ? `channel_type is ${channel}` : `post_type is ${type}`]),
    ...(time?.ignores ?? []).map((field) => [field, `publish_mode is ${mode}`]),
  ].flatMap(([field = "", why]) => (isFilled(body[field]) ? [`\`${field}\` is ignored when ${why}.`] : []));
}

function isFilled(value: unknown): boolean {
  return Array.isArray(value) ? value.length > 0 : value !== undefined && value !== "";
}
