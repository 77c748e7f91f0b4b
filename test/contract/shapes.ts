import type { MediaKind } from "../../src/platforms/media-kinds.ts";
import { POST_TYPES, type PostType } from "../../src/platforms/names.ts";
import type { FileRules, PostRules, TypeRules } from "../../src/platforms/rules.ts";

/**
 * Which posts the contract suite makes on a platform: read from the rules that its adapter declares, and made
 * of the sample files that every sandbox serves. Pure.
 */
export interface SampleFile {
  readonly name: string;
  readonly kind: MediaKind;
  readonly mime: string;
  readonly bytes: number;
  /** Zero, as the height, of a document. */
  readonly width: number;
  readonly height: number;
  /** Null of what is no video. */
  readonly seconds: number | null;
}

export interface Shape {
  /** As the tests call it: "a text", "a video", "a reel". */
  readonly name: string;
  readonly type: PostType;
  /** Names of files by item; more than one item is a thread. */
  readonly items: readonly (readonly string[])[];
  /**
   * Differs from another shape by a file format or by the name of its type only: tested without faults, not
   * with bad.
   */
  readonly isVariant?: boolean;
}

/** A story shows no text. */
export function isSilent({ type }: Shape): boolean {
  return type === "story";
}

export function hasMedia({ items }: Shape): boolean {
  return items.some((files) => files.length > 0);
}

/** Samples bear the extension of what they are. */
export function hasVideo({ items }: Shape): boolean {
  return items.flat().some((file) => /\.(mp4|mov|webm)$/.test(file));
}

const KINDS: readonly MediaKind[] = ["image", "gif", "video", "document"];
const WORDS = { image: "an image", gif: "a GIF", video: "a video", document: "a document" } as const;
const THREAD_ITEMS = 3;
const ALBUM_FILES = 3;

/**
 * Every shape, type by type, the plainest of each first. Throws when no sample fits a kind of media that is
 * declared.
 */
export function shapesOf(rules: PostRules, samples: readonly SampleFile[]): Shape[] {
  const known = new Set<string>();
  return POST_TYPES.flatMap((type) => {
    const own = rules[type];
    if (!own) return [];
    const shapes = shapesOfType(type, own, samples);
    // What is declared word for word alike is the same thing under a second name.
    const declared = JSON.stringify(own);
    const isSecondName = known.has(declared);
    known.add(declared);
    if (!isSecondName) return shapes;
    const few = new Set([...shapes.slice(0, 1), richestOf(shapes)]);
    return [...few].map((shape) => ({ ...shape, isVariant: true }));
  });
}

/**
 * The one with the most to go wrong: several items, a video, more files, a text that shows, the later type.
 */
export function richestOf(shapes: readonly Shape[]): Shape {
  const rank = (shape: Shape): readonly number[] => [
    shape.isVariant ? 0 : 1,
    shape.items.length > 1 ? 1 : 0,
    hasVideo(shape) ? 1 : 0,
    shape.items.flat().length,
    isSilent(shape) ? 0 : 1,
    POST_TYPES.indexOf(shape.type),
  ];
  const [richest] = shapes.toSorted((a, b) => compare(rank(b), rank(a)));
  if (!richest) throw new Error("There is no shape to choose from.");
  return richest;
}

function compare(a: readonly number[], b: readonly number[]): number {
  const at = a.findIndex((value, index) => value !== b[index]);
  return (a[at] ?? 0) - (b[at] ?? 0);
}

function shapesOfType(type: PostType, rules: TypeRules, samples: readonly SampleFile[]): Shape[] {
  // What fills a screen is upright, also where nothing declares it.
  const ordered = type === "reel" || type === "story" ? samples.toSorted((a, b) => ratio(a) - ratio(b)) : samples;
  const fitting = KINDS.flatMap((kind) => fittingOf(type, rules, kind, ordered));
  return rules.items.max > 1 ? threads(type, rules, fitting) : posts(type, rules, fitting);
}

interface Named {
  readonly name: string;
  readonly files: readonly SampleFile[];
  readonly isVariant: boolean;
}

