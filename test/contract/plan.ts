import type { FailureCode } from "../../src/core/failures.ts";
import type { AccountAttributes } from "../../src/platforms/context.ts";
import type { Renewal } from "../../src/platforms/login.ts";
import type { MediaKind } from "../../src/platforms/media-kinds.ts";
import { POST_TYPES, type PostType } from "../../src/platforms/names.ts";
import type { Platform } from "../../src/platforms/platform.ts";
import type { Content, Lists, Permalinks, Publishing } from "../../src/platforms/publishing.ts";
import type { Media, PostRules, TypeRules } from "../../src/platforms/rules.ts";
import { fits, richestOf, type SampleFile, type Shape, shapesOf } from "./shapes.ts";

/**
 * What the contract suite requires of a platform, by what its adapter declares: what is declared is tried,
 * what is not is asserted absent. Pure.
 */
export interface Declared {
  readonly rules: (attributes: AccountAttributes) => PostRules;
  readonly grants: Platform["grants"];
  readonly posts: Pick<Publishing, "remove" | "permalink">;
}

export interface Plan {
  readonly shapes: readonly Shape[];
  /** Under every act and fate; the other typical ones are sampled. */
  readonly richest: Shape;
  /** Those that differ in how they are published. */
  readonly typical: readonly Shape[];
  readonly absentTypes: readonly PostType[];
  readonly isRemovable: boolean;
  /** How long after publishing its permalink may be missing; null where it may be missing for ever. */
  readonly permalinkSeconds: number | null;
  /** What renews the credentials for publishing without the person; null where nothing does. */
  readonly renewedBy: Renewal["by"] | null;
  /** Whether the sweep renews them before they expire; else they are renewed when they are used. */
  readonly isRenewedAhead: boolean;
  readonly altTexts: readonly AltTexts[];
  readonly wrongFiles: readonly WrongFile[];
  readonly wrongCounts: readonly WrongCount[];
}

export function planOf({ rules, grants, posts }: Declared, samples: readonly SampleFile[]): Plan {
  const own = rules({});
  const shapes = shapesOf(own, samples);
  return {
    shapes,
    richest: richestOf(shapes),
    typical: shapes.filter(({ isVariant }) => !isVariant),
    absentTypes: POST_TYPES.filter((type) => own[type] === undefined),
    isRemovable: posts.remove !== undefined,
    permalinkSeconds: permalinkSecondsOf(posts.permalink),
    renewedBy: grants.publish?.renewal?.by ?? null,
    isRenewedAhead: isRenewedAhead(grants.publish?.renewal),
    altTexts: shapes.flatMap((shape) => altTextsOf(own[shape.type], shape, samples)),
    wrongFiles: typesOf(own).flatMap(([type, one]) => wrongFilesOf(type, one, samples)),
    wrongCounts: typesOf(own).flatMap(([type, one]) => wrongCountsOf(type, one)),
  };
}

function isRenewedAhead(renewal: Renewal | undefined): boolean {
  return renewal !== undefined && (renewal.by !== "refresh_token" || renewal.idleSeconds === undefined);
}

function permalinkSecondsOf(permalink: Permalinks): number | null {
  switch (permalink.shown) {
    case "at_once":
      return 0;
    case "later":
      return permalink.forSeconds;
    case "never":
      return null;
  }
}

/**
 * How long after an unclear answer the first item may not be sent again; 0 where the platform refuses a
 * repeat itself.
 */
export function patienceSeconds(lists: Lists, shape: Shape, samples: readonly SampleFile[]): number {
  return lists.refusesRepeat(contentOf(shape, samples), 0) ? 0 : lists.lagSeconds;
}

function contentOf({ type, items }: Shape, samples: readonly SampleFile[]): Content {
  const media = (name: string) => samples.filter((sample) => sample.name === name).map(toMedia);
  return {
    type,
    items: items.map((files, index) => ({ text: `Item ${index + 1}`, media: files.flatMap(media) })),
    extra: null,
    declared: {},
    options: {},
    cover: null,
    read: async () => ({ kind: "failed", reason: "rejected", message: "Nobody reads it." }),
  };
}

function toMedia({ name, seconds, ...sample }: SampleFile): Media {
  const url = `https://files.example.com/${name}`;
  return { ...sample, url, durationSeconds: seconds, publicUrl: url, altText: null };
}

/** The types whose posts are one item. */
function typesOf(rules: PostRules): (readonly [PostType, TypeRules])[] {
  return POST_TYPES.flatMap((type) => {
    const own = rules[type];
    return own && own.items.max === 1 ? [[type, own] as const] : [];
  });
}

/**
 * What becomes of the alt texts of a post whose files all have one: they arrive, or some, or all are left out
 * and told.
 */
export interface AltTexts {
  readonly shape: Shape;
  readonly end: "arrive" | "arrive in part" | "are left out";
  /** By file, whether it is one that takes an alt text. */
  readonly taken: readonly boolean[];
}

