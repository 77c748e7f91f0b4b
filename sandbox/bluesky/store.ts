// Tables, rows and ids of the simulated network: accounts on several servers, sessions, records, files.

import { z } from "zod";
import type { Sandbox } from "../sandbox";

export const BLUESKY_TABLES = `
  CREATE TABLE IF NOT EXISTS bluesky_accounts (
    id TEXT PRIMARY KEY, handle TEXT NOT NULL UNIQUE, name TEXT NOT NULL, server TEXT NOT NULL,
    is_account INTEGER NOT NULL);
  CREATE TABLE IF NOT EXISTS bluesky_requests (
    id TEXT PRIMARY KEY, issuer TEXT NOT NULL, redirect_uri TEXT NOT NULL, state TEXT NOT NULL, scopes TEXT NOT NULL,
    challenge TEXT NOT NULL, jkt TEXT NOT NULL, kid TEXT NOT NULL, hint TEXT, expires_at INTEGER NOT NULL);
  CREATE TABLE IF NOT EXISTS bluesky_sessions (
    id INTEGER PRIMARY KEY AUTOINCREMENT, did TEXT NOT NULL, issuer TEXT NOT NULL, scopes TEXT NOT NULL,
    jkt TEXT NOT NULL, kid TEXT NOT NULL, is_dead INTEGER NOT NULL DEFAULT 0, created_at INTEGER NOT NULL);
  CREATE TABLE IF NOT EXISTS bluesky_codes (
    id TEXT PRIMARY KEY, session_id INTEGER NOT NULL, redirect_uri TEXT NOT NULL, challenge TEXT NOT NULL,
    expires_at INTEGER NOT NULL, is_used INTEGER NOT NULL DEFAULT 0);
  CREATE TABLE IF NOT EXISTS bluesky_tokens (
    id TEXT PRIMARY KEY, session_id INTEGER NOT NULL, kind TEXT NOT NULL, expires_at INTEGER NOT NULL,
    is_used INTEGER NOT NULL DEFAULT 0);
  CREATE TABLE IF NOT EXISTS bluesky_proof_ids (id TEXT PRIMARY KEY, at INTEGER NOT NULL);
  CREATE TABLE IF NOT EXISTS bluesky_files (
    did TEXT NOT NULL, cid TEXT NOT NULL, type TEXT NOT NULL, size INTEGER NOT NULL, blob_id TEXT NOT NULL,
    PRIMARY KEY (did, cid));
  CREATE TABLE IF NOT EXISTS bluesky_records (
    id TEXT PRIMARY KEY, server TEXT NOT NULL, did TEXT NOT NULL, cid TEXT NOT NULL, record TEXT NOT NULL,
    parent TEXT, root TEXT, is_comment INTEGER NOT NULL, created_at INTEGER NOT NULL);
  CREATE INDEX IF NOT EXISTS bluesky_records_by_root ON bluesky_records (root);
  CREATE INDEX IF NOT EXISTS bluesky_records_by_parent ON bluesky_records (parent);
  CREATE TABLE IF NOT EXISTS bluesky_marks (
    id TEXT PRIMARY KEY, server TEXT NOT NULL, did TEXT NOT NULL, collection TEXT NOT NULL, subject TEXT NOT NULL,
    cid TEXT NOT NULL, record TEXT NOT NULL, created_at INTEGER NOT NULL);
  CREATE INDEX IF NOT EXISTS bluesky_marks_by_subject ON bluesky_marks (subject, collection);
  CREATE TABLE IF NOT EXISTS bluesky_points (
    did TEXT PRIMARY KEY, started_at INTEGER NOT NULL, used INTEGER NOT NULL);
`;

/**
 * The servers. The first two are Bluesky's, whose accounts sign in at one place; the last signs in its own.
 */
export const ENTRYWAY = "bsky.social";
export const SERVERS = [
  "morel.us-east.host.bsky.network",
  "enoki.us-east.host.bsky.network",
  "pds.harbour.social",
] as const;
export type Server = (typeof SERVERS)[number];
const OWN_SERVER: Server = "pds.harbour.social";

export const isServer = (host: string): host is Server => SERVERS.some((one) => one === host);
/** Where accounts of a server sign in. */
export const issuerOf = (server: string) => `https://${server === OWN_SERVER ? server : ENTRYWAY}`;

export type AccountRow = { id: string; handle: string; name: string; server: Server; is_account: number };
export type SessionRow = {
  id: number;
  did: string;
  issuer: string;
  scopes: string;
  jkt: string;
  kid: string;
  is_dead: number;
  created_at: number;
};
export type FileRow = { did: string; cid: string; type: string; size: number; blob_id: string };
export type RecordRow = {
  /** The address of the record. */
  id: string;
  server: string;
  did: string;
  cid: string;
  record: string;
  parent: string | null;
  root: string | null;
  is_comment: number;
  created_at: number;
};

export const COLLECTION = "app.bsky.feed.post";
export const addressOf = (did: string, key: string, collection = COLLECTION) => `at://${did}/${collection}/${key}`;
export const keyOf = (address: string) => address.slice(address.lastIndexOf("/") + 1);

export const findAccount = (sandbox: Sandbox, did: string) =>
  sandbox.db.first<AccountRow>("SELECT * FROM bluesky_accounts WHERE id = ?", did);
export const findHandle = (sandbox: Sandbox, handle: string) =>
  sandbox.db.first<AccountRow>("SELECT * FROM bluesky_accounts WHERE handle = ?", handle.toLowerCase());
export const listAccounts = (sandbox: Sandbox) =>
  sandbox.db.all<AccountRow>("SELECT * FROM bluesky_accounts WHERE is_account = 1 ORDER BY rowid");
