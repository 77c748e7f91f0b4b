import type { Channel } from "../../channels/store.ts";
import { type Checked, said, type Warning } from "../../core/checks.ts";
import { type FieldProblem, invalidFields } from "../../core/errors.ts";
import { must, shown } from "../../core/sentences.ts";
import { isBlank, listWords, parseHashtags, withHashtags } from "../../core/text.ts";
import { checkAddress } from "../../media/address.ts";
import { altTextProblems, altTextsLeftOut, itemsProblem, mediaCountProblems, textProblems } from "../../media/check.ts";
import type { Declared } from "../../platforms/declarations.ts";
import type { PostType } from "../../platforms/names.ts";
import type { PostOptions } from "../../platforms/options.ts";
import type { PostExtra } from "../../platforms/publishing.ts";
import { findPlatform } from "../../platforms/registry.ts";
import type { TextRules, WantedSettings } from "../../platforms/rules.ts";
import type { ThreadItem } from "../stored.ts";
import type { OfAccount } from "./carried-fields.ts";
import { coverUrls } from "./cover.ts";
import { denialProblems } from "./declared.ts";
import { isGenerated, type OwnFiles } from "./file-kinds.ts";
import { type LibraryTexts, libraryTexts } from "./library-texts.ts";

/** The content of a post as stored: its parts as they were sent, so that each can be changed separately. */
export interface PostContent {
  readonly caption: string;
  readonly mediaUrls: readonly string[];
  /** By the position of the file; null for a file without one. */
  readonly altTexts: readonly (string | null)[];
  readonly hashTags: readonly string[];
  readonly thread: readonly ThreadItem[];
  readonly extra: PostExtra | null;
  /** The declarations of the caller. */
  readonly declared: Declared;
  /** Whether this service generated one of the files. */
  readonly hasGeneratedMedia: boolean;
  readonly options: PostOptions;
  /** Our first comment, published under the live post. Null for none, and where the platform has none. */
  readonly firstComment: string | null;
}

interface ThreadItemInput {
  readonly message: string;
  readonly media_urls?: readonly string[] | undefined;
  readonly alt_texts?: readonly string[] | undefined;
}

interface ContentInput {
  readonly post_type: PostType;
  readonly caption_text?: string | undefined;
  readonly media_urls?: readonly string[] | undefined;
  readonly alt_texts?: readonly string[] | undefined;
  readonly hash_tags?: string | undefined;
  readonly twitter_threads?: readonly ThreadItemInput[] | undefined;
  readonly post_extra?: PostExtra | undefined;
  readonly first_comment?: string | undefined;
  readonly declared?: Declared | undefined;
  readonly options?: PostOptions | undefined;
}

/** One item as it is sent to the platform, before its media are probed. */
export type PlannedItem = Pick<PostContent, "mediaUrls" | "altTexts"> & { readonly text: string };

/**
 * The content of a request after all checks that need only the request. The first problem determines the
 * error code.
 */
export function planContent(
  input: ContentInput,
  channel: Channel,
  allowLoopback: boolean,
  files: OwnFiles,
): PostContent {
  const { tags, invalid: badTags } = parseHashtags(input.hash_tags ?? "");
  const isThread = input.post_type === "thread";
  const kept = libraryTexts(files, findPlatform(channel.platform)?.rules(channel.attributes)[input.post_type]);
  const parts = {
    caption: isThread ? "" : (input.caption_text ?? ""),
    mediaUrls: isThread ? [] : (input.media_urls ?? []),
    altTexts: isThread ? [] : toAltTexts(input, kept),
    hashTags: tags,
    thread: isThread ? (input.twitter_threads ?? []).map((item) => toThreadItem(item, kept)) : [],
    extra: input.post_extra ?? null,
    declared: input.declared ?? {},
    options: input.options ?? {},
    firstComment: (commentRules(channel, input.post_type) && input.first_comment) ?? null,
  };
  const urls = [...[parts, ...parts.thread].flatMap(({ mediaUrls }) => mediaUrls), ...coverUrls(parts.options)];
  const draft: PostContent = { ...parts, hasGeneratedMedia: urls.some((url) => isGenerated(files, url)) };
  const [first, ...others] = [
    ...tagProblems(badTags),
    ...draftProblems(draft, input.post_type, channel, allowLoopback),
    ...denialProblems(urls, draft.declared, files),
  ];
  if (first) throw invalidFields([first, ...others]);
  return draft;
}

