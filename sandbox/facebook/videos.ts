// Publishing of videos, reels and video stories: in one call, as a resumable upload, or in three phases.

import { Hono } from "hono";
import { z } from "zod";
import type { Operation } from "../faults";
import { fetchMedia } from "../media-fetch";
import { type MediaFacts, probe } from "../media-probe";
import { badParameter, GraphError } from "../meta/errors";
import { type JsonObject, project } from "../meta/fields";
import {
  file,
  flag,
  type GraphContext,
  type GraphEnv,
  Listing,
  moment,
  nested,
  parse,
  text,
  wholeNumber,
} from "../meta/params";
import { meets, operation } from "../operation";
import type { Sandbox } from "../sandbox";
import { pageOfToken, publisher, reader } from "./access";
import { pageOf } from "./paging";
import { LocationId, whenLive } from "./publishing";
import { VideoShape } from "./shapes";
import { DAY_MS, type VideoKind, type VideoRow } from "./store";
import { misbehaviour, type Token } from "./tokens";
import {
  announce,
  completeUpload,
  createVideo,
  isSettled,
  ownVideo,
  spoil,
  toPublish,
  whatIsWrong,
} from "./video-life";
import { videoView } from "./video-view";

const CHUNK = 1_048_576;

const About = {
  title: text.optional(),
  description: text.optional(),
  published: flag.optional(),
  scheduled_publish_time: moment.optional(),
  thumb: file.optional(),
  is_ai_generated: flag.optional(),
  targeting: nested(z.unknown()).optional(),
  fields: text.optional(),
};
const WholeVideo = z.object({ file_url: text.optional(), source: file.optional(), ...About });
const Phase = z.enum(["start", "transfer", "finish", "cancel"]);
const StartUpload = z.object({ upload_phase: Phase, file_size: wholeNumber });
const Transfer = z.object({
  upload_phase: Phase,
  upload_session_id: text,
  start_offset: wholeNumber,
  video_file_chunk: file,
});
const FinishUpload = z.object({ upload_phase: Phase, upload_session_id: text, ...About });
const Cancel = z.object({ upload_phase: Phase, upload_session_id: text });
const StartReel = z.object({ upload_phase: z.enum(["start", "finish"]) });
const FinishReel = z.object({
  upload_phase: z.enum(["start", "finish"]),
  video_id: text,
  video_state: z.enum(["PUBLISHED", "DRAFT", "SCHEDULED"]),
  title: text.optional(),
  description: text.optional(),
  place: LocationId.optional(),
  is_ai_generated: flag.optional(),
  scheduled_publish_time: moment.optional(),
});
const FinishStory = z.object({ upload_phase: z.enum(["start", "finish"]), video_id: text });

const phaseOf = (c: GraphContext) => c.var.params.upload_phase;

export function videoRoutes(sandbox: Sandbox) {
  const app = new Hono<GraphEnv>();
  const on = (which: Operation | ((c: GraphContext) => Operation)) =>
    operation<GraphEnv>(sandbox, "facebook", which, misbehaviour(sandbox));

  const videoOperation = (c: GraphContext) =>
    phaseOf(c) === undefined || phaseOf(c) === "finish" ? "publish" : "upload";
  app.post("/:page/videos", on(videoOperation), async (c) => {
    const token = await publisher(sandbox, c, c.req.param("page"));
    switch (phaseOf(c)) {
      case undefined:
        return c.json(await addWhole(sandbox, c, token, parse(c, WholeVideo)));
      case "start":
        return c.json(startUpload(sandbox, token, parse(c, StartUpload).file_size));
      case "transfer":
        return c.json(await transfer(sandbox, c, token, parse(c, Transfer)));
      case "finish":
        return c.json(finishUpload(sandbox, c, token, parse(c, FinishUpload)));
      case "cancel": {
        const video = sessionVideo(sandbox, token, parse(c, Cancel).upload_session_id);
        sandbox.db.run("DELETE FROM facebook_videos WHERE id = ?", video.id);
        return c.json({ success: true });
      }
      default:
        throw badParameter("Param upload_phase must be one of start, transfer, finish, cancel");
    }
  });

  const reelOperation = (c: GraphContext) => (phaseOf(c) === "finish" ? "publish" : "upload");
  for (const [edge, kind] of [
    ["video_reels", "reel"],
    ["video_stories", "story"],
  ] as const) {
    app.post(`/:page/${edge}`, on(reelOperation), async (c) => {
      const token = await publisher(sandbox, c, c.req.param("page"));
      if (phaseOf(c) === "finish") {
        if (kind === "reel") return c.json(finishReel(sandbox, c, token, parse(c, FinishReel)));
        return c.json(finishStory(sandbox, c, token, parse(c, FinishStory).video_id));
      }
      parse(c, StartReel);
      const id = createVideo(sandbox, token, kind, {});
      if (meets(c, "processing_failed") || meets(c, "reject_media")) spoil(sandbox, id);
      return c.json({ video_id: id, upload_url: `https://rupload.facebook.com/video-upload/v27.0/${id}` });
    });
  }

  app.get("/:page/video_reels", on("status"), async (c) => {
    const token = await reader(sandbox, c, c.req.param("page"));
    const { fields, since, until, ...paging } = parse(c, Listing);
    const reels = sandbox.db
      .all<VideoRow>(
        "SELECT * FROM facebook_videos WHERE page_id = ? AND kind = 'reel' ORDER BY created_at DESC, id DESC",
        pageOfToken(token),
      )
      .filter((reel) => {
        if (!reel.is_finished) return false;
        const at = reel.finished_at ?? reel.created_at;
        const isListed = at <= sandbox.now() - sandbox.settings.all.facebook_listing_lag_ms;
        return isListed && reel.created_at >= (since ?? 0) && reel.created_at <= (until ?? Number.MAX_VALUE);
      });
    const view = (reel: VideoRow) => project(videoView(sandbox, reel), VideoShape, fields);
    return c.json(pageOf(sandbox, c, { items: reels, keyOf: (reel) => reel.id, view }, paging));
  });

  return app;
}