/** Nothing where there is no file, or a thread has its files by item. */
function altTextsOf(rules: TypeRules | undefined, shape: Shape, samples: readonly SampleFile[]): AltTexts[] {
  const [files = []] = shape.items;
  if (!rules || shape.items.length > 1 || files.length === 0) return [];
  const takes = (kind: MediaKind) => rules.files[kind]?.maxAltText !== undefined;
  const kinds = files.flatMap((name) => samples.find((sample) => sample.name === name)?.kind ?? []);
  const taken = kinds.map(takes);
  const mayBeTaken = Object.values(rules.files).some(({ maxAltText }) => maxAltText !== undefined);
  return [{ shape, taken, end: taken.every(Boolean) ? "arrive" : mayBeTaken ? "arrive in part" : "are left out" }];
}

/** A number of files that is refused at once. */
export interface WrongCount {
  readonly type: PostType;
  readonly count: number;
}

/** More than the interface takes of any post is not the platform's rule. */
const MOST_FILES = 35;

function wrongCountsOf(type: PostType, { media }: TypeRules): WrongCount[] {
  return [media.min - 1, media.max + 1]
    .filter((count) => count >= 0 && count <= MOST_FILES)
    .map((count) => ({ type, count }));
}

/** A file that fails the post, and the sentence that says why. */
export interface WrongFile {
  readonly type: PostType;
  readonly file: string;
  /** Right ones, before it. */
  readonly before: readonly string[];
  readonly sentence: RegExp;
  readonly code: FailureCode;
}

function wrongFilesOf(type: PostType, rules: TypeRules, samples: readonly SampleFile[]): WrongFile[] {
  if (rules.media.max === 0) return [];
  const right = samples.find((file) => isTaken(rules, file));
  const before = right && rules.media.max > 1 ? [right.name] : [];
  const wrong = (file: string, sentence: RegExp, others: readonly string[] = []): WrongFile => ({
    type,
    file,
    before: others,
    sentence,
    code: "media_invalid",
  });
  const unfit = samples.filter((file) => !isTaken(rules, file));
  return [
    wrong("notes.txt", /^notes\.txt is neither an image nor a video/),
    { ...wrong("missing.jpg", /^missing\.jpg could not be read: .*404/), code: "media_unreachable" },
    ...(before.length > 0 ? [wrong("notes.txt", /^notes\.txt is neither/, before)] : []),
    ...unfit.map((file) => wrong(file.name, refusalOf(rules, file))),
    ...misfits(rules, samples).map(([first, file]) => wrong(file.name, togetherSentence(file), [first.name])),
  ];
}

function isTaken({ files }: TypeRules, file: SampleFile): boolean {
  const rules = files[file.kind];
  return rules !== undefined && fits(rules, file);
}

function refusalOf({ files }: TypeRules, file: SampleFile): RegExp {
  const name = literally(file.name);
  const rules = files[file.kind];
  if (!rules?.mimes.includes(file.mime)) {
    if (!rules && file.kind === "document") return new RegExp(`^${name} is a PDF file\\. A document can be posted on`);
    // A MOV is repackaged where only MP4 is taken: what no container helps is named first.
    const inside = file.mime === "video/quicktime" ? "|is \\d+×\\d+ pixels|lasts [\\d.]+ s" : "";
    return new RegExp(`^${name} (?:is an? ${wordOf(file)} file; allowed here: [A-Z]${inside})`, "i");
  }
  if (file.bytes <= rules.maxBytes) return new RegExp(`^${name} (is \\d+×\\d+ pixels|lasts [\\d.]+ s)`);
  return new RegExp(`^${name} has ${literally(sizeOf(file.bytes))}; at most ${literally(sizeOf(rules.maxBytes))}`);
}

/** Files that are accepted, but not beside the one before: of a kind that excludes others. */
function misfits(rules: TypeRules, samples: readonly SampleFile[]): (readonly [SampleFile, SampleFile])[] {
  if (rules.media.max < 2) return [];
  const taken = samples.filter((file) => isTaken(rules, file));
  return rules.media.alone.flatMap((kind) => {
    const alone = taken.find((file) => file.kind === kind);
    const other = taken.find((file) => file.kind !== kind);
    return alone && other ? [[other, alone] as const] : [];
  });
}

const SINGULAR = { image: "image", gif: "GIF", video: "video", document: "document" } as const;

function togetherSentence({ name, kind }: SampleFile): RegExp {
  return new RegExp(`^${literally(name)}: a ${SINGULAR[kind]} cannot be posted together with \\w+\\.$`);
}

function sizeOf(bytes: number): string {
  if (bytes < 1024 * 1024) return `${Math.ceil(bytes / 1024)} KB`;
  return `${Math.round((bytes / 1024 / 1024) * 100) / 100} MB`;
}

function literally(text: string): string {
  return text.replaceAll(".", "\\.");
}

/** What people call such a file. */
function wordOf({ mime }: SampleFile): string {
  return mime === "video/quicktime" ? "MOV" : mime.replace(/^\w+\//, "");
}
