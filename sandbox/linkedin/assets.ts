// Images, documents and videos: registered, uploaded to their own URLs, processed.

import { Hono } from "hono";
import { z } from "zod";
import { probe } from "../media-probe";
import { meets, operation } from "../operation";
import { randomText } from "../random";
import type { Sandbox } from "../sandbox";
import { authenticate, endpoint, type LinkedinContext, type LinkedinEnv, misbehaviour } from "./api";
import { complete, LARGEST_VIDEO, statusOf } from "./asset-processing";
import { mayActAs } from "./authors";
import { badInput, denied, marks, notFound, RestError } from "./errors";
import { readJson, readKey, readQuery, readSeveral } from "./input";
import { type AssetKind, type AssetRow, findAsset, keyOf, type PartRow, urnOf } from "./store";

const DAY_MS = 86_400_000;
const WRITERS = ["w_member_social", "w_organization_social"];

const Action = z.object({ action: z.enum(["initializeUpload", "finalizeUpload"]) });
const Owned = z.object({ initializeUploadRequest: z.object({ owner: z.string() }) });
const VideoOwned = z.object({
  initializeUploadRequest: z.object({
    owner: z.string(),
    fileSizeBytes: z.number().int().min(1).max(LARGEST_VIDEO),
    uploadCaptions: z.boolean().optional(),
    uploadThumbnail: z.boolean().optional(),
  }),
});
const Finalize = z.object({
  finalizeUploadRequest: z.object({
    video: z.string(),
    uploadToken: z.string(),
    uploadedPartIds: z.array(z.string()).min(1),
  }),
});

const RESOURCES = { images: "image", documents: "document", videos: "video" } as const;

export function assetRoutes(sandbox: Sandbox) {
  const app = new Hono<LinkedinEnv>();
  for (const resource of ["images", "documents", "videos"] as const) {
    const kind: AssetKind = RESOURCES[resource];
    const upload = endpoint(sandbox, { operation: "upload", resource: `partnerApi${kind}s.ACTION`, scopes: WRITERS });
    app.post(`/rest/${resource}`, ...upload, async (c) => {
      const { action } = readQuery(sandbox, c, Action);
      if (kind !== "video" && action === "finalizeUpload") throw badInput("PARAM_INVALID", "/action", "Unknown action");
      if (action === "finalizeUpload") return finalizeVideo(sandbox, c);
      return c.json({ value: kind === "video" ? await announceVideo(sandbox, c) : await announce(sandbox, c, kind) });
    });
    const status = endpoint(sandbox, {
      operation: "status",
      resource: `partnerApi${kind}s.GET`,
      // Posting scopes allow reading videos; images and documents need a read scope.
      scopes: kind === "video" ? [...WRITERS, "r_organization_social"] : ["r_organization_social"],
    });
    app.get(`/rest/${resource}`, ...status, (c) => {
      if (sandbox.settings.all.linkedin_tier === "development") throw denied(`partnerApi${kind}s.BATCH_GET`);
      readQuery(sandbox, c, z.object({ ids: z.string() }));
      return c.json(readSeveral(c, (urn) => assetView(sandbox, c, ownAsset(sandbox, c, kind, urn))));
    });
    app.get(`/rest/${resource}/:urn`, ...status, (c) => {
      readQuery(sandbox, c, z.object({}));
      return c.json(assetView(sandbox, c, ownAsset(sandbox, c, kind, readKey(c, "urn"))));
    });
  }
  return app;
}

function ownerOf(sandbox: Sandbox, c: LinkedinContext, urn: string): string {
  const owner = keyOf(sandbox, c.var.caller.clientId, urn);
  if (owner === null) throw badInput("INVALID_URN_ID", "/initializeUploadRequest/owner", `${urn} is not known`);
  if (!mayActAs(sandbox, c.var.caller, owner)) throw denied("partnerApiAssets.ACTION");
  return owner;
}

function insertAsset(
  sandbox: Sandbox,
  kind: AssetKind,
  { owner, bytes }: { owner: string; bytes: number | null },
  lifeMs: number,
): string {
  const id = `urn:li:${kind}:${kind === "video" ? "C5" : "C4"}${randomText(18)}`;
  sandbox.db.run(
    "INSERT INTO linkedin_assets (id, kind, owner, bytes, expires_at) VALUES (?, ?, ?, ?, ?)",
    id,
    kind,
    owner,
    bytes,
    sandbox.now() + lifeMs,
  );
  return id;
}

const keyIn = (urn: string) => urn.split(":").at(-1) ?? "";

async function announce(sandbox: Sandbox, c: LinkedinContext, kind: AssetKind) {
  const { owner } = (await readJson(c, Owned)).initializeUploadRequest;
  const lifeMs = sandbox.settings.all.linkedin_upload_url_seconds * 1000;
  const id = insertAsset(sandbox, kind, { owner: ownerOf(sandbox, c, owner), bytes: null }, lifeMs);
  const uploadUrl = `https://www.linkedin.com/dms-uploads/${keyIn(id)}/uploaded-${kind}/0?ca=vector&cn=uploads&sync=0&v=beta`;
  return { uploadUrlExpiresAt: sandbox.now() + lifeMs, uploadUrl, [kind]: id };
}

