import { MINUTE } from "../../core/time.ts";
import { interpretRead } from "../answers.ts";
import type { AccountContext, Json } from "../context.ts";
import { down, okAs, unknown } from "../outcomes.ts";
import type {
  Accepted,
  CommitOutcome,
  ConfirmOutcome,
  Content,
  PlatformPost,
  PrepareOutcome,
  Publishing,
  RemoveOutcome,
} from "../publishing.ts";
import { Done, isGone, read, request } from "./api.ts";
import { YOUTUBE } from "./errors.ts";
import { find } from "./find.ts";
import { declarePaid } from "./paid-placement.ts";
import { addToPlaylist } from "./playlist.ts";
import { setThumbnail } from "./thumbnail.ts";
import { advance, finish, publicationOf, uploadOf } from "./upload.ts";
import { stateOf, toPost, Videos } from "./video.ts";

/**
 * Publishing to YouTube: one video. Upload: upload.ts and session.ts. Lost answers: find.ts.
 *
 * YouTube accepts a video before it is public: it processes the file, and may still refuse it. A video that
 * YouTube does not show was deleted, or is very new.
 */

/** Reads by id may miss a new video for some minutes. */
const LIST_LAG_SECONDS = 600;
/** A session may end with its video, which the list shows seconds later. */
const USUAL_LAG_SECONDS = 30;
/** Seconds between checks of a video: short videos are ready soon, and every check costs quota. */
const MIN_WAIT = 5;
const MAX_WAIT = 300;

async function prepare(context: AccountContext, content: Content, stored: Json | null): Promise<PrepareOutcome> {
  const publication = publicationOf(content);
  if (publication.kind === "failed") return publication;
  const step = await advance(context, content, publication, uploadOf(stored));
  if (step.kind === "failed") return step;
  const { upload, ...outcome } = step;
  return { ...outcome, progress: upload };
}

async function commit(context: AccountContext, content: Content, stored: Json): Promise<CommitOutcome> {
  const publication = publicationOf(content);
  if (publication.kind === "failed") return publication;
  const { file } = publication;
  const stand = await finish(context, content, file, uploadOf(stored));
  switch (stand.kind) {
    case "whole": {
      const post = toPost(stand.video.id, content.type === "reel");
      return stateOf(stand.video).kind === "live"
        ? { kind: "published", post }
        : { kind: "accepted", post, afterSeconds: MIN_WAIT };
    }
    case "partial":
      if (stand.next >= file.bytes) return unknown("YouTube has the whole video, but does not report its outcome.");
      return down("YouTube did not accept the end of the video.");
    case "gone":
      return unknown("YouTube no longer knows the upload.");
    default:
      return stand;
  }
}

async function confirm(
  context: AccountContext,
  _content: Content,
  _stored: Json,
  { post, since }: Accepted,
): Promise<ConfirmOutcome> {
  const query = { part: "status,processingDetails", id: post.id };
  const answer = await read(context, "videos", query, Videos);
  if (answer.kind === "failed") return answer;
  const waitedMs = context.now - since;
  const wait = { kind: "processing", afterSeconds: waitSeconds(waitedMs) } as const;
  const video = answer.value.items?.find(({ id }) => id === post.id);
  if (!video) {
    const message = "YouTube no longer has the video: it was deleted while YouTube processed it.";
    return waitedMs < LIST_LAG_SECONDS * 1000 ? wait : { kind: "broken", code: "platform_rejected", message };
  }
  const state = stateOf(video);
  switch (state.kind) {
    case "live":
      return { kind: "live", post };
    case "processing":
      return wait;
    case "broken":
      return state;
  }
}

/** An eighth of the time waited so far. */
function waitSeconds(waitedMs: number): number {
  return Math.min(MAX_WAIT, Math.max(MIN_WAIT, Math.round((7.5 * waitedMs) / MINUTE)));
}

async function remove(context: AccountContext, { id }: PlatformPost): Promise<RemoveOutcome> {
  const answer = await request(context, { method: "DELETE", path: "videos", query: { id } });
  if (isGone(answer)) return { kind: "removed" };
  return okAs(interpretRead(YOUTUBE, answer, Done, context.now), "removed");
}

export const posts: Publishing = {
  lists: {
    lagSeconds: LIST_LAG_SECONDS,
    usualLagSeconds: USUAL_LAG_SECONDS,
    // A session creates one video: repeating its last bytes returns the same answer.
    refusesRepeat: () => true,
  },
  prepare,
  commit: (context, content, progress) => commit(context, content, progress),
  confirm,
  find,
  permalink: {
    shown: "at_once",
    read: async (_context, { id }) => ({ kind: "found", post: toPost(id, false) }),
  },
  remove: (context, _type, post) => remove(context, post),
  afterwards: { paid_partnership: declarePaid, cover_url: setThumbnail, playlist_id: addToPlaylist },
};
