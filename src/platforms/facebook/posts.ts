import { z } from "zod";
import { MINUTE } from "../../core/time.ts";
import type { AccountContext, Json } from "../context.ts";
import { PlatformId } from "../json.ts";
import { isGone } from "../meta/errors.ts";
import { type GraphCall, get, post, Success } from "../meta/graph.ts";
import type { PostType } from "../names.ts";
import { okAs, rejected, unknown } from "../outcomes.ts";
import type {
  Accepted,
  CommitOutcome,
  ConfirmOutcome,
  Content,
  PermalinkOutcome,
  PlatformPost,
  PrepareOutcome,
  Publishing,
  RemoveOutcome,
} from "../publishing.ts";
import type { Media } from "../rules.ts";
import { graphOf } from "./api.ts";
import { prepareChunks } from "./chunks.ts";
import { inviteCollaborators } from "./collaborators.ts";
import { type Progress, progressOf, type Shape, shapeOf, type Uploaded, type VideoEdge } from "./content.ts";
import { isAboutRequest, isUnfetched } from "./errors.ts";
import { linkOf } from "./feed.ts";
import { find, findVideo, pagePostId, readVideo, toPost } from "./find.ts";
import { readStory } from "./stories.ts";
import { setThumbnail } from "./thumbnail.ts";
import { prepareVideo } from "./video.ts";
import { Video, type VideoState, videoState } from "./video-state.ts";

/**
 * Publishes on a Page. find.ts looks up lost answers.
 *
 * - Facebook has no idempotency key, and returned 500 or code 2 for posts that were live. So everything that
 *   has an id is uploaded unpublished first: photos (also a single one) and videos. Only plain text is looked
 *   up by text and time.
 * - `finish` of a video only acknowledges; its status shows when it is live. A second `finish` made a second
 *   post, so it is never sent while the video exists.
 * - A photo and a video have their own ids beside the id of their post. A post's id is the page-post id if
 *   Facebook returns it. Comments, deletion and boosts of photos use that id; deletion of videos uses the
 *   video's id.
 */
/** Pages list a new post after seconds, sometimes minutes (facebook.md §3.9). */
const LIST_LAG_SECONDS = 600;
/** How long the status of a finished video was seen to be outdated. */
const USUAL_LAG_SECONDS = 30;

/** A finished video that is ready, but still not published after this long, has become a draft. */
const DRAFT_AFTER_MS = 10 * MINUTE;

const Created = z.object({ id: PlatformId });

async function prepare(context: AccountContext, content: Content, stored: Json | null): Promise<PrepareOutcome> {
  const shape = shapeOf(content);
  const progress = progressOf(stored);
  switch (shape.kind) {
    case "failed":
      return shape;
    case "feed":
      return preparePhotos(context, shape.item.media, progress);
    case "photo_story":
      return preparePhotos(context, [shape.file], progress);
    case "video": {
      const { edge, file } = shape;
      const step =
        edge === "videos"
          ? await prepareChunks(context, content, file, inChunks(progress.video))
          : await prepareVideo(context, edge, file, byAddress(progress.video));
      if (step.kind === "failed") return step;
      const { upload: video, ...outcome } = step;
      return { ...outcome, progress: { ...progress, video } };
    }
  }
}

const inChunks = (video: Progress["video"]) => (video !== null && "session" in video ? video : null);
const byAddress = (video: Progress["video"]) => (video !== null && "uploadUrl" in video ? video : null);

/** An unpublished photo that Facebook did not fetch does not exist: the same call may be repeated. */
const FETCH_TRIES = 4;
const FETCH_AGAIN_SECONDS = 15;

async function preparePhotos(
  context: AccountContext,
  files: readonly Media[],
  progress: Progress,
): Promise<PrepareOutcome> {
  const file = files[progress.photos.length];
  if (!file) return { kind: "ready", progress };
  const description: Record<string, string> = file.altText === null ? {} : { alt_text_custom: file.altText };
  const form = { url: file.publicUrl, published: "false", ...description };
  const graph = graphOf(context);
  const raw = await graph.request(post(`${context.account.id}/photos`, form));
  const answer = graph.interpretRead(raw, Created);
  if (answer.kind === "failed") {
    const unreachable = (progress.unreachable ?? 0) + 1;
    if (!isUnfetched(raw) || unreachable >= FETCH_TRIES) return answer;
    const again = { afterSeconds: FETCH_AGAIN_SECONDS * unreachable, reason: answer.message };
    return { kind: "more", progress: { ...progress, unreachable }, ...again };
  }
  const photos = [...progress.photos, answer.value.id];
  const kind = photos.length < files.length ? "more" : "ready";
  return { kind, progress: { photos, video: progress.video } };
}

