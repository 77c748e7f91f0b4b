import type { AccountContext } from "../context.ts";
import { isGone } from "../meta/errors.ts";
import { type GraphCall, get } from "../meta/graph.ts";
import { perhapsLive, unknown } from "../outcomes.ts";
import type { ContentItem, FindOutcome, FindRequest, PlatformPost, Publishing } from "../publishing.ts";
import { graphOf } from "./api.ts";
import { progressOf, type Shape, shapeOf } from "./content.ts";
import { findInFeed, linkOf } from "./feed.ts";
import { findAnyStory, findStory } from "./stories.ts";
import { Video, videoState } from "./video-state.ts";

/**
 * Looks up the outcome of a publishing call whose answer was lost or unclear.
 *
 * - Text and photos: in the list of posts (feed.ts). Stories: in the list of stories (stories.ts).
 * - Videos: by their own id. Only a video that certainly does not exist is absent. After a `finish` that
 *   arrived, the status may not change for minutes, and a second `finish` makes a second reel. So a video
 *   that exists but is not live is unknown.
 */
export const find: Publishing["find"] = async (context, content, stored, request) => {
  const shape = shapeOf(content);
  if (shape.kind === "failed") return shape;
  if (stored === null) return findByContent(context, shape, request);
  const { photos, video } = progressOf(stored);
  switch (shape.kind) {
    case "feed":
      if (photos.length < shape.item.media.length) return unknown(FORGOTTEN);
      return findInFeed(context, { text: shape.item.text, photos, hasFile: photos.length > 0 }, request);
    case "photo_story": {
      const [photo] = photos;
      return photo === undefined ? unknown(FORGOTTEN) : findStory(context, photo, request);
    }
    case "video":
      if (video === null) return unknown(FORGOTTEN);
      return shape.edge === "video_stories" ? findVideoStory(context, video.id, request) : findVideo(context, video.id);
  }
};

/** Nothing that we uploaded is known: only a text can show that a post is ours. */
async function findByContent(context: AccountContext, shape: Shape, request: FindRequest): Promise<FindOutcome> {
  if (shape.kind === "photo_story" || (shape.kind === "video" && shape.edge === "video_stories")) {
    return findAnyStory(context, request);
  }
  const { text, hasFile } =
    shape.kind === "video"
      ? { text: shape.text, hasFile: true }
      : { text: shape.item.text, hasFile: hasMedia(shape.item) };
  return findInFeed(context, { text, photos: [], hasFile }, request);
}

const hasMedia = ({ media }: ContentItem): boolean => media.length > 0;

const FORGOTTEN = "The uploads of this post to Facebook are unknown.";

/** Only the list shows a story's id, but it lags. The video shows whether a story is on its way. */
async function findVideoStory(context: AccountContext, videoId: string, request: FindRequest): Promise<FindOutcome> {
  const listed = await findStory(context, videoId, request);
  if (listed.kind === "found") return { ...listed, post: { ...listed.post, secondaryId: videoId } };
  const known = await readState(context, videoId);
  switch (known.kind) {
    case "gone":
      return listed;
    case "live":
      return perhapsLive("Facebook does not list the story yet.");
    case "broken":
      return { kind: "found", post: known.post };
    default:
      return known;
  }
}

/** Looks up a reel or a feed video. A broken video counts as found; `confirm` reports its problem. */
export async function findVideo(context: AccountContext, videoId: string): Promise<FindOutcome> {
  const known = await readState(context, videoId);
  switch (known.kind) {
    case "gone":
      return { kind: "absent" };
    case "live":
    case "broken":
      return { kind: "found", post: known.post };
    default:
      return known;
  }
}

type Known =
  | { readonly kind: "gone" }
  | { readonly kind: "live" | "broken"; readonly post: PlatformPost }
  | Exclude<FindOutcome, { kind: "found" | "absent" }>;

async function readState(context: AccountContext, videoId: string): Promise<Known> {
  const graph = graphOf(context);
  const raw = await graph.request(readVideo(videoId));
  if (isGone(raw)) return { kind: "gone" };
  const answer = graph.interpretRead(raw, Video);
  if (answer.kind === "failed") return answer;
  const state = videoState(answer.value);
  const post = toPost(context, videoId, answer.value);
  if (state.kind === "broken") return { kind: "broken", post };
  if (state.isLive) return { kind: "live", post };
  const undecided = "Facebook has the video, but does not report whether it will publish it.";
  return state.isUnderWay ? perhapsLive(undecided) : unknown(undecided);
}

export const readVideo = (id: string): GraphCall => get(id, { fields: "status,published,permalink_url,post_id" });

/** The page-post id if Facebook returns it, else the video's id, which is always the second id. */
export function toPost(context: AccountContext, videoId: string, { post_id, permalink_url }: Video): PlatformPost {
  const id = post_id === undefined ? videoId : pagePostId(context, post_id);
  return { id, secondaryId: videoId, permalink: linkOf(permalink_url) };
}

/** `post_id` may come without the Page's part. */
export function pagePostId(context: AccountContext, id: string): string {
  return id.includes("_") ? id : `${context.account.id}_${id}`;
}