export const findRecord = (sandbox: Sandbox, id: string) =>
  sandbox.db.first<RecordRow>("SELECT * FROM bluesky_records WHERE id = ?", id);

/** The records of a collection whose keys come before one, the newest key first. */
export const listRecords = (
  sandbox: Sandbox,
  { host, prefix, before, limit }: { host: string; prefix: string; before: string; limit: number },
): RecordRow[] =>
  sandbox.db.all<RecordRow>(
    "SELECT * FROM bluesky_records WHERE server = ? AND id > ? AND id < ? ORDER BY id DESC LIMIT ?",
    host,
    prefix,
    before,
    limit,
  );
export const findFile = (sandbox: Sandbox, did: string, cid: string) =>
  sandbox.db.first<FileRow>("SELECT * FROM bluesky_files WHERE did = ? AND cid = ?", did, cid);

/** Where the directory says that the account lives. */
export function homeOf(sandbox: Sandbox, { server }: AccountRow): string {
  if (!sandbox.settings.all.bluesky_moved) return server;
  return SERVERS[(SERVERS.indexOf(server) + 1) % SERVERS.length] ?? server;
}

export function killSession(sandbox: Sandbox, id: number): void {
  sandbox.db.run("UPDATE bluesky_sessions SET is_dead = 1 WHERE id = ?", id);
}

const PLC = "abcdefghijklmnopqrstuvwxyz234567";

export function newDid(sandbox: Sandbox): string {
  let rest = sandbox.db.next("bluesky_dids", 1);
  let text = "";
  while (text.length < 8) {
    text = (PLC[rest % 32] ?? "a") + text;
    rest = Math.floor(rest / 32);
  }
  return `did:plc:sandboxsandboxaa${text}`;
}

const TID = "234567abcdefghijklmnopqrstuvwxyz";
export const RECORD_KEY = /^[2-7a-j][2-7a-z]{12}$/;

/** A record key of this time. */
export function newTid(sandbox: Sandbox, at: number = sandbox.now()): string {
  let rest = (BigInt(at) * 1000n) << 10n;
  rest |= BigInt(sandbox.db.next("bluesky_tids", 1) % 1024);
  let text = "";
  for (; text.length < 13; rest >>= 5n) text = (TID[Number(rest & 31n)] ?? "") + text;
  return text;
}

const Reference = z.object({ uri: z.string(), cid: z.string() });
const FileLink = z.looseObject({
  $type: z.literal("blob"),
  ref: z.object({ $link: z.string() }),
  mimeType: z.string(),
  size: z.number().int(),
});
export type FileLink = z.infer<typeof FileLink>;
const Ratio = z.object({ width: z.number().int().min(1), height: z.number().int().min(1) });

/** The embeds that clients show; others are stored and not shown. */
const Embed = z.discriminatedUnion("$type", [
  z.looseObject({
    $type: z.literal("app.bsky.embed.images"),
    images: z.array(z.looseObject({ image: FileLink, alt: z.string(), aspectRatio: Ratio.optional() })).max(4),
  }),
  z.looseObject({
    $type: z.literal("app.bsky.embed.gallery"),
    items: z
      .array(
        z.looseObject({
          $type: z.literal("app.bsky.embed.gallery#image"),
          image: FileLink,
          alt: z.string(),
          aspectRatio: Ratio,
        }),
      )
      .max(20),
  }),
  z.looseObject({
    $type: z.literal("app.bsky.embed.video"),
    video: FileLink,
    alt: z.string().max(1000).optional(),
    aspectRatio: Ratio.optional(),
  }),
  z.looseObject({
    $type: z.literal("app.bsky.embed.external"),
    external: z.looseObject({ uri: z.url(), title: z.string(), description: z.string(), thumb: FileLink.optional() }),
  }),
]);

export const PostRecord = z.looseObject({
  $type: z.literal(COLLECTION),
  text: z.string(),
  createdAt: z.string(),
  langs: z
    .array(z.string().regex(/^[a-z]{2,3}(-[a-z0-9]+)*$/i))
    .max(3)
    .optional(),
  facets: z
    .array(
      z.looseObject({
        index: z.object({ byteStart: z.number().int().min(0), byteEnd: z.number().int().min(0) }),
        features: z.array(z.looseObject({ $type: z.string(), did: z.string().startsWith("did:").optional() })),
      }),
    )
    .optional(),
  reply: z.object({ root: Reference, parent: Reference }).optional(),
  embed: Embed.optional(),
});
export type PostRecord = z.infer<typeof PostRecord>;

export interface ShownFile {
  readonly file: FileLink;
  readonly alt: string | null;
  readonly kind: "image" | "video" | "thumb";
  readonly path: readonly PropertyKey[];
}

export function filesOf({ embed }: PostRecord): ShownFile[] {
  switch (embed?.$type) {
    case "app.bsky.embed.images":
      return embed.images.map(({ image, alt }, index) => ({
        file: image,
        alt: alt === "" ? null : alt,
        kind: "image",
        path: ["embed", "images", index, "image"],
      }));
    case "app.bsky.embed.gallery":
      // The index shows ten.
      return embed.items.slice(0, 10).map(({ image, alt }, index) => ({
        file: image,
        alt: alt === "" ? null : alt,
        kind: "image",
        path: ["embed", "items", index, "image"],
      }));
    case "app.bsky.embed.video":
      return [{ file: embed.video, alt: embed.alt ?? null, kind: "video", path: ["embed", "video"] }];
    case "app.bsky.embed.external":
      if (!embed.external.thumb) return [];
      return [{ file: embed.external.thumb, alt: null, kind: "thumb", path: ["embed", "external", "thumb"] }];
    default:
      return [];
  }
}
