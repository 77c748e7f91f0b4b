import { z } from "zod";
import { ChunkUpload, prepareChunks } from "./facebook-chunks.ts";
import { act, ask, callGraph, type GraphCall, isGone, judge, post, read, Success, settle } from "./facebook-graph.ts";
import { findInFeed, findStory, linkOf, storyLink } from "./facebook-lookup.ts";
import { prepareVideo, Video, VideoUpload, videoState } from "./facebook-video.ts";
import type {
  Accepted,
  AccountContext,
  CommitOutcome,
  ConfirmOutcome,
  Content,
  ContentItem,
  Failure,
  FindOutcome,
  Json,
  Media,
  PlatformPost,
  PrepareOutcome,
  Publishing,
  RemoveOutcome,
  Unknown,
} from "./platform.ts";

/**
 * Publishing on a Page.
 *
 * - Facebook knows no idempotency key, and 500 or code 2 came back for posts that were live. What `find` can prove by
 *   an id of ours is therefore uploaded first, unpublished: photos (also a single one), every kind of video.
 *   Only plain text is found by text and time.
 * - `finish` of a video only acknowledges; the phases of its status tell when it is live. Sent twice for one video it
 *   makes no second post.
 * - A photo and a video have ids of their own beside the id of the post that shows them. A post's id is the page-post
 *   id where Facebook tells it; comments, deletion and boosts of photos want that one, deletion of videos the other.
 */
/** Pages list a new post after seconds, seen: minutes (facebook.md §3.9). */
const LIST_LAG_SECONDS = 600;

const Progress = z.object({
  /** Unpublished photos, in the order of the media. */
  photos: z.array(z.string()),
  /** By its address (reels, stories) or in chunks (feed). */
  video: z.union([VideoUpload, ChunkUpload]).nullable(),
});
type Progress = z.output<typeof Progress>;
type Uploaded = NonNullable<Progress["video"]>;

function progressOf(stored: Json | null): Progress {
  const parsed = Progress.safeParse(stored);
  return parsed.success ? parsed.data : { photos: [], video: null };
}

type Shape =
  | { readonly kind: "feed"; readonly item: ContentItem }
  | { readonly kind: "video"; readonly edge: VideoEdge; readonly text: string; readonly file: Media }
  | { readonly kind: "photo_story"; readonly file: Media };
type VideoEdge = "videos" | "video_reels" | "video_stories";

function shapeOf(content: Content): Shape | Failure {
  const [item] = content.items;
  if (!item) return rejected("There is nothing to post.");
  const [file] = item.media;
  if (content.type === "post" || content.type === "tweet" || content.type === "thread") {
    return file?.kind === "video" ? { kind: "video", edge: "videos", text: item.text, file } : { kind: "feed", item };
  }
  if (!file) return rejected(`A Facebook ${content.type} needs a media file.`);
  if (content.type === "reel") return { kind: "video", edge: "video_reels", text: item.text, file };
  return file.kind === "video"
    ? { kind: "video", edge: "video_stories", text: "", file }
    : { kind: "photo_story", file };
}

// --- prepare ----------------------------------------------------------------------------------------------------

const Created = z.object({ id: z.string() });

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
      const { video, ...outcome } = step;
      return { ...outcome, progress: { ...progress, video } };
    }
  }
}

const inChunks = (video: Progress["video"]) => (video !== null && "session" in video ? video : null);
const byAddress = (video: Progress["video"]) => (video !== null && "uploadUrl" in video ? video : null);

async function preparePhotos(
  context: AccountContext,
  files: readonly Media[],
  progress: Progress,
): Promise<PrepareOutcome> {
  const file = files[progress.photos.length];
  if (!file) return { kind: "ready", progress };
  const form = { url: file.url, published: "false" };
  const answer = await ask(context, post(context, `${context.account.id}/photos`, form), Created);
  if (answer.kind === "failed") return answer;
  const photos = [...progress.photos, answer.value.id];
  return { kind: photos.length < files.length ? "more" : "ready", progress: { ...progress, photos } };
}

/** The page-post id where Facebook tells it; it may leave out the Page's part. */
function toPost(context: AccountContext, videoId: string, { post_id, permalink_url }: Video): PlatformPost {
  const id = post_id === undefined ? videoId : post_id.includes("_") ? post_id : `${context.account.id}_${post_id}`;
  return { id, permalink: linkOf(permalink_url) };
}

const readVideo = (context: AccountContext, id: string) =>
  read(context, id, { fields: "status,published,permalink_url,post_id" });

// --- commit, confirm --------------------------------------------------------------------------------------------

const StoryPosted = z.object({ post_id: z.coerce.string() });
const Finished = z.object({ success: z.literal(true), post_id: z.coerce.string().optional() });

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
      const form = media.length === 0 ? message : { ...message, attached_media: JSON.stringify(media) };
      const answer = await act(context, post(context, `${page}/feed`, form), Created);
      return answer.kind === "ok" ? published({ id: answer.value.id, permalink: null }) : answer;
    }
    case "photo_story": {
      const form = { photo_id: progress.photos[0] ?? "" };
      const answer = await act(context, post(context, `${page}/photo_stories`, form), StoryPosted);
      return answer.kind === "ok" ? published({ id: answer.value.post_id, permalink: null }) : answer;
    }
    case "video": {
      if (progress.video === null) return rejected("The video was not uploaded.");
      return finish(context, progress.video, finishCall(context, shape.edge, shape.text, progress.video));
    }
  }
}

