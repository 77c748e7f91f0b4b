// Video uploads: in a resumable session, or in one request.

import { Hono } from "hono";
import { z } from "zod";
import type { Operation } from "../faults";
import { readRelated } from "../multipart";
import { meets } from "../operation";
import { randomText } from "../random";
import type { Sandbox } from "../sandbox";
import { callerOf, endpoint, faults, partsOf, readJson, UPLOAD, type YoutubeContext, type YoutubeEnv } from "./api";
import { ApiError, signupRequired } from "./errors";
import { checkChannelCap, checkMediaSize, checkMediaType, insertVideo } from "./insert";
import { applied, checkPaidPlacement, readVideoBody } from "./metadata";
import { answerTo, cancel, rangeOf, whatComes } from "./session";
import type { Resource, SessionRow } from "./store";
import { VIDEO_PARTS, videoView } from "./views";

const PARAMS = [
  "part",
  "uploadType",
  "upload_id",
  "upload_protocol",
  "notifySubscribers",
  "stabilize",
  "autoLevels",
  "onBehalfOfContentOwner",
  "onBehalfOfContentOwnerChannel",
];
const PATHS = ["/upload/youtube/v3/videos", "/resumable/upload/youtube/v3/videos"];

export function uploadRoutes(sandbox: Sandbox) {
  const app = new Hono<YoutubeEnv>();
  const insert = endpoint(sandbox, {
    operation: (c) => (c.req.query("uploadType") === "resumable" ? "upload" : "publish"),
    scopes: UPLOAD,
    cost: "upload",
    params: PARAMS,
  });
  for (const path of PATHS) {
    app.post(path, ...insert, async (c) => {
      const parts = partsOf(c, VIDEO_PARTS);
      checkChannelCap(sandbox, c.var.caller.channelId);
      switch (c.req.query("uploadType")) {
        case "resumable":
          return openSession(sandbox, c, parts);
        case "multipart":
          return insertRelated(sandbox, c, parts);
        default:
          // Without a resource there is no title.
          throw new ApiError(400, "invalidTitle", "The request metadata specifies an invalid or empty video title.");
      }
    });
    // The URL itself authorizes the upload; a token sent with it must still be valid.
    const which = (c: YoutubeContext) => operationOf(sandbox, c);
    app.put(path, faults(sandbox, which), async (c) => {
      if (c.req.header("authorization") !== undefined) callerOf(sandbox, c);
      return answerTo(sandbox, c);
    });
    app.delete(path, faults(sandbox, "upload"), (c) => {
      if (c.req.header("authorization") !== undefined) callerOf(sandbox, c);
      return cancel(sandbox, c);
    });
  }
  return app;
}

/** The request that completes the upload publishes; other requests are reads. */
function operationOf(sandbox: Sandbox, c: YoutubeContext): Operation {
  const range = rangeOf(c);
  const { isLast, isQuestion } = whatComes(sandbox, c.req.query("upload_id") ?? "", range);
  if (isLast) return "publish";
  return isQuestion ? "status" : "upload";
}

async function openSession(sandbox: Sandbox, c: YoutubeContext, parts: string[]): Promise<Response> {
  const { strict } = sandbox.settings.all;
  const length = c.req.header("x-upload-content-length");
  const total = length === undefined ? null : Number(length);
  if (total !== null && !Number.isSafeInteger(total)) throw new ApiError(400, "badRequest", "X-Upload-Content-Length");
  const type = c.req.header("x-upload-content-type") ?? "application/octet-stream";
  if (meets(c, "reject_media")) checkMediaType("image/refused");
  checkMediaType(type);
  checkMediaSize(total ?? 0);
  const body = c.req.header("content-length") === "0" ? {} : await readJson(c, z.unknown());
  const resource = applied(readVideoBody(body, parts, strict), null);
  checkPaidPlacement(sandbox, resource, "insert");
  checkConflicts(sandbox, c.var.caller.channelId, resource);
  const id = randomText(60);
  const row: SessionRow = {
    id,
    channel_id: c.var.caller.channelId,
    parts: parts.join(","),
    resource: JSON.stringify(resource),
    total,
    type,
    file_name: c.req.header("slug") ?? "unknown",
    blob_id: sandbox.blobs.create(type),
    created_at: sandbox.now(),
    video_id: null,
    refusal: null,
    trouble: meets(c, "processing_failed") ? "failed:conversion" : null,
  };
  const columns = Object.keys(row);
  sandbox.db.run(
    `INSERT INTO youtube_sessions (${columns.join(", ")}) VALUES (${columns.map(() => "?").join(", ")})`,
    ...Object.values(row),
  );
  const location = new URL(c.req.url);
  location.searchParams.set("upload_id", id);
  return new Response(null, { status: 200, headers: { location: location.href, "x-guploader-uploadid": id } });
}

/** The first attempts to open a session for a video meet a temporary conflict. */
function checkConflicts(sandbox: Sandbox, channelId: string, resource: Resource): void {
  const { youtube_session_conflicts } = sandbox.settings.all;
  if (youtube_session_conflicts === 0) return;
  const row = sandbox.db.first<{ count: number }>(
    `INSERT INTO youtube_conflicts (upload, count) VALUES (?, 1)
     ON CONFLICT (upload) DO UPDATE SET count = count + 1 RETURNING count`,
    `${channelId} ${JSON.stringify(resource)}`,
  );
  if ((row?.count ?? 0) > youtube_session_conflicts) return;
  throw new ApiError(409, "alreadyExists", "Requested entity already exists");
}

/** The whole video with its resource, as Google's own client library sends it. */
async function insertRelated(sandbox: Sandbox, c: YoutubeContext, parts: string[]): Promise<Response> {
  const { channelId } = c.var.caller;
  if (channelId === "") throw signupRequired();
  const [json, media] = (await readRelated(c.req.raw)) ?? [];
  if (!json || !media) throw new ApiError(400, "mediaBodyRequired", "The request does not include the video content.");
  const type = /^content-type:\s*([^\r\n;]+)/im.exec(media.headers)?.[1]?.trim() ?? "application/octet-stream";
  if (meets(c, "reject_media")) checkMediaType("image/refused");
  checkMediaType(type);
  const resource: Resource = applied(
    readVideoBody(JSON.parse(new TextDecoder().decode(json.bytes)), parts, sandbox.settings.all.strict),
    null,
  );
  checkPaidPlacement(sandbox, resource, "insert");
  const blobId = sandbox.blobs.create(type);
  sandbox.blobs.append(blobId, media.bytes);
  const trouble = meets(c, "processing_failed") ? "failed:conversion" : null;
  const video = insertVideo(sandbox, { channelId, resource, blobId, fileName: "unknown", trouble });
  return c.json(videoView(sandbox, video, parts, c.env.origin));
}
