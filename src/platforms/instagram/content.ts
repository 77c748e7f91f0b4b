import { z } from "zod";
import type { Failure, Json } from "../context.ts";
import { lateCover } from "../covers.ts";
import type { Declared } from "../declarations.ts";
import type { PostOptions } from "../options.ts";
import { rejected } from "../outcomes.ts";
import type { Content, ContentItem } from "../publishing.ts";
import type { Media } from "../rules.ts";

/** The containers of a post at Instagram, and what is stored of them between calls. */

/** The parameters of a new container. */
export type Form = Readonly<Record<string, string>>;

export interface Shape {
  readonly kind: "image" | "reel" | "story" | "carousel";
  /** The caption as Instagram shows it; empty for a story, which shows none. */
  readonly caption: string;
  /** One for each file of a carousel; otherwise empty. */
  readonly children: readonly Form[];
  /** Parameters of the container that is published, given its children. */
  parent(children: readonly string[]): Form;
}

export function shapeOf({
  type,
  items,
  declared,
  options,
  cover,
}: Content): Shape | (Failure & { readonly kind: "failed" }) {
  const [item] = items;
  const [file] = item?.media ?? [];
  if (!item || !file) return rejected("A post on Instagram needs an image or a video.", "content_invalid");
  const late = lateCover(options, item.media);
  if (late !== null) return late;
  const about = { ...captionOf(item), ...labelsOf(declared), ...sharedWith(options) };
  if (type === "story") {
    const parent = () => ({ media_type: "STORIES", ...addressOf(file), ...labelsOf(declared) });
    return { kind: "story", caption: "", children: [], parent };
  }
  if (item.media.length > 1) {
    const parent = (ids: readonly string[]) => ({ media_type: "CAROUSEL", children: ids.join(","), ...about });
    return { kind: "carousel", caption: item.text, children: item.media.map((one) => childOf(one, options)), parent };
  }
  // A single video is always published as a reel.
  const parent =
    file.kind === "video"
      ? () => ({ media_type: "REELS", ...addressOf(file), share_to_feed: "true", ...coverOf(options, cover), ...about })
      : () => ({ ...addressOf(file), ...describedBy(file), ...about });
  return { kind: file.kind === "video" ? "reel" : "image", caption: item.text, children: [], parent };
}

/** Instagram refuses captions, declarations and similar fields on children: they belong to the carousel. */
function childOf(file: Media, options: PostOptions): Form {
  const kind: Form = file.kind === "video" ? { media_type: "VIDEO", ...coverOf(options) } : {};
  return { ...kind, ...addressOf(file), ...describedBy(file), is_carousel_item: "true" };
}

function captionOf({ text }: ContentItem): Form {
  return text === "" ? {} : { caption: text };
}

/** A picture wins over a frame. */
function coverOf({ cover_ms }: PostOptions, cover: Media | null = null): Form {
  return {
    ...(cover_ms === undefined ? {} : { thumb_offset: String(cover_ms) }),
    ...(cover === null ? {} : { cover_url: addressOf(cover).image_url ?? cover.publicUrl }),
  };
}

function sharedWith({ collaborators, location_id }: PostOptions): Form {
  return {
    ...(collaborators ? { collaborators: JSON.stringify(collaborators) } : {}),
    ...(location_id === undefined ? {} : { location_id }),
  };
}

/** Instagram adds a label, and never removes one: `false` says nothing. */
function labelsOf({ made_with_ai, paid_partnership }: Declared): Form {
  return {
    ...(made_with_ai ? { is_ai_generated: "true" } : {}),
    ...(paid_partnership ? { is_paid_partnership: "true" } : {}),
  };
}

function describedBy({ kind, altText }: Media): Form {
  return altText === null || kind === "video" ? {} : { alt_text: altText };
}

/** Instagram fetches the file itself and requires an ASCII URL; a parsed URL is ASCII. */
function addressOf({ kind, publicUrl }: Media): Form {
  const url = URL.parse(publicUrl)?.href ?? publicUrl;
  return kind === "video" ? { video_url: url } : { image_url: url };
}

const Container = z.object({
  id: z.string(),
  /** Epoch milliseconds. */
  madeAt: z.number(),
  isFinished: z.boolean(),
  /** Instagram reports it as published, although none of our calls is known to have published it. */
  isPublished: z.boolean().default(false),
});
export type Container = z.output<typeof Container>;

export const Progress = z.object({
  /** The children in the order of the files, then the container that is published. */
  containers: z.array(Container),
  /** How often Instagram could not fetch the next file. */
  unreachable: z.number(),
  /** How often a container failed and another one was created. */
  remakes: z.number(),
  /** How often a publishing call did not find the container, although its status was ready. */
  returns: z.number(),
  /** Containers that were given up after a publishing call; one of them may be live. */
  former: z.array(z.string()),
});
export type Progress = z.output<typeof Progress>;

const NONE: Progress = { containers: [], unreachable: 0, remakes: 0, returns: 0, former: [] };

export function progressOf(stored: Json | null): Progress {
  const parsed = Progress.safeParse(stored);
  return parsed.success ? parsed.data : NONE;
}

/** The container that is published; null before there is one. */
export function published({ children }: Shape, { containers }: Progress): Container | null {
  return containers[children.length] ?? null;
}