function finishCall(context: AccountContext, edge: VideoEdge, text: string, video: Uploaded): GraphCall {
  const path = `${context.account.id}/${edge}`;
  if ("session" in video) {
    const form = { upload_phase: "finish", upload_session_id: video.session, description: text };
    return post(context, path, form);
  }
  const form = { upload_phase: "finish", video_id: video.id };
  return post(
    context,
    path,
    edge === "video_stories" ? form : { ...form, video_state: "PUBLISHED", description: text },
  );
}

async function finish(context: AccountContext, video: Uploaded, call: GraphCall): Promise<CommitOutcome> {
  const answer = await act(context, call, Finished);
  if (answer.kind === "ok") return accepted(answer.value.post_id ?? video.id);
  if (answer.kind === "unknown" || answer.reason !== "rejected") return answer;
  // A second `finish` may be refused because the first one, whose answer was lost, had succeeded.
  const found = await findVideo(context, video.id);
  if (found.kind === "found") return accepted(video.id);
  return found.kind === "unknown" ? found : answer;
}

async function confirm(
  context: AccountContext,
  content: Content,
  stored: Json,
  { post: taken }: Accepted,
): Promise<ConfirmOutcome> {
  const shape = shapeOf(content);
  if (shape.kind === "feed" || shape.kind === "photo_story") return { kind: "live", post: taken };
  const videoId = progressOf(stored).video?.id ?? taken.id;
  const raw = await callGraph(context, readVideo(context, videoId));
  // What was accepted a moment ago may not be shown yet.
  if (raw.kind === "answered" && isGone(raw)) return { kind: "processing", afterSeconds: 10 };
  const answer = settle(judge(raw, Video));
  if (answer.kind === "failed") return answer;
  const state = videoState(answer.value);
  if (state.kind === "failed") return { kind: "broken", message: state.message };
  if (!state.isLive) return { kind: "processing", afterSeconds: 5 };
  const live = toPost(context, videoId, answer.value);
  if (content.type !== "story") return { kind: "live", post: live };
  // The address that the video tells is not the story's.
  const link = (await storyLink(context, taken.id)) ?? live.permalink;
  return { kind: "live", post: { id: taken.id, permalink: link } };
}

// --- find, permalink, remove ------------------------------------------------------------------------------------

const find: Publishing["find"] = async (context, content, stored, request) => {
  const shape = shapeOf(content);
  const { photos, video } = progressOf(stored);
  switch (shape.kind) {
    case "failed":
      return shape;
    case "feed":
      return findInFeed(context, { text: shape.item.text, photos }, request);
    case "photo_story":
      return findStory(context, photos[0] ?? null, request);
    case "video": {
      if (video === null) return { kind: "absent" };
      if (shape.edge !== "video_stories") return findVideo(context, video.id);
      // Only the list tells a story's post id, but it lags; the video's status tells whether to wait for it.
      const listed = await findStory(context, video.id, request);
      if (listed.kind !== "absent") return listed;
      const state = await findVideo(context, video.id);
      return state.kind === "found" ? unknown("Facebook does not list the story yet.") : state;
    }
  }
};

async function findVideo(context: AccountContext, videoId: string): Promise<FindOutcome> {
  const raw = await callGraph(context, readVideo(context, videoId));
  if (raw.kind === "answered" && isGone(raw)) return { kind: "absent" };
  const answer = judge(raw, Video);
  if (answer.kind !== "ok") return answer;
  const state = videoState(answer.value);
  // One that could not be processed will never be live: `confirm` tells what is wrong with it.
  if (state.kind === "failed" || state.isLive) return { kind: "found", post: toPost(context, videoId, answer.value) };
  // Before the processing ends, a video that was finished looks like one that was not.
  if (state.isPublishing || state.processing === "in_progress") return unknown("Facebook still processes the video.");
  return { kind: "absent" };
}

const Linked = z.object({ permalink_url: z.string() });

async function permalink(context: AccountContext, { id }: PlatformPost): Promise<string | null> {
  const isPagePost = id.includes("_");
  if (!isPagePost) {
    const story = await storyLink(context, id);
    if (story !== null) return story;
  }
  const answer = await ask(context, read(context, id, { fields: "permalink_url" }), Linked);
  if (answer.kind === "ok") return linkOf(answer.value.permalink_url);
  return isPagePost ? `https://www.facebook.com/${id}` : null;
}

async function remove(context: AccountContext, { id, permalink }: PlatformPost): Promise<RemoveOutcome> {
  // A video is deleted by its own id, which its address holds.
  const videoId = permalink?.match(/\/(?:reel|videos)\/(\d+)/)?.[1];
  const { accessToken: token } = context.credentials;
  const answer = await callGraph(context, { token, method: "DELETE", path: videoId ?? id });
  if (answer.kind === "answered" && isGone(answer)) {
    const check = await callGraph(context, read(context, id, { fields: "id" }));
    if (check.kind === "answered" && isGone(check)) return { kind: "removed" };
  }
  const outcome = settle(judge(answer, Success));
  return outcome.kind === "ok" ? { kind: "removed" } : outcome;
}

function published(post: PlatformPost): CommitOutcome {
  return { kind: "published", post };
}

function accepted(id: string): CommitOutcome {
  return { kind: "accepted", post: { id, permalink: null }, afterSeconds: 3 };
}

function rejected(message: string): Failure {
  return { kind: "failed", reason: "rejected", message };
}

function unknown(message: string): Unknown {
  return { kind: "unknown", message };
}

export const posts: Publishing = {
  lists: {
    lagSeconds: LIST_LAG_SECONDS,
    refusesRepeat: (content) => content.items.some(({ media }) => media.length > 0),
  },
  prepare,
  commit: (context, content, progress) => commit(context, content, progress),
  confirm,
  find,
  permalink,
  remove: (context, _type, post) => remove(context, post),
};