function tagProblems(badTags: readonly string[]): FieldProblem[] {
  if (badTags.length === 0) return [];
  const found = badTags.slice(0, 5).map(shown);
  const message = must("hash_tags", "have tags of letters, digits and _ that are not digits alone", listWords(found));
  return [{ field: "hash_tags", code: "content_invalid", ...said(message, "bad_tags", found.join(", ")) }];
}

type WithFiles = Pick<ThreadItemInput, "media_urls" | "alt_texts">;

function toThreadItem({ message, media_urls = [], alt_texts }: ThreadItemInput, kept: LibraryTexts): ThreadItem {
  return { message, mediaUrls: media_urls, altTexts: toAltTexts({ media_urls, alt_texts }, kept) };
}

/** Those of the request; without any, those of the library. */
function toAltTexts({ media_urls: urls = [], alt_texts: texts }: WithFiles, kept: LibraryTexts) {
  if (texts !== undefined) return texts.map((text) => (isBlank(text) ? null : text));
  const found = urls.map(kept);
  return found.every((text) => text === null) ? [] : found;
}

/** The problem of a post type that the platform, or this kind of account on it, does not support. */
export function unsupportedType(postType: PostType, { platform }: Pick<Channel, "platform">): FieldProblem {
  const message = `post_type must not be ${postType} on ${platform}.`;
  return { field: "post_type", code: "unsupported_by_platform", ...said(message, "post_type", postType, platform) };
}

/** All problems that the request alone shows; empty if valid. */
function draftProblems(
  draft: PostContent,
  postType: PostType,
  channel: Channel,
  allowLoopback: boolean,
): FieldProblem[] {
  const rules = findPlatform(channel.platform)?.rules(channel.attributes)[postType];
  if (!rules) return [unsupportedType(postType, channel)];
  const problems: FieldProblem[] = [];
  const add = (field: string, found: readonly Checked[], code: FieldProblem["code"] = "content_invalid"): void => {
    problems.push(...found.map(({ message, check }) => ({ field, code, message, check })));
  };
  if (rules.title && draft.extra?.title !== undefined) {
    add("post_extra.title", textProblems("post_extra.title", rules.title, draft.extra.title));
  }
  const { privacyStatus } = draft.extra ?? {};
  if (rules.privacy && privacyStatus !== undefined && !rules.privacy.includes(privacyStatus)) {
    const field = "post_extra.privacyStatus";
    const allowed = `be ${listWords(rules.privacy, "or")} on ${channel.platform}`;
    add(field, [said(must(field, allowed, shown(privacyStatus)), "one_of", rules.privacy.join(", "))]);
  }
  for (const conflict of rules.conflicts?.(wantedSettings(draft)) ?? []) add(conflict.field, [conflict]);
  const items = plannedItems(draft, postType);
  const isThread = postType === "thread";
  if (items.length < rules.items.min || items.length > rules.items.max) {
    add("twitter_threads", [itemsProblem("twitter_threads", rules.items, items.length, ` on ${channel.platform}`)]);
  }
  const seen = new Map<string, number>();
  items.forEach((item, index) => {
    const textField = isThread ? `twitter_threads.${index}.message` : "caption_text";
    const mediaField = isThread ? `twitter_threads.${index}.media_urls` : "media_urls";
    add(textField, textProblems(textField, rules.text, item.text, items.length));
    const countProblems = mediaCountProblems(mediaField, rules.media, item.mediaUrls.length);
    add(mediaField, countProblems);
    // With too many files none is checked: parsing one address can cost a tenth of a millisecond.
    const urls = countProblems.length > 0 ? [] : item.mediaUrls;
    urls.forEach((url, position) => {
      const problem = checkAddress(url, allowLoopback);
      const field = `${mediaField}.${position}`;
      if (problem !== null) add(field, [said(`${field} ${problem}`, "public_address")], "invalid_request");
    });
    const described = altTextField(postType, index);
    add(described, altTextProblems(described, rules.files, item.altTexts, item.mediaUrls.length));
    const key = JSON.stringify([item.text.trim(), item.mediaUrls]);
    const earlier = seen.get(key);
    if (earlier === undefined) seen.set(key, index);
    else {
      const message = `${textField} must not repeat item ${earlier}: the platform refuses duplicates.`;
      add(textField, [said(message, "repeats_item", earlier)]);
    }
  });
  const { cover_url: cover } = draft.options;
  const problem = cover === undefined ? null : checkAddress(cover, allowLoopback);
  if (problem !== null) {
    add("options.cover_url", [said(`options.cover_url ${problem}`, "public_address")], "invalid_request");
  }
  const comment = commentRules(channel, postType);
  if (comment && draft.firstComment !== null) {
    add("first_comment", textProblems("first_comment", comment, draft.firstComment));
  }
  return problems;
}

