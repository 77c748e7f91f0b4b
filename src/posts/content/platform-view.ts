import { z } from "@hono/zod-openapi";
import type { Caller } from "../../core/caller.ts";
import { formatOf } from "../../media/kind-words.ts";
import type { AccountAttributes } from "../../platforms/context.ts";
import { DECLARATIONS } from "../../platforms/declarations.ts";
import { PLATFORM_FACTS } from "../../platforms/facts.ts";
import { MEDIA_KINDS, type MediaKind } from "../../platforms/media-kinds.ts";
import { CAPABILITIES, PLATFORM_NAMES, type PlatformName, POST_TYPES, type PostType } from "../../platforms/names.ts";
import { OPTIONS } from "../../platforms/options.ts";
import type { Platform } from "../../platforms/platform.ts";
import type { PlatformFacts } from "../../platforms/platform-facts.ts";
import { postField } from "../../platforms/post-fields.ts";
import { findPlatform } from "../../platforms/registry.ts";
import type { FileRules, TextRules, TypeRules } from "../../platforms/rules.ts";
import type { Deps } from "../../service/deps.ts";
import { PriceView, toPriceViews } from "./cost-view.ts";
import { EncodingView, toEncodingView } from "./encoding-view.ts";
import { OPTION_SHAPES } from "./options.ts";
import { DATED, datedBy, PrivacySource, ScopesView, toScopes, withDates } from "./rule-dates.ts";

/**
 * The capabilities and rules of each platform as data, read from the rules that create-post and validate-post
 * apply.
 */

const KINDS = MEDIA_KINDS;
const orNull = (description: string) => z.number().nullable().openapi({ description });

const TextView = z
  .object({
    max: z.int(),
    unit: z.string().openapi({ description: "What is counted.", example: "characters as X counts them" }),
    also: z.array(z.string()).openapi({ description: "Further rules of the text, in words." }),
    ...DATED,
  })
  .openapi("TextRules", { description: "A text has at most `max` of `unit`." });

const FileView = z
  .object({
    kind: z.enum(KINDS),
    most: z.int().openapi({ description: "Files of this kind in one item." }),
    is_alone: z.boolean().openapi({ description: "Whether the item cannot have files of another kind." }),
    formats: z.array(z.string()).openapi({ example: ["JPEG", "PNG"] }),
    mime_types: z.array(z.string()).openapi({ description: "Read from the bytes, never from the name." }),
    max_bytes: z.int(),
    min_bytes: orNull("Null: no minimum size."),
    min_seconds: orNull("Null: no minimum duration."),
    max_seconds: orNull("Null: no maximum duration."),
    min_width: orNull("Pixels."),
    min_height: orNull("Pixels."),
    max_width: orNull("Pixels."),
    max_height: orNull("Pixels."),
    max_pixels: orNull("Width times height."),
    max_short_side: orNull("Of the shorter side, in pixels."),
    min_ratio: orNull("Width divided by height."),
    max_ratio: orNull("Width divided by height."),
    encoding: z.union([EncodingView.extend(DATED), z.null()]).openapi({ description: "Null for pictures." }),
    max_pages: orNull("Of a document."),
    max_alt_text: orNull("UTF-16 units. Null: the file supports no alt text, and one that is sent is left out."),
    ...DATED,
  })
  .openapi("FileRules");

