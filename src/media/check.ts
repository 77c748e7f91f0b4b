import { type Checked, said, type Warning } from "../core/checks.ts";
import type { Cause } from "../core/failures.ts";
import { grouped, must, withArticle } from "../core/sentences.ts";
import { listWords, plural } from "../core/text.ts";
import { documentPlatforms } from "../platforms/facts.ts";
import type { ContentItem } from "../platforms/publishing.ts";
import type { FileRules, Media, MediaCountRules, MediaFile, TextRules, TypeRules } from "../platforms/rules.ts";
import { encodingProblems, encodingWarnings } from "./encoding-check.ts";
import { fileName } from "./file.ts";
import { formatOf, kindsOf, SINGULAR, typeWithArticle, WORDS } from "./kind-words.ts";
import { compared, comparedBytes, rounded } from "./limit-words.ts";
import { asMp4, codecsUnfitForMp4, needsMp4 } from "./repackaging.ts";

/**
 * The problems of a post's content, as sentences that name the field or the file, its value and the allowed
 * value (core/sentences.ts). Pure. Checks with a `subject` (a field or "The text") need the request only, and
 * run when a post is created. The others need the probed files.
 */

/** `items`: of how many the text is one. */
export function textProblems(subject: string, rules: TextRules, text: string, items = 1): readonly Checked[] {
  const { max, unit } = rules;
  const ofItem = items > 1 ? (rules.itemProblems?.(text) ?? []) : [];
  const length = rules.measure(text);
  const message = must(subject, `have at most ${grouped(max)} ${unit}`, grouped(length));
  return [
    ...(length > max ? [{ message, check: { kind: "max_length", limit: max } as const }] : []),
    ...[...(rules.problems?.(text) ?? []), ...ofItem].map(({ message: words, check }) => ({
      message: `${subject} ${words}`,
      check,
    })),
  ];
}

export function mediaCountProblems(subject: string, rules: MediaCountRules, count: number): readonly Checked[] {
  const { min, max } = rules;
  if (count >= min && count <= max) return [];
  const [limit, words, kind] =
    count < min ? ([min, "at least", "min_files"] as const) : ([max, "at most", "max_files"] as const);
  const files = plural(limit, "media file");
  const allowed = `have ${min === max ? "exactly" : words} ${files} (${kindsOf(rules)}) in a post of this type`;
  return [{ message: must(subject, allowed, count), check: { kind, limit } }];
}

/**
 * A requested field that is not sent because the platform does not support it: the post is published without
 * it.
 */
export interface LeftOut {
  readonly field: string;
  /** Starts with the field's name. */
  readonly message: string;
}

/**
 * The alt texts that are left out: all, if no kind of file supports them; otherwise those of the files probed
 * so far.
 */
export function altTextsLeftOut(
  field: string,
  files: TypeRules["files"],
  altTexts: readonly (string | null)[],
  media: readonly MediaFile[],
): readonly Warning[] {
  if (altTexts.every((text) => text === null)) return [];
  if (Object.values(files).every(({ maxAltText }) => maxAltText === undefined)) {
    return [{ field, ...said(`\`${field}\` is left out: posts of this type have no alt texts.`, "no_alt_texts") }];
  }
  return media.flatMap(({ url, kind }, index) => {
    if ((altTexts[index] ?? null) === null || files[kind]?.maxAltText !== undefined) return [];
    const name = fileName(url);
    const what = `${name} is ${withArticle(SINGULAR[kind])}, which supports no alt text here`;
    const at = `${field}.${index}`;
    return [{ field: at, ...said(`\`${at}\` is left out: ${what}.`, "no_alt_text", name) }];
  });
}

/** Checks alt texts before the files that they belong to are probed. */
export function altTextProblems(
  subject: string,
  files: TypeRules["files"],
  altTexts: readonly (string | null)[],
  fileCount: number,
): readonly Checked[] {
  if (altTexts.length > fileCount) {
    const allowed = `have at most ${plural(fileCount, "entry", "entries")}, one a media file`;
    return [{ message: must(subject, allowed, altTexts.length), check: { kind: "max_entries", limit: fileCount } }];
  }
  const limits = Object.values(files).flatMap(({ maxAltText }) => maxAltText ?? []);
  if (limits.length === 0) return [];
  const longest = Math.max(...limits);
  return altTexts.flatMap((text, index) => {
    if (text === null || text.length <= longest) return [];
    const message = must(`${subject}.${index}`, `have at most ${grouped(longest)} characters`, grouped(text.length));
    return [{ message, check: { kind: "max_length", limit: longest } as const }];
  });
}

/** A problem with a post: with the request's fields, or with its files. */
export type ContentProblem = Cause & Checked & { readonly code: "content_invalid" | "media_invalid" };