async function addWhole(
  sandbox: Sandbox,
  c: GraphContext,
  token: Token,
  input: z.infer<typeof WholeVideo>,
): Promise<JsonObject> {
  if ((input.file_url === undefined) === (input.source === undefined)) {
    throw badParameter("Exactly one of file_url and source is required");
  }
  const timing = whenLive(sandbox, input, 180 * DAY_MS);
  let facts: MediaFacts;
  let blob: string | undefined;
  if (input.source) {
    blob = sandbox.blobs.create();
    sandbox.blobs.append(blob, new Uint8Array(await input.source.arrayBuffer()));
    facts = probe(sandbox.blobs.source(blob));
    sandbox.blobs.setType(blob, facts.type);
  } else {
    const fetched = await fetchMedia(sandbox, input.file_url ?? "", c.env.origin);
    if (!fetched.ok) throw new GraphError(389, `(#389) Unable to fetch video file from URL: ${fetched.reason}`);
    facts = fetched.facts;
  }
  refuseUnreadable(facts);
  if (meets(c, "reject_media")) throw badParameter("Invalid file format", 1349125);
  const known = {
    ...(input.file_url === undefined ? {} : { url: input.file_url }),
    ...(blob === undefined ? {} : { blob }),
  };
  const id = createVideo(sandbox, token, "video", known);
  completeUpload(sandbox, ownVideo(sandbox, token, id), facts);
  announce(sandbox, c, ownVideo(sandbox, token, id), { ...input, timing });
  if (!input.fields) return { id };
  return project(videoView(sandbox, ownVideo(sandbox, token, id)), VideoShape, input.fields);
}

function refuseUnreadable(facts: MediaFacts): void {
  const trouble = whatIsWrong("video", facts);
  if (trouble) throw badParameter(trouble.message, trouble.code);
  if (facts.size < 1000) throw new GraphError(382, "(#382) The video file you tried to upload is too small.");
}

function startUpload(sandbox: Sandbox, token: Token, fileSize: number): JsonObject {
  if (fileSize < 1000) throw new GraphError(382, "(#382) The video file you tried to upload is too small.");
  if (fileSize > 10_737_418_240)
    throw new GraphError(6001, "(#6001) There was a problem uploading your video file: it is too large.");
  const session = String(sandbox.db.next("facebook_sessions", 660_000_000_000_001));
  const id = createVideo(sandbox, token, "video", { session, fileSize, blob: sandbox.blobs.create("video/mp4") });
  return { upload_session_id: session, video_id: id, ...offsets(0, fileSize) };
}

const offsets = (start: number, size: number) => ({
  start_offset: String(start),
  end_offset: String(Math.min(size, start + CHUNK)),
});

function sessionVideo(sandbox: Sandbox, token: Token, session: string): VideoRow {
  const row = sandbox.db.first<VideoRow>("SELECT * FROM facebook_videos WHERE session = ?", session);
  if (!row || row.page_id !== token.pageId) throw badParameter("Invalid upload_session_id", 1363037);
  return row;
}

