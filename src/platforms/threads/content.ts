import { z } from "zod";
import type { Json } from "../context.ts";
import type { Content, ContentItem } from "../publishing.ts";
import type { Media } from "../rules.ts";
import { Container, NO_CONTAINER, type Plan } from "./containers.ts";

/** The containers of a post at Threads, their parameters, and what is stored of them between calls. */

const Item = z.object({
  /** One per file: the children of a carousel, or the trial container of a later item's single file. */
  files: z.array(Container),
  /** What is published. */
  own: Container,
});
const Progress = z.object({ items: z.array(Item) });
export type Progress = z.output<typeof Progress>;

export function progressOf(content: Content, stored: Json | null): Progress {
  const parsed = Progress.safeParse(stored);
  if (parsed.success && parsed.data.items.length === content.items.length) return parsed.data;
  const items = content.items.map((_, index) => ({
    files: filePlans(content, index).map(() => NO_CONTAINER),
    own: NO_CONTAINER,
  }));
  return { items };
}

/**
 * The files of an item that have their own containers. In a thread, the single file of a later item is tried
 * in a container before the first item is published, so that a refused file does not leave half a thread.
 */
export function filePlans({ items }: Content, index: number): Plan[] {
  const media = items[index]?.media ?? [];
  if (media.length < 2 && index === 0) return [];
  return media.map((file) => ({ form: { ...formOf(file), is_carousel_item: "true" }, file, answers: "nothing" }));
}

/** The item itself, as a reply to `parent`; null while its files are not ready. */
export function postPlan(content: Content, progress: Progress, index: number, parent: string | null): Plan | null {
  const item = content.items[index];
  const files: readonly Container[] = progress.items[index]?.files ?? [];
  if (!item) return null;
  const shown = shownForm(item, files);
  if (shown === null) return null;
  const text: Record<string, string> = item.text === "" ? {} : { text: item.text };
  const reply: Record<string, string> = parent === null ? {} : { reply_to_id: parent };
  const [file = null] = item.media.length === 1 ? item.media : [];
  // The place of a thread stands on its first item.
  const { location_id } = index === 0 ? content.options : {};
  const place: Record<string, string> = location_id === undefined ? {} : { location_id };
  return { form: { ...shown, ...text, ...place, ...reply }, file, answers: parent === null ? "nothing" : "new" };
}

function shownForm({ media }: ContentItem, files: readonly Container[]): Record<string, string> | null {
  const [file] = media;
  if (!file) return { media_type: "TEXT" };
  if (media.length === 1) return formOf(file);
  const children = files.flatMap(({ id }) => id ?? []);
  return children.length === media.length ? { media_type: "CAROUSEL", children: children.join(",") } : null;
}

function formOf({ kind, publicUrl, altText }: Media): Record<string, string> {
  const described: Record<string, string> = altText === null ? {} : { alt_text: altText };
  return kind === "video"
    ? { media_type: "VIDEO", video_url: publicUrl, ...described }
    : { media_type: "IMAGE", image_url: publicUrl, ...described };
}

/** The media type that Threads shows for a post of the item. */
export function shownType({ media }: ContentItem): string {
  const [file] = media;
  if (!file) return "TEXT_POST";
  if (media.length > 1) return "CAROUSEL_ALBUM";
  return file.kind === "video" ? "VIDEO" : "IMAGE";
}
