// rupload.facebook.com: reels and video stories.

import type { MediaFacts } from "../media-probe";
import type { GraphContext } from "../meta/params";
import { fetchUpload, receiveUpload, ruploadHost, UploadError } from "../meta/rupload";
import { meets, operation } from "../operation";
import type { Sandbox } from "../sandbox";
import { findVideo, type VideoRow } from "./store";
import { findToken, misbehaviour } from "./tokens";
import { completeUpload, spoil } from "./video-life";

export function ruploadApp(sandbox: Sandbox) {
  const faults = operation(sandbox, "facebook", "upload", misbehaviour(sandbox));
  return ruploadHost("/video-upload/:version/:id", faults, async (c) => {
    if (new URL(c.req.url).search !== "")
      throw new UploadError("BadRequestError", "No query parameters are known here");
    const video = openVideo(sandbox, c.var.params.access_token, c.req.param("id") ?? "");
    if (meets(c, "reject_media")) throw new UploadError("ProcessingFailedError", "Request processing failed");
    if (meets(c, "processing_failed")) spoil(sandbox, video.id);
    const facts = await receive(sandbox, video.id, c);
    completeUpload(sandbox, findVideo(sandbox, video.id) ?? video, facts);
    return { success: true };
  });
}

function openVideo(sandbox: Sandbox, sent: unknown, id: string): VideoRow {
  const token = typeof sent === "string" ? findToken(sandbox, sent) : null;
  if (!token || token.trouble || token.kind !== "page") {
    throw new UploadError("NotAuthorizedError", "Authorization: OAuth with a working Page token is required");
  }
  const video = findVideo(sandbox, id);
  if (!video || video.page_id !== token.pageId || video.kind === "video") {
    throw new UploadError("NotFoundError", "There is no upload of this id");
  }
  if (video.uploaded_at !== null) throw new UploadError("OffsetInvalidError", "The upload is already complete");
  return video;
}

async function receive(sandbox: Sandbox, id: string, c: GraphContext): Promise<MediaFacts> {
  const url = c.req.header("file_url");
  if (url === undefined) {
    const find = () => findVideo(sandbox, id);
    const { facts } = await receiveUpload(sandbox, c.req.raw, find, ({ blob, received, size }) => {
      const set = "UPDATE facebook_videos SET blob_id = ?, received = ?, file_size = ? WHERE id = ?";
      sandbox.db.run(set, blob, received, size, id);
    });
    return facts;
  }
  if (/(^|\.)fbcdn\.net$/.test(URL.parse(url)?.host ?? "")) {
    throw new UploadError("ProcessingFailedError", "Files on fbcdn are not taken");
  }
  const facts = await fetchUpload(sandbox, url, c.env.origin);
  sandbox.db.run("UPDATE facebook_videos SET url = ? WHERE id = ?", url, id);
  return facts;
}