async function transfer(
  sandbox: Sandbox,
  c: GraphContext,
  token: Token,
  input: z.infer<typeof Transfer>,
): Promise<JsonObject> {
  const chunk = new Uint8Array(await input.video_file_chunk.arrayBuffer());
  const video = sessionVideo(sandbox, token, input.upload_session_id);
  const size = video.file_size ?? 0;
  if (meets(c, "reject_media")) throw badParameter("Invalid file format", 1349125);
  if (meets(c, "processing_failed")) spoil(sandbox, video.id);
  if (input.start_offset !== video.received || video.received + chunk.length > size || chunk.length === 0) {
    const detail = offsets(video.received, size);
    throw new GraphError(6000, "(#6000) There was a problem uploading your video file: wrong offset.", {
      subcode: 1363037,
      detail,
    });
  }
  const received = sandbox.blobs.append(video.blob_id ?? "", chunk);
  sandbox.db.run("UPDATE facebook_videos SET received = ? WHERE id = ?", received, video.id);
  return offsets(received, size);
}

function finishUpload(
  sandbox: Sandbox,
  c: GraphContext,
  token: Token,
  input: z.infer<typeof FinishUpload>,
): JsonObject {
  const video = sessionVideo(sandbox, token, input.upload_session_id);
  if (video.received !== video.file_size || video.blob_id === null) {
    throw new GraphError(6000, "(#6000) There was a problem uploading your video file: it is not complete.");
  }
  if (isSettled(sandbox, video)) return { success: true };
  const timing = whenLive(sandbox, input, 180 * DAY_MS);
  const facts = probe(sandbox.blobs.source(video.blob_id));
  refuseUnreadable(facts);
  if (meets(c, "reject_media")) throw badParameter("Invalid file format", 1349125);
  if (!video.is_finished) completeUpload(sandbox, video, facts);
  announce(sandbox, c, toPublish(sandbox, ownVideo(sandbox, token, video.id)), { ...input, timing });
  return { success: true };
}

function uploaded(sandbox: Sandbox, token: Token, id: string, kind: VideoKind): VideoRow {
  const video = ownVideo(sandbox, token, id);
  if (video.kind !== kind) throw badParameter(`Video ${id} was not started as a ${kind}`);
  if (video.uploaded_at === null) {
    throw new GraphError(6000, "(#6000) There was a problem uploading your video file: nothing was uploaded yet.");
  }
  return video;
}

function finishReel(sandbox: Sandbox, c: GraphContext, token: Token, input: z.infer<typeof FinishReel>): JsonObject {
  const video = uploaded(sandbox, token, input.video_id, "reel");
  if (isSettled(sandbox, video)) return { success: true };
  if (input.video_state === "SCHEDULED" && input.scheduled_publish_time === undefined) {
    throw badParameter("video_state=SCHEDULED needs scheduled_publish_time");
  }
  if (meets(c, "reject_media")) throw badParameter("Invalid file format", 1349125);
  const recent = sandbox.db.first<{ count: number }>(
    "SELECT count(*) AS count FROM facebook_posts WHERE page_id = ? AND kind = 'reel' AND created_at > ?",
    video.page_id,
    sandbox.now() - DAY_MS,
  );
  if ((recent?.count ?? 0) >= sandbox.settings.all.facebook_reels_per_day) {
    throw new GraphError(613, "(#613) Calls to this api have exceeded the rate limit: 30 reels in 24 hours.");
  }
  const timing =
    input.video_state === "SCHEDULED"
      ? whenLive(sandbox, { published: false, scheduled_publish_time: input.scheduled_publish_time }, 29 * DAY_MS)
      : whenLive(sandbox, { published: input.video_state === "PUBLISHED" }, 0);
  announce(sandbox, c, toPublish(sandbox, video), { ...input, timing });
  return { success: true };
}

function finishStory(sandbox: Sandbox, c: GraphContext, token: Token, id: string): JsonObject {
  const video = uploaded(sandbox, token, id, "story");
  if (isSettled(sandbox, video)) return { success: true, post_id: video.post_id };
  if (meets(c, "reject_media")) throw badParameter("Invalid file format", 1349125);
  const postId = announce(sandbox, c, toPublish(sandbox, video), { timing: whenLive(sandbox, {}, 0) });
  return { success: true, ...(postId === null ? {} : { post_id: postId }) };
}