function posts(type: PostType, { media }: TypeRules, fitting: readonly SampleFile[]): Shape[] {
  const firsts = firstOfEachKind(fitting);
  const images = fitting.filter(({ kind }) => kind === "image");
  const album = images.slice(0, Math.min(ALBUM_FILES, media.of.image ?? 0, media.max)).reverse();
  const mixed = firsts.filter(({ kind }) => !media.alone.includes(kind)).slice(0, media.max);
  const plain = (name: string, files: readonly SampleFile[]): Named => ({ name, files, isVariant: false });
  const typical = [
    plain("a text", []),
    ...firsts.map((file) => plain(WORDS[file.kind], [file])),
    ...(album.length > 1 ? [plain("images in order", album)] : []),
    ...(mixed.length > 1 ? [plain("mixed media in order", mixed)] : []),
  ];
  const met = new Set(typical.flatMap(({ files }) => files.map(({ mime }) => mime)));
  const formats = fitting
    .filter(({ mime }) => !met.has(mime))
    .map((file) => ({ name: `${WORDS[file.kind]} as ${format(file)}`, files: [file], isVariant: true }));
  return [...typical, ...formats]
    .filter(({ files }) => files.length >= media.min && files.length <= media.max)
    .map(({ name, files, isVariant }, index) => ({
      ...newShape(nameOf(type, name, index === 0), type, [files]),
      isVariant,
    }));
}

/** The plainest post of a type bears the type's name. */
function nameOf(type: PostType, content: string, isPlainest: boolean): string {
  if (type === "post") return content;
  if (isPlainest) return `a ${type}`;
  return / (in order|as \w+)$/.test(content) ? `a ${type} of ${content}` : `${content} ${type}`;
}

function format({ mime }: SampleFile): string {
  return mime.replace(/^\w+\//, "").toUpperCase();
}

/** A plain one, and one that begins and ends with media. */
function threads(type: PostType, { media, items }: TypeRules, fitting: readonly SampleFile[]): Shape[] {
  const [first] = fitting;
  const last = firstOfEachKind(fitting).at(-1);
  const plainItem = media.min === 0 || !first ? [] : [first];
  const plainItems = (count: number) => {
    const length = Math.min(Math.max(count, items.min), items.max);
    return Array.from({ length }, () => plainItem);
  };
  const plain = newShape(`a ${type}`, type, plainItems(THREAD_ITEMS));
  if (!first || !last) return [plain];
  const withMedia = [[first], ...plainItems(2).slice(2), [last]];
  return [plain, newShape(`a ${type} with media`, type, withMedia)];
}

function newShape(name: string, type: PostType, items: readonly (readonly SampleFile[])[]): Shape {
  return { name, type, items: items.map((files) => files.map((file) => file.name)) };
}

function firstOfEachKind(files: readonly SampleFile[]): SampleFile[] {
  return KINDS.flatMap((kind) => files.find((file) => file.kind === kind) ?? []);
}

function fittingOf(type: PostType, rules: TypeRules, kind: MediaKind, samples: readonly SampleFile[]): SampleFile[] {
  const files = rules.files[kind];
  if (!files || (rules.media.of[kind] ?? 0) === 0 || rules.media.max === 0) return [];
  const fitting = samples.filter((file) => file.kind === kind && fits(files, file));
  if (fitting.length === 0) throw new Error(`No sample fits what a ${type} is declared to take: ${WORDS[kind]}.`);
  return fitting;
}

/**
 * Whether the rules take the file. Written again, beside the check of the service: two readings of one
 * declaration.
 */
export function fits(rules: FileRules, file: SampleFile): boolean {
  const within = (value: number | null, min = 0, max = Number.POSITIVE_INFINITY) =>
    value === null || (value >= min && value <= max);
  return (
    rules.mimes.includes(file.mime) &&
    within(file.bytes, rules.minBytes, rules.maxBytes) &&
    file.width * file.height <= (rules.maxPixels ?? Number.POSITIVE_INFINITY) &&
    Math.min(file.width, file.height) <= (rules.maxShortSide ?? Number.POSITIVE_INFINITY) &&
    within(file.seconds, rules.minSeconds, rules.maxSeconds) &&
    within(file.width, rules.minWidth, rules.maxWidth) &&
    within(file.height, rules.minHeight, rules.maxHeight) &&
    within(ratio(file), rules.minRatio, rules.maxRatio)
  );
}

function ratio({ width, height }: SampleFile): number {
  return height === 0 ? 1 : width / height;
}