async function announceVideo(sandbox: Sandbox, c: LinkedinContext) {
  const request = (await readJson(c, VideoOwned)).initializeUploadRequest;
  const { owner, fileSizeBytes, uploadCaptions = false, uploadThumbnail = false } = request;
  const settings = sandbox.settings.all;
  const lifeMs = Math.max(DAY_MS, settings.linkedin_upload_url_seconds * 1000);
  const id = insertAsset(sandbox, "video", { owner: ownerOf(sandbox, c, owner), bytes: fileSizeBytes }, lifeMs);
  const size = settings.linkedin_video_part_bytes;
  const count = Math.ceil(fileSizeBytes / size);
  const uploadInstructions = Array.from({ length: count }, (_, number) => {
    const firstByte = number * size;
    const lastByte = Math.min(fileSizeBytes, firstByte + size) - 1;
    sandbox.db.run(
      "INSERT INTO linkedin_parts (asset_id, number, first_byte, last_byte) VALUES (?, ?, ?, ?)",
      id,
      number,
      firstByte,
      lastByte,
    );
    return { uploadUrl: `https://www.linkedin.com/dms-uploads/${keyIn(id)}/${number}`, firstByte, lastByte };
  });
  const beside = (what: BesideVideo) =>
    `https://www.linkedin.com/dms-uploads/${keyIn(id)}/${what}/0?ca=vector&cn=uploads&sync=0&v=beta`;
  return {
    video: id,
    uploadToken: "",
    uploadUrlsExpireAt: sandbox.now() + lifeMs,
    uploadInstructions,
    ...(uploadCaptions ? { captionsUploadUrl: beside("uploadedCaptions") } : {}),
    ...(uploadThumbnail ? { thumbnailUploadUrl: beside("uploadedThumbnail") } : {}),
  };
}

export function uploadRoutes(sandbox: Sandbox) {
  const app = new Hono<LinkedinEnv>();
  app.use(operation<LinkedinEnv>(sandbox, "linkedin", "upload", misbehaviour(sandbox)));

  for (const kind of ["image", "document"] as const) {
    app.put(`/:key/uploaded-${kind}/0`, async (c) => {
      // The token is checked before the bytes are read.
      authenticate(sandbox, c);
      const asset = openAsset(sandbox, `urn:li:${kind}:${c.req.param("key")}`);
      const bytes = new Uint8Array(await c.req.arrayBuffer());
      if (bytes.length === 0) throw new RestError(411, undefined, "Content-Length is missing");
      if (meets(c, "reject_media")) throw new RestError(400, "INVALID_VALUE_FOR_FIELD", "The file could not be read");
      const blob = sandbox.blobs.create();
      sandbox.blobs.append(blob, bytes);
      complete(sandbox, c, asset, blob);
      return c.body(null, 201, marks());
    });
  }

  for (const what of BESIDE_VIDEO) {
    app.put(`/:key/${what}/0`, async (c) => {
      authenticate(sandbox, c);
      const asset = openAsset(sandbox, `urn:li:video:${c.req.param("key")}`);
      const bytes = new Uint8Array(await c.req.arrayBuffer());
      if (bytes.length === 0) throw new RestError(411, undefined, "Content-Length is missing");
      keepBesideVideo(sandbox, asset, what, bytes);
      return c.body(null, 201, marks());
    });
  }

  app.put("/:key/:part", async (c) => {
    const asset = openAsset(sandbox, `urn:li:video:${c.req.param("key")}`);
    // Documented without the token; some clients send it.
    const isBare = c.req.header("authorization") === undefined;
    if (!isBare && sandbox.settings.all.strict) throw new RestError(400, undefined, "A part of a video takes no token");
    const number = Number(c.req.param("part"));
    const part = sandbox.db.first<PartRow>(
      "SELECT * FROM linkedin_parts WHERE asset_id = ? AND number = ?",
      asset.id,
      number,
    );
    if (!part) throw notFound("upload");
    const bytes = new Uint8Array(await c.req.arrayBuffer());
    const blob = sandbox.blobs.create();
    sandbox.blobs.append(blob, bytes);
    const etag = `"${randomText(32)}"`;
    sandbox.db.run(
      "UPDATE linkedin_parts SET etag = ?, blob_id = ? WHERE asset_id = ? AND number = ?",
      etag,
      blob,
      asset.id,
      number,
    );
    return c.body(null, 200, { etag, ...marks() });
  });

  app.onError((error) =>
    (error instanceof RestError ? error : new RestError(500, undefined, error.message)).toResponse(),
  );
  return app;
}

/**
 * Files that can accompany a video, if requested at registration: an image of at most 2 MB, or subtitles in
 * SRT.
 */
const BESIDE_VIDEO = ["uploadedThumbnail", "uploadedCaptions"] as const;
const LARGEST_THUMBNAIL = 2_097_152;
type BesideVideo = (typeof BESIDE_VIDEO)[number];

