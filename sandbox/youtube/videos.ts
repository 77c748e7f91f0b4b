// Videos (read, update, delete), their categories and their thumbnails.

import { Hono } from "hono";
import { z } from "zod";
import { probe } from "../media-probe";
import { meets } from "../operation";
import type { Sandbox } from "../sandbox";
import {
  endpoint,
  given,
  listParam,
  MANAGE,
  partsOf,
  READ,
  readJson,
  UPLOAD,
  type YoutubeContext,
  type YoutubeEnv,
} from "./api";
import { ApiError, forbidden, invalidValue, missingParameter, oneFilter, videoNotFound } from "./errors";
import { applied, CATEGORIES, checkPaidPlacement, readVideoBody } from "./metadata";
import { findVideo, isShort, privacyNow, resourceOf, saveVideo, type VideoRow } from "./store";
import { etag, OWNER_PARTS, thumbnails, VIDEO_PARTS, videoView, videoViews } from "./views";

const LARGEST_THUMBNAIL = 52_428_800;
const MOST_IDS = 50;

export function videoRoutes(sandbox: Sandbox) {
  const app = new Hono<YoutubeEnv>();
  const list = endpoint(sandbox, {
    operation: "status",
    scopes: READ,
    cost: 1,
    params: ["part", "id", "chart", "myRating", "maxResults", "pageToken", "hl", "maxHeight", "maxWidth", "regionCode"],
  });
  app.get("/youtube/v3/videos", ...list, (c) => {
    const parts = partsOf(c, VIDEO_PARTS);
    const filters = given(c, ["id", "chart", "myRating"]);
    if (filters.length !== 1 || filters[0] !== "id") throw oneFilter(["id"]);
    const ids = listParam(c, "id");
    if (ids.length > MOST_IDS) throw invalidValue("id", `At most ${MOST_IDS} ids can be given.`);
    const fault = meets(c, "processing_failed") || meets(c, "reject_media") ? "failed:conversion" : null;
    const found = ids.flatMap((id) => visible(sandbox, c, id) ?? []);
    const owners = OWNER_PARTS.filter((part) => parts.includes(part));
    if (owners.length > 0 && found.some((video) => video.channel_id !== c.var.caller.channelId)) {
      throw forbidden("The request cannot access user rating information.", "youtube.video");
    }
    const videos = fault === null ? found : found.map((video) => saveVideo(sandbox, { ...video, trouble: fault }));
    return c.json({
      kind: "youtube#videoListResponse",
      etag: etag(...ids, parts.join()),
      items: videoViews(sandbox, videos, parts, c.env.origin),
      pageInfo: { totalResults: videos.length, resultsPerPage: videos.length },
    });
  });

  const update = endpoint(sandbox, { operation: "publish", scopes: MANAGE, cost: 50, params: ["part"] });
  app.put("/youtube/v3/videos", ...update, async (c) => {
    const parts = partsOf(c, VIDEO_PARTS);
    const body = readVideoBody(await readJson(c, z.unknown()), parts, sandbox.settings.all.strict);
    const video = ownVideo(sandbox, c, body.id ?? "");
    const resource = applied(body, resourceOf(video));
    checkPaidPlacement(sandbox, resource, "update");
    const changed = saveVideo(sandbox, { ...video, resource: JSON.stringify(resource) });
    return c.json(videoView(sandbox, changed, parts, c.env.origin));
  });

  const remove = endpoint(sandbox, { operation: "delete", scopes: MANAGE, cost: 50, params: ["id"] });
  app.delete("/youtube/v3/videos", ...remove, (c) => {
    const id = c.req.query("id");
    if (!id) throw missingParameter("id");
    const video = ownVideo(sandbox, c, id);
    sandbox.db.run("DELETE FROM youtube_videos WHERE id = ?", video.id);
    sandbox.db.run("DELETE FROM youtube_comments WHERE video_id = ?", video.id);
    return c.body(null, 204);
  });

  const categories = endpoint(sandbox, {
    operation: null,
    scopes: READ,
    cost: 1,
    params: ["part", "regionCode", "id", "hl"],
    needsChannel: false,
  });
  app.get("/youtube/v3/videoCategories", ...categories, (c) => {
    partsOf(c, ["id", "snippet"]);
    if (given(c, ["regionCode", "id"]).length !== 1) throw oneFilter(["regionCode", "id"]);
    const ids = listParam(c, "id");
    const wanted = Object.entries(CATEGORIES).filter(([id]) => ids.length === 0 || ids.includes(id));
    const items = wanted.map(([id, [title, assignable]]) => ({
      kind: "youtube#videoCategory",
      etag: etag(id, title),
      id,
      snippet: { title, assignable, channelId: "UCBR8-60-B28hp2BmDPdntcQ" },
    }));
    return c.json({ kind: "youtube#videoCategoryListResponse", etag: etag(items.length), items });
  });

  const thumbnail = endpoint(sandbox, {
    operation: "upload",
    scopes: UPLOAD,
    cost: 50,
    params: ["videoId", "uploadType", "onBehalfOfContentOwner"],
  });
  app.post("/upload/youtube/v3/thumbnails/set", ...thumbnail, (c) => setThumbnail(sandbox, c));
  return app;
}

/** The video as the caller may see it. Only owners see private videos; a new one is not found for a while. */
function visible(sandbox: Sandbox, c: YoutubeContext, id: string): VideoRow | null {
  const video = findVideo(sandbox, id);
  const now = sandbox.now();
  if (!video || video.created_at + sandbox.settings.all.youtube_replication_lag_ms > now) return null;
  const isOwn = video.channel_id === c.var.caller.channelId;
  return isOwn || privacyNow(resourceOf(video), now) !== "private" ? video : null;
}

function ownVideo(sandbox: Sandbox, c: YoutubeContext, id: string): VideoRow {
  const video = visible(sandbox, c, id);
  if (!video) throw videoNotFound();
  if (video.channel_id !== c.var.caller.channelId) {
    throw forbidden("The request is not properly authorized for this video.", "youtube.video");
  }
  return video;
}

/** Raw bytes, identified by their content. */
async function setThumbnail(sandbox: Sandbox, c: YoutubeContext): Promise<Response> {
  const video = ownVideo(sandbox, c, c.req.query("videoId") ?? "");
  if (sandbox.settings.all.youtube_thumbnails === "unverified") {
    throw forbidden(
      "The authenticated user doesn't have permissions to upload and set custom video thumbnails.",
      "youtube.thumbnail",
    );
  }
  const problem = (reason: string, message: string) =>
    new ApiError(400, reason, message, { domain: "youtube.thumbnail" });
  if (isShort(video) && video.ready_at > sandbox.now()) {
    throw problem("failedPrecondition", "The video is still being processed.");
  }
  const bytes = new Uint8Array(await c.req.raw.arrayBuffer());
  if (bytes.length === 0) throw problem("mediaBodyRequired", "The request does not include the image content.");
  if (bytes.length > LARGEST_THUMBNAIL) throw problem("failedPrecondition", "The image is too large.");
  const blobId = sandbox.blobs.create();
  sandbox.blobs.append(blobId, bytes);
  const { type } = probe(sandbox.blobs.source(blobId));
  if (meets(c, "reject_media") || (type !== "image/jpeg" && type !== "image/png")) {
    throw problem("invalidImage", "The provided image content is invalid.");
  }
  sandbox.blobs.setType(blobId, type);
  const changed = saveVideo(sandbox, { ...video, thumbnail: blobId });
  const items = [thumbnails(changed, c.env.origin)];
  return c.json({ kind: "youtube#thumbnailSetResponse", etag: etag(blobId), items });
}
