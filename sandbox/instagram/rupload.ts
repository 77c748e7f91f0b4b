// rupload.facebook.com/ig-api-upload: receives the bytes of a container's video, or the URL to fetch it from.

import { Hono } from "hono";
import { blobPath } from "../blobs";
import { fetchMedia } from "../media-fetch";
import { probe } from "../media-probe";
import type { GraphEnv } from "../meta/params";
import { meets, operation } from "../operation";
import type { Sandbox } from "../sandbox";
import { fillContainer } from "./containers";
import { faultOfVideo } from "./files";
import { type ContainerRow, findAccount, findContainer } from "./store";
import { findToken, misbehaviour, opens } from "./tokens";

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
    "/ig-api-upload/:version/:container",
    operation<GraphEnv>(sandbox, "instagram", "upload", misbehaviour(sandbox)),
    async (c) => {
      const container = openContainer(sandbox, c.var.params.access_token, c.req.param("container"));
      if (meets(c, "reject_media")) throw new UploadError("ProcessingFailedError", "Request processing failed");
      const isSpoilt = meets(c, "processing_failed");
      const url = c.req.header("file_url");
      if (url === undefined) await receive(sandbox, container, c.req.raw, isSpoilt);
      else await take(sandbox, container, { url, origin: c.env.origin }, isSpoilt);
      return c.json({ success: true, message: "Upload successful." });
    },
  );
  app.notFound((c) => c.json(debugInfo(new UploadError("NotFoundError", "Unknown path")), 404));
  app.onError((error) => {
    const known = error instanceof UploadError ? error : new UploadError("ProcessingFailedError", String(error), true);
    return Response.json(debugInfo(known), { status: known.type === "NotAuthorizedError" ? 401 : 400 });
  });
  return app;
}

const debugInfo = ({ isRetriable, type, message }: UploadError) => ({
  debug_info: { retriable: isRetriable, type, message },
});

function openContainer(sandbox: Sandbox, sent: unknown, id: string): ContainerRow {
  const token = typeof sent === "string" ? findToken(sandbox, sent) : null;
  if (!token || token.trouble || token.login !== "facebook") {
    throw new UploadError("NotAuthorizedError", "Authorization: OAuth with a working token is required");
  }
  const container = findContainer(sandbox, id);
  const account = container && findAccount(sandbox, container.account_id);
  if (!container || !account || !opens(token, account))
    throw new UploadError("NotFoundError", "There is no such upload");
  if (container.ready_at !== null) throw new UploadError("OffsetInvalidError", "The upload is already complete");
  return container;
}

async function take(
  sandbox: Sandbox,
  { id, kind }: ContainerRow,
  { url, origin }: { url: string; origin: string },
  isSpoilt: boolean,
): Promise<void> {
  const fetched = await fetchMedia(sandbox, url, origin);
  if (!fetched.ok) throw new UploadError("ProcessingFailedError", `Could not fetch file_url: ${fetched.reason}`);
  fillContainer(sandbox, id, url, isSpoilt ? 2207026 : faultOfVideo(kind, fetched.facts));
}

async function receive(
  sandbox: Sandbox,
  { id, kind }: ContainerRow,
  request: Request,
  isSpoilt: boolean,
): Promise<void> {
  const [offset, size] = ["offset", "file_size"].map((name) => {
    const value = request.headers.get(name) ?? "";
    if (!/^\d{1,15}$/.test(value)) throw new UploadError("BadRequestError", `The header ${name} must be a number`);
    return Number(value);
  });
  const bytes = new Uint8Array(await request.arrayBuffer());
  const current = findContainer(sandbox, id);
  if (!current || offset === undefined || size === undefined || offset !== current.received) {
    throw new UploadError("OffsetInvalidError", `The offset must be ${current?.received ?? 0}`, true);
  }
  if (bytes.length === 0) throw new UploadError("PartialRequestError", "The body is empty", true);
  if (offset + bytes.length > size) throw new UploadError("OffsetInvalidError", "More bytes than file_size says");
  const blob = current.blob_id ?? sandbox.blobs.create("video/mp4");
  const received = sandbox.blobs.append(blob, bytes);
  sandbox.db.run("UPDATE instagram_containers SET blob_id = ?, received = ? WHERE id = ?", blob, received, id);
  if (received < size) throw new UploadError("PartialRequestError", `Received ${received} of ${size} bytes`, true);
  const facts = probe(sandbox.blobs.source(blob));
  sandbox.blobs.setType(blob, facts.type);
  fillContainer(sandbox, id, blobPath(blob), isSpoilt ? 2207026 : faultOfVideo(kind, facts));
}
