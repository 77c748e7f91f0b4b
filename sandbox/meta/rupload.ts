// rupload.facebook.com: receives the bytes of a video, or the URL to fetch them from.

import { Hono, type MiddlewareHandler } from "hono";
import { fetchMedia } from "../media-fetch";
import { type MediaFacts, probe } from "../media-probe";
import type { Sandbox } from "../sandbox";
import type { JsonObject } from "./fields";
import type { GraphContext, GraphEnv } from "./params";

export class UploadError extends Error {
  readonly type: string;
  readonly isRetriable: boolean;

  constructor(type: string, message: string, isRetriable = false) {
    super(message);
    this.type = type;
    this.isRetriable = isRetriable;
  }
}

export function ruploadHost(
  path: string,
  faults: MiddlewareHandler<GraphEnv>,
  take: (c: GraphContext) => Promise<JsonObject>,
) {
  const app = new Hono<GraphEnv>();
  app.use(async (c, next) => {
    // This host takes its parameters only from headers, with an authorization scheme of its own.
    const token = /^OAuth (\S+)$/.exec(c.req.header("authorization") ?? "")?.[1];
    c.set("params", token === undefined ? {} : { access_token: token });
    await next();
  });
  app.post(path, faults, async (c) => c.json(await take(c)));
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

/** Fetches the file at the URL. */
export async function fetchUpload(sandbox: Sandbox, url: string, origin: string): Promise<MediaFacts> {
  const fetched = await fetchMedia(sandbox, url, origin);
  if (!fetched.ok) throw new UploadError("ProcessingFailedError", `Could not fetch file_url: ${fetched.reason}`);
  return fetched.facts;
}

interface Unfinished {
  readonly received: number;
  readonly blob_id: string | null;
}

interface Stored {
  readonly blob: string;
  readonly received: number;
  readonly size: number;
}

/** Appends the bytes of a request; throws until the file is complete. `find` runs after they are read. */
export async function receiveUpload(
  sandbox: Sandbox,
  request: Request,
  find: () => Unfinished | null,
  store: (stored: Stored) => void,
): Promise<{ readonly blob: string; readonly facts: MediaFacts }> {
  const [offset, size] = ["offset", "file_size"].map((name) => {
    const value = request.headers.get(name) ?? "";
    if (!/^\d{1,15}$/.test(value)) throw new UploadError("BadRequestError", `The header ${name} must be a number`);
    return Number(value);
  });
  const bytes = new Uint8Array(await request.arrayBuffer());
  const current = find();
  if (!current || offset === undefined || size === undefined || offset !== current.received) {
    throw new UploadError("OffsetInvalidError", `The offset must be ${current?.received ?? 0}`, true);
  }
  if (bytes.length === 0) throw new UploadError("PartialRequestError", "The body is empty", true);
  if (offset + bytes.length > size) throw new UploadError("OffsetInvalidError", "More bytes than file_size says");
  const blob = current.blob_id ?? sandbox.blobs.create("video/mp4");
  const received = sandbox.blobs.append(blob, bytes);
  store({ blob, received, size });
  if (received < size) throw new UploadError("PartialRequestError", `Received ${received} of ${size} bytes`, true);
  return { blob, facts: probe(sandbox.blobs.source(blob)) };
}