/** The settings of a post beside texts and files. */
function wantedSettings({ extra, declared, options, mediaUrls }: PostContent): WantedSettings {
  return { privacyStatus: extra?.privacyStatus, declared, options, files: mediaUrls.length };
}

/** Warnings about settings that the platform expects a person to choose. */
export function settingAdvice(draft: PostContent, { platform, attributes }: OfAccount, type: PostType) {
  return findPlatform(platform)?.rules(attributes)[type]?.advice?.(wantedSettings(draft)) ?? [];
}

/**
 * Warnings about alt texts that no file of such a post accepts. Which kinds the files are is not known yet.
 */
export function altTextWarnings(
  draft: PostContent,
  { platform, attributes }: OfAccount,
  postType: PostType,
): Warning[] {
  const files = findPlatform(platform)?.rules(attributes)[postType]?.files ?? {};
  return plannedItems(draft, postType).flatMap(({ altTexts }, index) =>
    altTextsLeftOut(altTextField(postType, index), files, altTexts, []),
  );
}

/** Warnings about texts that the platform may refuse. */
export function textWarnings(draft: PostContent, { platform, attributes }: OfAccount, postType: PostType): Warning[] {
  const rules = findPlatform(platform)?.rules(attributes)[postType]?.text;
  return plannedItems(draft, postType).flatMap(({ text }, index) => {
    const field = postType === "thread" ? `twitter_threads.${index}.message` : "caption_text";
    return (rules?.warnings?.(text) ?? []).map(({ message, check }) => ({
      field,
      message: `${field} ${message}`,
      check,
    }));
  });
}

function altTextField(postType: PostType, index: number): string {
  return postType === "thread" ? `twitter_threads.${index}.alt_texts` : "alt_texts";
}

/** The rules for a first comment; null if such posts have none. */
export function commentRules({ platform, attributes }: OfAccount, postType: PostType): TextRules | null {
  const comments = findPlatform(platform)?.comments;
  return comments?.types.includes(postType) ? comments.text(attributes) : null;
}

/**
 * The items as they are published: hashtags are appended to the caption, or to the first item of a thread.
 */
export function plannedItems(draft: PostContent, postType: PostType): PlannedItem[] {
  if (postType !== "thread") {
    const { mediaUrls, altTexts } = draft;
    return [{ text: withHashtags(draft.caption, draft.hashTags), mediaUrls, altTexts }];
  }
  return draft.thread.map(({ message, mediaUrls, altTexts }, index) => ({
    text: index === 0 ? withHashtags(message, draft.hashTags) : message,
    mediaUrls,
    altTexts,
  }));
}