const StoryPosted = z.object({ post_id: PlatformId });
const Finished = z.object({ success: z.literal(true), post_id: PlatformId.optional() });

async function commit(context: AccountContext, content: Content, stored: Json): Promise<CommitOutcome> {
  const shape = shapeOf(content);
  const progress = progressOf(stored);
  const page = context.account.id;
  switch (shape.kind) {
    case "failed":
      return shape;
    case "feed": {
      if (progress.photos.length < shape.item.media.length) return rejected("The images were not uploaded.");
      const message: Record<string, string> = shape.item.text === "" ? {} : { message: shape.item.text };
      const media = progress.photos.map((id) => ({ media_fbid: id }));
      const form = {
        ...message,
        ...shape.place,
        ...(media.length === 0 ? {} : { attached_media: JSON.stringify(media) }),
      };
      const answer = await graphOf(context).write(post(`${page}/feed`, form), Created);
      return answer.kind === "ok" ? published(answer.value.id) : answer;
    }
    case "photo_story": {
      const form = { photo_id: progress.photos[0] ?? "" };
      const answer = await graphOf(context).write(post(`${page}/photo_stories`, form), StoryPosted);
      return answer.kind === "ok" ? published(answer.value.post_id) : answer;
    }
    case "video": {
      if (progress.video === null) return rejected("The video was not uploaded.");
      return finish(context, shape, progress.video);
    }
  }
}

type VideoShape = Shape & { readonly kind: "video" };

function finishCall(context: AccountContext, { edge, text, options }: VideoShape, video: Uploaded): GraphCall {
  const path = `${context.account.id}/${edge}`;
  if ("session" in video) {
    const form = { upload_phase: "finish", upload_session_id: video.session, description: text, ...options };
    return post(path, form);
  }
  const form = { upload_phase: "finish", video_id: video.id };
  if (edge === "video_stories") return post(path, form);
  return post(path, { ...form, video_state: "PUBLISHED", description: text, ...options });
}

/**
 * Most refusals of a `finish` do not prove that nothing is published, because an earlier one may have
 * succeeded. Only these count: refusals of the request itself (its media, a policy, a check), and of a limit,
 * a permission or a session, which Graph checks first. After any other refusal the video's status is read; a
 * video that exists and is not live stays unknown.
 */
async function finish(context: AccountContext, shape: VideoShape, video: Uploaded): Promise<CommitOutcome> {
  const { edge } = shape;
  const graph = graphOf(context);
  const raw = await graph.request(finishCall(context, shape, video));
  const answer = graph.interpretWrite(raw, Finished);
  if (answer.kind === "ok") {
    const { post_id: id } = answer.value;
    const postId = id === undefined ? video.id : edge === "video_stories" ? id : pagePostId(context, id);
    return accepted(postId, video.id);
  }
  if (answer.kind !== "failed" || answer.reason !== "rejected" || isAboutRequest(raw)) return answer;
  const found = await findVideo(context, video.id);
  if (found.kind === "absent") return answer;
  // Only the list of stories shows a story's own id: `find` reads it.
  if (found.kind === "found" && edge !== "video_stories") return accepted(video.id, video.id);
  return unknown(answer.message);
}