const RuleViews = z.object({
  /** Rules for `caption_text` with `hash_tags`, or for the `message` of each item. */
  text: TextView,
  title: z
    .union([TextView, z.null()])
    .openapi({ description: "Rules of `post_extra.title`. Null if this type has no title." }),
  privacy: z
    .array(z.enum(["public", "private", "unlisted"]))
    .nullable()
    .openapi({ description: "Values of `post_extra.privacyStatus`. Null if it does not apply to this type." }),
  privacy_source: PrivacySource,
  items: z
    .object({ min: z.int(), max: z.int(), ...DATED })
    .openapi({ description: "Items of a thread; 1 for all other types." }),
  media: z.object({ min: z.int(), max: z.int(), ...DATED }).openapi({ description: "Files of one item." }),
  files: z.array(FileView).openapi({ description: "Rules by kind. Kinds that are not listed are refused." }),
  first_comment: z.union([TextView, z.null()]).openapi({ description: "Null: left out, with a warning." }),
  declarations: z
    .array(
      z.object({
        name: z.enum(DECLARATIONS),
        only_with: z
          .enum(KINDS)
          .nullable()
          .openapi({ description: "The only kind of file with it; null for any post." }),
        ...DATED,
      }),
    )
    .openapi({ description: "Those of `declared` that such a post can carry; others are left out, with a warning." }),
  options: z
    .array(
      z.object({
        name: z.enum(OPTIONS),
        takes: z.string().openapi({ description: "The type of its value.", example: "boolean" }),
        values: z.array(z.string()).nullable().openapi({ description: "All values; null if any of the type is one." }),
        only_with: z
          .enum(KINDS)
          .nullable()
          .openapi({ description: "The only kind of file with it; null for any post." }),
        or_with: z.enum(KINDS).nullable().openapi({ description: "A second kind of file with it; null for none." }),
        not_with: z.enum(KINDS).nullable().openapi({ description: "Posts with such a file do not take it." }),
        ...DATED,
      }),
    )
    .openapi({ description: "Those of `options` that such a post takes; others are left out, with a warning." }),
});

export const PlatformRulesView = z
  .object({
    channel_type: z.enum(PLATFORM_NAMES),
    is_configured: z.boolean().openapi({
      description:
        "Whether accounts of the token's project can be connected. True if the operator has registered an app there.",
    }),
    capabilities: z
      .array(z.enum(CAPABILITIES))
      .openapi({ description: "What a channel can do. get-channels shows it for each channel." }),
    post_types: z.array(
      RuleViews.extend({
        post_type: z.enum(POST_TYPES),
        for_accounts: z
          .array(RuleViews.extend({ accounts: z.string().openapi({ example: "accounts with X Premium" }) }))
          .openapi({ description: "The rules of accounts that differ. The rules above apply to all other accounts." }),
      }),
    ),
    permalink: z
      .object({
        shown: z.enum(["at_once", "later", "never"]),
        for_seconds: z
          .int()
          .nullable()
          .openapi({ description: "How long the service polls for it, if `shown` is `later`." }),
        ...DATED,
      })
      .openapi({ description: "When a published post has its `permalink`." }),
    deletes_on_platform: z.boolean().openapi({
      description: "False: a published post is only deleted here. The account owner deletes it in the platform's app.",
    }),
    options_instead: z
      .record(z.string(), z.string())
      .openapi({ description: "By the name of an option that no post here takes: what the platform takes instead." }),
    quotas: z
      .array(
        z.object({
          of: z.string(),
          most: z.int(),
          per_seconds: z.int(),
          limit: z.enum(["channel", "service"]).openapi({
            description: "Whose quota it is: `channel` for one account, `service` for all channels of the platform.",
          }),
          ...DATED,
        }),
      )
      .openapi({
        description:
          "The quotas that the platform documents; the lowest if its documents differ. Posts wait for a quota, and their timelines show it.",
      }),
    scopes: z.array(ScopesView).openapi({ description: "What each capability requires of a login." }),
    prices: z
      .array(PriceView.extend(DATED))
      .openapi({ description: "The platform's prices for calls. Empty if calls are free." }),
  })
  .openapi("PlatformRules");
type PlatformRulesView = z.output<typeof PlatformRulesView>;

/** Every supported platform of the specification, in its order. No I/O. */
export function listPlatforms(
  { config }: Pick<Deps, "config">,
  { isTest }: Pick<Caller, "isTest">,
): PlatformRulesView[] {
  const isReachable = !isTest || config.sandboxUrl !== null;
  return PLATFORM_NAMES.flatMap((name: PlatformName) => {
    const platform = findPlatform(name);
    if (!platform) return [];
    const app = config.appCredentials(platform.oauth.app, isTest);
    return [toPlatformView(platform, isReachable && app !== null)];
  });
}

