import { ownFileName } from "../../media/own-address.ts";
import type { MediaKind } from "../../platforms/media-kinds.ts";
import type { ContentItem } from "../../platforms/publishing.ts";

/**
 * The kinds of the files of a post. Some platforms have a field for one kind only. Before the files are read,
 * the kinds of our own are known, and the name of another is a hint.
 */
export interface FileKind {
  /** Null if neither bytes nor name show it. */
  readonly kind: MediaKind | null;
  /** Whether the kind was read from the bytes. */
  readonly isRead: boolean;
}

/** The files of this service that a request names and its project has, by their names. */
export type OwnFiles = ReadonlyMap<
  string,
  { readonly isGenerated: boolean; readonly kind: MediaKind | null; readonly altText: string | null }
>;

/** Whether this service generated the file at this address. */
export function isGenerated(files: OwnFiles, url: string): boolean {
  return files.get(ownFileName(url) ?? "")?.isGenerated ?? false;
}

/** The kinds of files that were read. */
export function kindsOf(items: readonly Pick<ContentItem, "media">[]): readonly FileKind[] {
  return items.flatMap(({ media }) => media.map(({ kind }) => ({ kind, isRead: true })));
}

interface Files {
  readonly mediaUrls: readonly string[];
}

/** What is known of the files of a post, or of its thread, before they are read. */
export function expectedKinds(
  { thread, ...post }: Files & { readonly thread: readonly Files[] },
  files: OwnFiles,
): readonly FileKind[] {
  return [post, ...thread].flatMap((item) =>
    item.mediaUrls.map((url) => {
      const kind = files.get(ownFileName(url) ?? "")?.kind ?? null;
      return kind === null ? { kind: kindByName(url), isRead: false } : { kind, isRead: true };
    }),
  );
}

const BY_NAME: readonly (readonly [RegExp, MediaKind])[] = [
  [/\.(?:jpe?g|png|webp|heic)$/i, "image"],
  [/\.gif$/i, "gif"],
  [/\.(?:mp4|mov|m4v|webm|avi)$/i, "video"],
  [/\.(?:pdf|pptx?|docx?)$/i, "document"],
];

function kindByName(url: string): MediaKind | null {
  const path = URL.parse(url)?.pathname ?? "";
  return BY_NAME.find(([ending]) => ending.test(path))?.[1] ?? null;
}