async function confirm(
  context: AccountContext,
  content: Content,
  stored: Json,
  { post: taken, since }: Accepted,
): Promise<ConfirmOutcome> {
  const shape = shapeOf(content);
  if (shape.kind !== "video") return { kind: "live", post: taken };
  const videoId = progressOf(stored).video?.id ?? taken.id;
  const graph = graphOf(context);
  const raw = await graph.request(readVideo(videoId));
  // A post that was just accepted may not be visible yet.
  if (isGone(raw)) return { kind: "processing", afterSeconds: 10 };
  const answer = graph.interpretRead(raw, Video);
  if (answer.kind === "failed") return answer;
  const state = videoState(answer.value);
  if (state.kind === "broken") return state;
  if (!state.isLive && !state.isSilent) {
    const draft = draftSentence(shape.edge, state, context.now - since);
    return draft === null
      ? { kind: "processing", afterSeconds: 5 }
      : { kind: "broken", code: "platform_rejected", message: draft };
  }
  const live = toPost(context, videoId, answer.value);
  if (shape.edge !== "video_stories") return { kind: "live", post: live };
  // The video's URL is not the story's, and `finish` may not have returned the story's id.
  const story = await readStory(context, ({ post_id, media_id }) => post_id === taken.id || media_id === videoId);
  const { id, permalink } = story ?? taken;
  return { kind: "live", post: { id, secondaryId: videoId, permalink: permalink ?? live.permalink } };
}

/** Why a video will never go live; null while it may. Seen with vertical feed videos (facebook.md §3.9). */
function draftSentence(edge: VideoEdge, { isDraft, isHeld, processing }: VideoState, waitedMs: number): string | null {
  const isLate = waitedMs >= DRAFT_AFTER_MS;
  if (edge === "videos" && ((isDraft && processing !== "in_progress") || (isHeld && isLate))) {
    return `${KEPT}, as it does with some vertical videos. Publish it at Facebook, or post it as a reel.`;
  }
  // A reel may have the status draft until its publishing begins.
  return isDraft && isLate ? `${KEPT}. Publish it at Facebook.` : null;
}

const KEPT = "Facebook kept the video as a draft";

const Linked = z.object({ permalink_url: z.string() });

async function readPermalink(context: AccountContext, post: PlatformPost): Promise<PermalinkOutcome> {
  const { id } = post;
  const isPagePost = id.includes("_");
  const found = (permalink: string): PermalinkOutcome => ({ kind: "found", post: { ...post, permalink } });
  if (!isPagePost) {
    const story = await readStory(context, ({ post_id }) => post_id === id);
    if (story?.permalink) return found(story.permalink);
  }
  const answer = await graphOf(context).read(get(id, { fields: "permalink_url" }), Linked);
  const link = answer.kind === "ok" ? linkOf(answer.value.permalink_url) : null;
  if (link !== null) return found(link);
  if (answer.kind === "ok") return { kind: "not_yet" };
  return isPagePost ? found(`https://www.facebook.com/${id}`) : answer;
}

/** Feed videos and reels are deleted by the video's id; all other posts, stories too, by the post's id. */
async function remove(context: AccountContext, type: PostType, post: PlatformPost): Promise<RemoveOutcome> {
  const { id } = post;
  const ownId = type === "story" ? id : (post.secondaryId ?? id);
  const graph = graphOf(context);
  let answer = await graph.request({ method: "DELETE", path: ownId });
  // The video may be deleted while its post still exists.
  if (isGone(answer) && ownId !== id) answer = await graph.request({ method: "DELETE", path: id });
  if (isGone(answer) && isGone(await graph.request(get(id, { fields: "id" })))) return { kind: "removed" };
  return okAs(graph.interpretRead(answer, Success), "removed");
}

function published(id: string): CommitOutcome {
  return { kind: "published", post: { id, secondaryId: null, permalink: null } };
}

function accepted(id: string, videoId: string): CommitOutcome {
  return { kind: "accepted", post: { id, secondaryId: videoId, permalink: null }, afterSeconds: 3 };
}

export const posts: Publishing = {
  lists: {
    lagSeconds: LIST_LAG_SECONDS,
    usualLagSeconds: USUAL_LAG_SECONDS,
    // A photo can be in one post only: Facebook refuses the second (1366051). Stories are less certain.
    refusesRepeat: ({ type, items }, index) =>
      type !== "story" && (items[index]?.media.some(({ kind }) => kind !== "video") ?? false),
  },
  prepare,
  commit: (context, content, progress) => commit(context, content, progress),
  confirm,
  find,
  permalink: { shown: "at_once", read: readPermalink },
  remove,
  afterwards: { cover_url: setThumbnail, collaborators: inviteCollaborators },
};