function keepBesideVideo(sandbox: Sandbox, { id }: AssetRow, what: BesideVideo, bytes: Uint8Array): void {
  if (what === "uploadedThumbnail" && bytes.length > LARGEST_THUMBNAIL) {
    throw new RestError(400, "INVALID_VALUE_FOR_FIELD", "The thumbnail is larger than 2 MB");
  }
  const blob = sandbox.blobs.create(what === "uploadedCaptions" ? "application/x-subrip" : undefined);
  sandbox.blobs.append(blob, bytes);
  if (what === "uploadedCaptions") {
    sandbox.db.run("UPDATE linkedin_assets SET captions = ? WHERE id = ?", blob, id);
    return;
  }
  const { type } = probe(sandbox.blobs.source(blob));
  if (!/^image\/(jpeg|png)$/.test(type))
    throw new RestError(400, "INVALID_VALUE_FOR_FIELD", "The thumbnail is no JPG or PNG");
  sandbox.blobs.setType(blob, type);
  sandbox.db.run("UPDATE linkedin_assets SET thumbnail = ? WHERE id = ?", blob, id);
}

function openAsset(sandbox: Sandbox, urn: string): AssetRow {
  const asset = findAsset(sandbox, urn);
  if (!asset) throw notFound("upload");
  if (asset.expires_at <= sandbox.now()) throw new RestError(400, "EXPIRED_UPLOAD_URL", "The upload URL has expired");
  return asset;
}

async function finalizeVideo(sandbox: Sandbox, c: LinkedinContext): Promise<Response> {
  const { video, uploadedPartIds } = (await readJson(c, Finalize)).finalizeUploadRequest;
  const asset = ownAsset(sandbox, c, "video", video);
  const wrong = (description: string) => badInput("INVALID_VALUE_FOR_FIELD", "/finalizeUploadRequest", description);
  if (asset.blob_id !== null) throw wrong("The upload is finalized already");
  const parts = sandbox.db.all<PartRow>("SELECT * FROM linkedin_parts WHERE asset_id = ? ORDER BY number", asset.id);
  const bare = (etag: string | null | undefined) => (etag ?? "").replace(/^(?:W\/)?"|"$/g, "");
  const areKnown = parts.every((part, at) => part.etag !== null && bare(part.etag) === bare(uploadedPartIds[at]));
  if (!areKnown || parts.length !== uploadedPartIds.length)
    throw wrong("The part ids are not those of the uploads, in order");
  // If a client sends every part to the first URL, the parts are incomplete.
  const isWhole = ({ blob_id, first_byte, last_byte }: PartRow) =>
    blob_id !== null && sandbox.blobs.size(blob_id) === last_byte - first_byte + 1;
  if (!parts.every(isWhole)) throw wrong("A part does not have the requested bytes");
  if (meets(c, "reject_media")) throw wrong("The video could not be read");
  const blob = sandbox.blobs.create();
  for (const { blob_id, first_byte, last_byte } of parts) {
    sandbox.blobs.append(blob, sandbox.blobs.read(blob_id ?? "", 0, last_byte - first_byte + 1));
  }
  complete(sandbox, c, asset, blob);
  return c.body(null, 200);
}

function ownAsset(sandbox: Sandbox, c: LinkedinContext, kind: AssetKind, urn: string): AssetRow {
  const asset = findAsset(sandbox, urn);
  if (asset?.kind !== kind) throw notFound(kind);
  const isPersons = asset.owner.startsWith("person:");
  // Reading a member's own images and documents needs a scope that is closed to all apps.
  if (!mayActAs(sandbox, c.var.caller, asset.owner) || (isPersons && kind !== "video" && c.req.method === "GET")) {
    throw denied(`partnerApi${kind}s.GET`);
  }
  return asset;
}

function assetView(sandbox: Sandbox, c: LinkedinContext, asset: AssetRow) {
  const status = statusOf(asset, sandbox.now());
  const isThere = status === "AVAILABLE" && asset.blob_id !== null;
  const facts = isThere ? probe(sandbox.blobs.source(asset.blob_id ?? "")) : null;
  return {
    id: asset.id,
    owner: urnOf(c.var.caller.clientId, asset.owner),
    status,
    ...(status === "PROCESSING_FAILED" && asset.kind === "video" ? { processingFailureReason: asset.trouble } : {}),
    ...(isThere
      ? {
          downloadUrl: `${c.env.origin}/_blob/${asset.blob_id}`,
          downloadUrlExpiresAt: sandbox.now() + DAY_MS,
        }
      : {}),
    ...(facts !== null && asset.kind === "video"
      ? { duration: facts.durationMs, aspectRatioWidth: facts.width, aspectRatioHeight: facts.height }
      : {}),
    ...(asset.thumbnail === null ? {} : { thumbnail: `${c.env.origin}/_blob/${asset.thumbnail}` }),
    ...(asset.captions === null ? {} : { captions: `${c.env.origin}/_blob/${asset.captions}` }),
  };
}