/** All checks of the probed content of a post: texts, counts, kinds and files of each item. */
export function contentProblems(rules: TypeRules, items: readonly ContentItem[]): readonly ContentProblem[] {
  const { min, max } = rules.items;
  const problems: ContentProblem[] = [];
  if (items.length < min || items.length > max) {
    problems.push({ code: "content_invalid", ...itemsProblem("The post", rules.items, items.length) });
  }
  items.forEach((item, index) => {
    const where = items.length > 1 ? `Item ${index + 1}: ` : "";
    const add = (code: ContentProblem["code"], found: readonly Checked[]) =>
      problems.push(...found.map(({ message, check }) => ({ code, message: `${where}${message}`, check })));
    add("content_invalid", textProblems("The text", rules.text, item.text, items.length));
    add("content_invalid", mediaCountProblems("The post", rules.media, item.media.length));
    add("media_invalid", kindProblems(rules.media, item.media));
    for (const media of item.media) {
      add("media_invalid", fileProblems(rules.files, media));
      add("content_invalid", descriptionProblems(rules.files, media));
    }
  });
  return problems;
}

/** The number of items of a thread. `where`: the platform, if the subject does not say it. */
export function itemsProblem(subject: string, { min, max }: TypeRules["items"], count: number, where = ""): Checked {
  return said(must(subject, `have ${min} to ${max} items${where}`, count), "items", min, max, count);
}

/**
 * Too many files of a kind, or kinds that cannot be combined. The check of each file reports a kind that is
 * not allowed at all.
 */
function kindProblems(rules: MediaCountRules, media: readonly MediaFile[]): readonly Checked[] {
  const kinds = [...new Set(media.map((one) => one.kind))].filter((kind) => rules.of[kind] !== undefined);
  const tooMany = kinds.flatMap((kind) => {
    const count = media.filter((one) => one.kind === kind).length;
    const most = rules.of[kind] ?? 0;
    // The total count already reports more files than fit altogether.
    if (count <= most || media.length > rules.max) return [];
    const allowed = `have at most ${most} ${most === 1 ? SINGULAR[kind] : WORDS[kind]}`;
    return [said(must("The post", allowed, count), "most_of_kind", most, kind, count)];
  });
  const lonely = kinds.find((kind) => rules.alone.includes(kind));
  if (lonely === undefined || kinds.length < 2) return tooMany;
  const others = kinds.filter((kind) => kind !== lonely).map((kind) => WORDS[kind]);
  const files = listWords(media.filter((one) => one.kind === lonely).map((one) => fileName(one.url)));
  const apart = `${files}: a ${SINGULAR[lonely]} cannot be posted together with ${listWords(others)}.`;
  return [...tooMany, said(apart, "kept_apart", files)];
}

export function fileProblems(files: TypeRules["files"], media: MediaFile): readonly Checked[] {
  const rules = files[media.kind];
  if (!rules && media.kind === "document") return [documentElsewhere(media)];
  if (!rules?.mimes.includes(media.mime)) {
    const inside = rules ? problemsAsMp4(files, rules, media) : [];
    if (inside.length > 0) return inside;
    const allowed = (rules ? [rules] : Object.values(files)).flatMap(({ mimes }) => mimes.map(formatOf));
    const name = fileName(media.url);
    const message = `${name} is ${typeWithArticle(media.mime)}; allowed here: ${listWords(allowed)}.`;
    return [said(message, "format", name, formatOf(media.mime), allowed.join(", "))];
  }
  return [
    ...sizeProblems(rules, media),
    ...timeProblems(rules, media),
    ...pictureProblems(rules, media),
    ...pageProblems(rules, media),
    ...encodingProblems(rules, media),
  ];
}

/** A document, where no post takes one. */
function documentElsewhere({ url, mime }: MediaFile): Checked {
  const [name, platforms] = [fileName(url), listWords(documentPlatforms, "or")];
  const message = `${name} is ${typeWithArticle(mime)}. A document can be posted on ${platforms} only; here, post its pages as images.`;
  return said(message, "document_elsewhere", name, formatOf(mime), platforms);
}

function pageProblems({ maxPages }: FileRules, { url, pages }: MediaFile): readonly Checked[] {
  if (maxPages === undefined || typeof pages !== "number" || pages <= maxPages) return [];
  const name = fileName(url);
  const found = grouped(pages);
  return [said(tooLarge(name, `has ${found} pages`, `${maxPages} pages`), "too_many_pages", name, found, maxPages)];
}

/** Pages that could not be counted. */
function pageWarnings({ maxPages }: FileRules, { url, pages }: MediaFile): readonly Checked[] {
  if (maxPages === undefined || typeof pages === "number") return [];
  const name = fileName(url);
  const message = `the pages of ${name} could not be counted; the platform refuses more than ${maxPages}.`;
  return [said(message, "pages_unknown", name, maxPages)];
}

/** What a container hides that could be replaced: the codec, or what no container helps. */
function problemsAsMp4(files: TypeRules["files"], rules: FileRules, media: MediaFile): readonly Checked[] {
  if (!needsMp4(rules, media)) return [];
  const made = asMp4(media);
  return made ? fileProblems(files, made) : codecsUnfitForMp4(rules, media);
}

