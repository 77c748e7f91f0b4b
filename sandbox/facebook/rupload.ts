// rupload.facebook.com: receives the bytes of reels and video stories, or the URL to fetch them from.

import { Hono } from "hono";
import { fetchMedia } from "../media-fetch";
import { probe } from "../media-probe";
import type { GraphEnv } from "../meta/params";
import { meets, operation } from "../operation";
import type { Sandbox } from "../sandbox";
import { findVideo, type VideoRow } from "./store";
import { findToken, misbehaviour } from "./tokens";
import { completeUpload, spoil } from "./video-life";

class UploadError extends Error {
  readonly type: string;
  readonly isRetriable: boolean;

  constructor(type: string, message: string, isRetriable = false) {
    super(message);
    this.type = type;
    this.isRetriable = isRetriable;
  }
}

export function ruploadApp(sandbox: Sandbox) {
  const app = new Hono<GraphEnv>();
  app.use(async (c, next) => {
    // This host takes its parameters only from headers, with an authorization scheme of its own.
    const token = /^OAuth (\S+)$/.exec(c.req.header("authorization") ?? "")?.[1];
    c.set("params", token === undefined ? {} : { access_token: token });
    await next();
  });

  app.post(
    "/video-upload/:version/:video",
    operation<GraphEnv>(sandbox, "facebook", "upload", misbehaviour(sandbox)),
    async (c) => {
      if (new URL(c.req.url).search !== "")
        throw new UploadError("BadRequestError", "No query parameters are known here");
      const { access_token } = c.var.params;
      const token = typeof access_token === "string" ? findToken(sandbox, access_token) : null;
      if (!token || token.trouble || token.kind !== "page") {
        throw new UploadError("NotAuthorizedError", "Authorization: OAuth with a working Page token is required");
      }
      const video = findVideo(sandbox, c.req.param("video"));
      if (!video || video.page_id !== token.pageId || video.kind === "video") {
        throw new UploadError("NotFoundError", "There is no upload of this id");
      }
      if (video.uploaded_at !== null) throw new UploadError("OffsetInvalidError", "The upload is already complete");
      if (meets(c, "reject_media")) throw new UploadError("ProcessingFailedError", "Request processing failed");
      if (meets(c, "processing_failed")) spoil(sandbox, video.id);
      const url = c.req.header("file_url");
      const current = findVideo(sandbox, video.id) ?? video;
      if (url === undefined) await receive(sandbox, current, c.req.raw);
      else await take(sandbox, current, url, c.env.origin);
      return c.json({ success: true });
    },
  );

  app.notFound((c) => c.json(debugInfo(new UploadError("NotFoundError", "Unknown path")), 404));
  app.onError((error) => {
    const known = error instanceof UploadError ? error : new UploadError("ProcessingFailedError", String(error), true);
    return Response.json(debugInfo(known), { status: known.type === "NotAuthorizedError" ? 401 : 400 });
  });
  return app;
}

const debugInfo = (error: UploadError) => ({
  debug_info: { retriable: error.isRetriable, type: error.type, message: error.message },
});

async function take(sandbox: Sandbox, video: VideoRow, url: string, origin: string): Promise<void> {
  if (/(^|\.)fbcdn\.net$/.test(URL.parse(url)?.host ?? "")) {
    throw new UploadError("ProcessingFailedError", "Files on fbcdn are not taken");
  }
  const fetched = await fetchMedia(sandbox, url, origin);
  if (!fetched.ok) throw new UploadError("ProcessingFailedError", `Could not fetch file_url: ${fetched.reason}`);
  sandbox.db.run("UPDATE facebook_videos SET url = ? WHERE id = ?", url, video.id);
  completeUpload(sandbox, video, fetched.facts);
}

async function receive(sandbox: Sandbox, video: VideoRow, request: Request): Promise<void> {
  const [offset, size] = ["offset", "file_size"].map((name) => {
    const value = request.headers.get(name) ?? "";
    if (!/^\d{1,15}$/.test(value)) throw new UploadError("BadRequestError", `The header ${name} must be a number`);
    return Number(value);
  });
  const bytes = new Uint8Array(await request.arrayBuffer());
  const current = findVideo(sandbox, video.id);
  if (!current || offset === undefined || size === undefined || offset !== current.received) {
    throw new UploadError("OffsetInvalidError", `The offset must be ${current?.received ?? 0}`, true);
  }
  if (bytes.length === 0) throw new UploadError("PartialRequestError", "The body is empty", true);
  if (offset + bytes.length > size) throw new UploadError("OffsetInvalidError", "More bytes than file_size says");
  const blob = current.blob_id ?? sandbox.blobs.create("video/mp4");
  const received = sandbox.blobs.append(blob, bytes);
  sandbox.db.run(
    "UPDATE facebook_videos SET blob_id = ?, received = ?, file_size = ? WHERE id = ?",
    blob,
    received,
    size,
    video.id,
  );
  if (received < size) throw new UploadError("PartialRequestError", `Received ${received} of ${size} bytes`, true);
  completeUpload(sandbox, current, probe(sandbox.blobs.source(blob)));
}
