import type { AccountContext } from "../context.ts";
import { isGone } from "../meta/errors.ts";
import { type GraphCall, get } from "../meta/graph.ts";
import { perhapsLive, unknown } from "../outcomes.ts";
import type { FindOutcome, FindRequest, PlatformPost, Publishing } from "../publishing.ts";
import { graphOf } from "./api.ts";
import { progressOf, shapeOf } from "./content.ts";
import { findInFeed, linkOf } from "./feed.ts";
import { findStory } from "./stories.ts";
import { Video, videoState } from "./video-state.ts";

/**
 * What became of a publishing call whose answer was lost, or unclear.
 *
 * - Text and photos: in the list of posts (feed.ts). Stories: in theirs (stories.ts).
 * - Videos: by their own id. Of these only one that is surely gone is absent. A `finish` that has arrived may
 *   show for minutes as if it had not, and a second one makes a second reel: whatever is there and not live
 *   is unknown.
 */
export const find: Publishing["find"] = async (context, content, stored, request) => {
  const shape = shapeOf(content);
  const { photos, video } = progressOf(stored);
  switch (shape.kind) {
    case "failed":
      return shape;
    case "feed":
      if (photos.length < shape.item.media.length) return unknown(FORGOTTEN);
      return findInFeed(context, { text: shape.item.text, photos }, request);
    case "photo_story": {
      const [photo] = photos;
      return photo === undefined ? unknown(FORGOTTEN) : findStory(context, photo, request);
    }
    case "video":
      if (video === null) return unknown(FORGOTTEN);
      return shape.edge === "video_stories" ? findVideoStory(context, video.id, request) : findVideo(context, video.id);
  }
};

const FORGOTTEN = "The uploads of this post to Facebook are unknown.";

/**
 * Only the list tells a story's own id, but it lags: the video says whether there is something to wait for.
 */
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

/** Looks for a reel or a video of the feed. A broken one is found: `confirm` tells what is wrong with it. */
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

/**
 * By the page-post id where Facebook tells it, else by the video's own; that is the second id in any case.
 */
export function toPost(context: AccountContext, videoId: string, { post_id, permalink_url }: Video): PlatformPost {
  const id = post_id === undefined ? videoId : pagePostId(context, post_id);
  return { id, secondaryId: videoId, permalink: linkOf(permalink_url) };
}

/** `post_id` may come without the Page's part. */
export function pagePostId(context: AccountContext, id: string): string {
  return id.includes("_") ? id : `${context.account.id}_${id}`;
}
