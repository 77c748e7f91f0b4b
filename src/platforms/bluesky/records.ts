import { z } from "zod";
import type { Content, PlatformPost } from "../publishing.ts";
import type { Media } from "../rules.ts";
import { facetsOf, findLinks } from "./text.ts";

/**
 * The record of a post. It is made of the content and of the stored progress alone, so every attempt makes
 * the same one: the server answers the second as "already there".
 */
export const COLLECTION = "app.bsky.feed.post";

/** A file at the account's server, exactly as the server returned it. */
export const Blob = z
  .object({
    $type: z.literal("blob"),
    ref: z.object({ $link: z.string() }),
    mimeType: z.string(),
    size: z.number(),
  })
  .catchall(z.json());
export type Blob = z.output<typeof Blob>;

const Card = z.object({ uri: z.string(), title: z.string(), description: z.string(), thumb: Blob.nullable() });
export type Card = z.output<typeof Card>;

export const Progress = z.object({
  /** The account of each handle that a text mentions; a handle without one is absent. Null: not looked up. */
  accounts: z.record(z.string(), z.string()).nullable(),
  /** The uploaded files, in the order of the content. */
  blobs: z.array(Blob),
  /** By item: what its link shows; null for nothing. Shorter while cards are being read. */
  cards: z.array(Card.nullable()),
  /** The key of each item and the time of the first one: the last that is stored before the post is sent. */
  keys: z.array(z.string()).nullable(),
  at: z.number(),
});
export type Progress = z.output<typeof Progress>;

export const NOTHING: Progress = { accounts: null, blobs: [], cards: [], keys: null, at: 0 };

export interface Reference {
  readonly uri: string;
  readonly cid: string;
}

export interface NewRecord {
  readonly text: string;
  readonly at: number;
  readonly accounts: Readonly<Record<string, string>>;
  readonly languages?: readonly string[] | undefined;
  readonly reply?: { readonly root: Reference; readonly parent: Reference } | undefined;
  readonly embed?: object | undefined;
}

/** Fields without a value are left out: the server refuses null. */
export function toRecord({ text, at, accounts, languages = [], reply, embed }: NewRecord): object {
  const facets = facetsOf(text, accounts);
  return {
    $type: COLLECTION,
    text,
    createdAt: new Date(at).toISOString(),
    ...(facets.length === 0 ? {} : { facets }),
    ...(languages.length === 0 ? {} : { langs: languages }),
    ...(reply === undefined ? {} : { reply }),
    ...(embed === undefined ? {} : { embed }),
  };
}

/** The record of an item after the live ones; null if its preparation is not complete. */
export function itemRecord(
  content: Content,
  { accounts, blobs, cards, keys, at }: Progress,
  index: number,
  previous: readonly PlatformPost[],
): { readonly key: string; readonly record: object } | null {
  const item = content.items[index];
  const key = keys?.[index];
  const start = content.items.slice(0, index).reduce((sum, { media }) => sum + media.length, 0);
  const files = (item?.media ?? []).flatMap((file, place) => {
    const blob = blobs[start + place];
    return blob ? [{ file, blob }] : [];
  });
  if (!item || key === undefined || files.length < item.media.length) return null;
  const [root, parent] = [previous[0], previous.at(-1)].map((post) => post && toReference(post));
  const record = toRecord({
    text: item.text,
    // Equal times hide a thread from the account's list of posts.
    at: at + index,
    accounts: accounts ?? {},
    languages: content.options.languages,
    reply: root && parent ? { root, parent } : undefined,
    embed: embedOf(files, cards[index] ?? null),
  });
  return { key, record };
}

export function toReference({ id, secondaryId }: Pick<PlatformPost, "id" | "secondaryId">): Reference {
  return { uri: id, cid: secondaryId ?? "" };
}

interface Uploaded {
  readonly file: Media;
  readonly blob: Blob;
}

/** Of the form for pictures that every server and client knows; a gallery, newer, takes more. */
const MAX_EMBEDDED = 4;

/** A post shows its pictures, or its video, or else the card of its link. */
function embedOf(files: readonly Uploaded[], card: Card | null): object | undefined {
  const [first] = files;
  if (first?.file.kind === "video") {
    const { file, blob } = first;
    const alt = file.altText === null ? {} : { alt: file.altText };
    return { $type: "app.bsky.embed.video", video: blob, ...alt, ...ratioOf(file) };
  }
  if (files.length > MAX_EMBEDDED) {
    const items = files.map(({ file, blob }) => ({
      $type: "app.bsky.embed.gallery#image",
      image: blob,
      alt: file.altText ?? "",
      aspectRatio: { width: 1, height: 1 },
      ...ratioOf(file),
    }));
    return { $type: "app.bsky.embed.gallery", items };
  }
  if (first) {
    const images = files.map(({ file, blob }) => ({ image: blob, alt: file.altText ?? "", ...ratioOf(file) }));
    return { $type: "app.bsky.embed.images", images };
  }
  if (card === null) return undefined;
  const { thumb, ...external } = card;
  return { $type: "app.bsky.embed.external", external: { ...external, ...(thumb === null ? {} : { thumb }) } };
}

/** Without it, readers see the picture jump when it has loaded. */
function ratioOf({ width, height }: Media): object {
  return width === null || height === null || width < 1 || height < 1 ? {} : { aspectRatio: { width, height } };
}

/** The link that an item shows as a card: its first one, if it has no files. */
export function cardLink(content: Content, index: number): string | null {
  const item = content.items[index];
  return item && item.media.length === 0 ? (findLinks(item.text)[0]?.uri ?? null) : null;
}

/** The key of a post at the end of its address. */
export const keyOf = (uri: string): string => uri.slice(uri.lastIndexOf("/") + 1);

type Linked = PlatformPost & { readonly permalink: string };

/** A post's address names the account by its id, which survives another handle. */
export function toPost({ uri, cid }: Reference): Linked {
  const [did = "", , key = ""] = uri.replace("at://", "").split("/");
  return { id: uri, secondaryId: cid, permalink: `https://bsky.app/profile/${did}/post/${key}` };
}