/** What the platform does not document of files that it takes. `field` is that of the files. */
export function fileWarnings(
  field: string,
  files: TypeRules["files"],
  media: readonly MediaFile[],
): readonly Warning[] {
  return media.flatMap((file) => {
    const rules = files[file.kind];
    const found = rules
      ? [...encodingWarnings(rules, file), ...pageWarnings(rules, file), ...stillWarnings(rules, file)]
      : [];
    return found.map(({ message, check }) => {
      return { field, message: `${field}: ${message}`, check };
    });
  });
}

function stillWarnings({ standsStill = false }: FileRules, { isMoving = false, url }: MediaFile): readonly Checked[] {
  if (!standsStill || !isMoving) return [];
  const name = fileName(url);
  const message = `${name} is an animated GIF, which stands still there: the platform shows its first picture. Send an MP4 instead.`;
  return [said(message, "stands_still", name)];
}

/** A file that has or lasts too little or too much. */
const tooSmall = (name: string, has: string, least: string): string => `${name} ${has}; at least ${least} are needed.`;
const tooLarge = (name: string, has: string, most: string): string => `${name} ${has}; at most ${most} are allowed.`;

function sizeProblems({ minBytes = 0, maxBytes }: FileRules, { url, bytes }: MediaFile): readonly Checked[] {
  const name = fileName(url);
  if (bytes < minBytes) {
    const { found, limit } = comparedBytes(bytes, minBytes);
    return [said(tooSmall(name, `has ${found}`, limit), "file_too_small", name, found, limit)];
  }
  if (bytes <= maxBytes) return [];
  const { found, limit } = comparedBytes(bytes, maxBytes);
  return [said(tooLarge(name, `has ${found}`, limit), "file_too_large", name, found, limit)];
}

function timeProblems({ minSeconds, maxSeconds }: FileRules, file: MediaFile): readonly Checked[] {
  const { url, durationSeconds } = file;
  if (durationSeconds === null) return [];
  const name = fileName(url);
  // Containers round: a video of one minute may have a duration of 60.02 s.
  if (maxSeconds !== undefined && durationSeconds > maxSeconds + 0.1) {
    const { found, limit } = compared(durationSeconds, maxSeconds, " s");
    return [said(tooLarge(name, `lasts ${found}`, limit), "too_long", name, found, limit)];
  }
  if (minSeconds !== undefined && durationSeconds < minSeconds - 0.1) {
    const { found, limit } = compared(durationSeconds, minSeconds, " s");
    return [said(tooSmall(name, `lasts ${found}`, limit), "too_short", name, found, limit)];
  }
  return [];
}

function pictureProblems(rules: FileRules, { url, width, height }: MediaFile): readonly Checked[] {
  if (width === null || height === null) return [];
  const { minWidth = 0, minHeight = 0, maxWidth, maxHeight, minRatio = 0, maxRatio = Number.POSITIVE_INFINITY } = rules;
  const { maxPixels = Number.POSITIVE_INFINITY, maxShortSide = Number.POSITIVE_INFINITY } = rules;
  const [name, found] = [fileName(url), `${width}×${height}`];
  const is = `is ${found} pixels`;
  const problems: Checked[] = [];
  if (width < minWidth || height < minHeight) {
    const least = `${minWidth}×${minHeight}`;
    problems.push(said(tooSmall(name, is, least), "picture_too_small", name, found, least));
  }
  if ((maxWidth !== undefined && width > maxWidth) || (maxHeight !== undefined && height > maxHeight)) {
    const most = `${maxWidth ?? "any"}×${maxHeight ?? "any"}`;
    problems.push(said(tooLarge(name, is, most), "picture_too_large", name, found, most));
  }
  if (Math.min(width, height) > maxShortSide) {
    const most = grouped(maxShortSide);
    problems.push(said(tooLarge(name, is, `${most} on the shorter side`), "short_side", name, found, most));
  }
  if (width * height > maxPixels) {
    const most = grouped(maxPixels);
    problems.push(said(tooLarge(name, is, `${most} pixels altogether`), "pixels", name, found, most));
  }
  const ratio = width / height;
  if (ratio < minRatio || ratio > maxRatio) {
    const shown = compared(ratio, ratio < minRatio ? minRatio : maxRatio);
    const [least, most] = ratio < minRatio ? [shown.limit, rounded(maxRatio)] : [rounded(minRatio), shown.limit];
    const message = `${name} ${is}, a ratio of ${shown.found} (width to height); ${least} to ${most} is allowed.`;
    problems.push(said(message, "ratio", name, shown.found, `${least} – ${most}`));
  }
  return problems;
}

/** For a file that is not accepted, its alt text is not checked. */
function descriptionProblems(files: TypeRules["files"], { url, kind, mime, altText }: Media): readonly Checked[] {
  const rules = files[kind];
  if (altText === null || !rules?.mimes.includes(mime)) return [];
  const name = fileName(url);
  const { maxAltText } = rules;
  if (maxAltText === undefined) return [];
  const { length } = altText;
  if (length <= maxAltText) return [];
  const message = `${name} has an alt text of ${grouped(length)} characters; ${grouped(maxAltText)} are allowed.`;
  return [said(message, "alt_text_too_long", name, length, maxAltText)];
}