export function toPlatformView(platform: Platform, isConfigured: boolean): PlatformRulesView {
  const { name, capabilities, posts, quotas = [] } = platform;
  const { permalink } = posts;
  const { optionsInstead = {} }: PlatformFacts = PLATFORM_FACTS[name];
  return {
    channel_type: name,
    is_configured: isConfigured,
    capabilities: CAPABILITIES.filter((one) => capabilities[one] !== undefined),
    post_types: POST_TYPES.flatMap((type) => toTypeView(platform, type) ?? []),
    permalink: {
      shown: permalink.shown,
      for_seconds: permalink.shown === "later" ? permalink.forSeconds : null,
      ...datedBy(platform, "permalinks"),
    },
    deletes_on_platform: posts.remove !== undefined,
    options_instead: Object.fromEntries(
      Object.entries(optionsInstead).map(([name, { sentence }]) => [name, sentence] as const),
    ),
    quotas: quotas.map(({ of, most, perSeconds, scope }) => {
      const limit = scope === "app" ? "service" : "channel";
      return { of, most, per_seconds: perSeconds, limit, ...datedBy(platform, "quotas") };
    }),
    scopes: toScopes(platform),
    prices: toPriceViews(platform).map((price) => ({ ...datedBy(platform, "prices"), ...price })),
  };
}

function toTypeView(platform: Platform, type: PostType) {
  const common = toRules(platform, type, {});
  if (!common) return null;
  const { sources } = platform;
  const kinds = (platform.accountKinds ?? []).flatMap(({ says, attributes }) => {
    const own = toRules(platform, type, attributes);
    const isSame = JSON.stringify(own) === JSON.stringify(common);
    return own && !isSame ? [{ accounts: says, ...withDates(sources, own) }] : [];
  });
  return { post_type: type, ...withDates(sources, common), for_accounts: kinds };
}

/** The rules of an account by post type, in the order of the types. */
export function rulesOfAccount(name: PlatformName, attributes: AccountAttributes) {
  const platform = findPlatform(name);
  return POST_TYPES.flatMap((type) => {
    const rules = platform && toRules(platform, type, attributes);
    return rules ? [{ post_type: type, ...rules }] : [];
  });
}

function toRules({ name, rules, comments }: Platform, type: PostType, attributes: AccountAttributes) {
  const own = rules(attributes)[type];
  if (!own) return null;
  const { min, max } = own.media;
  return {
    text: toText(own.text),
    title: own.title ? toText(own.title) : null,
    privacy: own.privacy ? [...own.privacy] : null,
    items: { ...own.items },
    media: { min, max },
    files: KINDS.flatMap((kind) => toFile(own, kind) ?? []),
    first_comment: comments?.types.includes(type) ? toText(comments.text(attributes)) : null,
    declarations: DECLARATIONS.flatMap((one) => {
      const field = postField(PLATFORM_FACTS[name].declarations, one, type, attributes);
      return field ? [{ name: one, only_with: field.onlyWith ?? null }] : [];
    }),
    options: OPTIONS.flatMap((one) => {
      const field = postField(PLATFORM_FACTS[name].options, one, type, attributes);
      const { takes, values } = OPTION_SHAPES[one];
      if (!field) return [];
      const { onlyWith: only_with = null, orWith: or_with = null, notWith: not_with = null } = field;
      return [{ name: one, takes, values: values && [...values], only_with, or_with, not_with }];
    }),
  };
}

function toText({ max, unit, also = [] }: TextRules) {
  return { max, unit, also: [...also] };
}

function toFile({ media, files }: TypeRules, kind: MediaKind) {
  const [file, most] = [files[kind], media.of[kind]];
  if (!file || !most) return null;
  const encoding = kind === "video" ? toEncodingView(file.encoding ?? {}) : null;
  return { kind, most, is_alone: media.alone.includes(kind), ...toLimits(file), encoding };
}

function toLimits(file: FileRules) {
  return {
    formats: file.mimes.map(formatOf),
    mime_types: [...file.mimes],
    max_bytes: file.maxBytes,
    min_bytes: file.minBytes ?? null,
    min_seconds: file.minSeconds ?? null,
    max_seconds: file.maxSeconds ?? null,
    min_width: file.minWidth ?? null,
    min_height: file.minHeight ?? null,
    max_width: file.maxWidth ?? null,
    max_height: file.maxHeight ?? null,
    max_pixels: file.maxPixels ?? null,
    max_short_side: file.maxShortSide ?? null,
    min_ratio: file.minRatio ?? null,
    max_ratio: file.maxRatio ?? null,
    max_pages: file.maxPages ?? null,
    max_alt_text: file.maxAltText ?? null,
  };
}
