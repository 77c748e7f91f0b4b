// A server that holds accounts: its methods, each with a proof, and the network's index behind it.

import { Hono, type MiddlewareHandler } from "hono";
import { z } from "zod";
import { followersAt } from "../books";
import type { Operation } from "../faults";
import { probe } from "../media-probe";
import { meets, operation } from "../operation";
import type { Sandbox } from "../sandbox";
import { fileCid, recordCid } from "./cids";
import {
  accessTokenOf,
  type BlueskyContext,
  type BlueskyEnv,
  invalid,
  limited,
  misbehaviour,
  XrpcError,
} from "./errors";
import { checkedPost } from "./lexicon";
import { COLLECTIONS, deleteMark, findMark, putMark } from "./marks";
import { ALGORITHMS } from "./oauth";
import { NotProven, nonceOf, proven } from "./proofs";
import { insertRecord } from "./records";
import {
  addressOf,
  COLLECTION,
  filesOf,
  findAccount,
  findFile,
  findRecord,
  listRecords,
  PostRecord,
  RECORD_KEY,
} from "./store";
import { postViews, threadView } from "./views";

const HOUR = 3_600_000;
const MAX_POINTS = 5_000;
/** The most posts of one look-up. */
const MOST_POSTS = 25;

export function serverRoutes(sandbox: Sandbox, host: string) {
  const app = new Hono<BlueskyEnv>();
  app.use(async (c, next) => {
    await next();
    c.res.headers.set("dpop-nonce", await nonceOf(host, sandbox.now()));
  });
  const faulty = (of: Operation | null) => operation<BlueskyEnv>(sandbox, "bluesky", of, misbehaviour(sandbox));
  const own = signedIn(sandbox, host);

  // Without a sign-in. Versions before 0.4.218 take pictures of one megabyte.
  app.get("/xrpc/_health", faulty(null), (c) =>
    c.json({ version: sandbox.settings.all.bluesky_image_max_bytes < 2_000_000 ? "0.4.217" : "0.5.35" }),
  );

  app.get("/xrpc/com.atproto.server.getSession", faulty(null), own, (c) => {
    const account = findAccount(sandbox, c.var.caller.did);
    return c.json({
      did: c.var.caller.did,
      handle: account?.handle,
      ...(sandbox.settings.all.bluesky_deactivated ? { active: false, status: "deactivated" } : { active: true }),
    });
  });

  app.post("/xrpc/com.atproto.repo.uploadBlob", faulty("upload"), own, active(sandbox), async (c) => {
    if (!c.req.header("content-type")) throw invalid("Request encoding (Content-Type) required but not provided");
    const bytes = new Uint8Array(await c.req.arrayBuffer());
    if (bytes.length > sandbox.settings.all.bluesky_blob_max_bytes)
      throw new XrpcError(413, "PayloadTooLarge", "request entity too large");
    if (meets(c, "reject_media")) throw new XrpcError(400, "InvalidMimeType", "The file could not be read");
    return c.json({ blob: await store(sandbox, c.var.caller.did, bytes, c.req.header("content-type") ?? "") });
  });

  app.post("/xrpc/com.atproto.repo.putRecord", faulty("publish"), own, active(sandbox), async (c) => {
    const { repo, collection, rkey, swapRecord, record } = await write(c, Put);
    const did = c.var.caller.did;
    if (repo !== did) throw new XrpcError(403, "AccountNotFound", "Account not found");
    if (!RECORD_KEY.test(rkey)) {
      throw invalid(`Invalid record key for ${collection}: Invalid TID string (got "${rkey}") at $`);
    }
    const cid = await recordCid(record);
    usePoints(sandbox, did, 2);
    const id = addressOf(did, rkey, collection);
    const there = collection === COLLECTION ? findRecord(sandbox, id) : findMark(sandbox, id);
    // The same record is there already: answered, and nothing is written.
    if (there?.cid === cid) return c.json({ uri: id, cid, validationStatus: "valid" });
    if (swapRecord !== (there?.cid ?? null))
      throw new XrpcError(400, "InvalidSwap", `Record was at ${there?.cid ?? "null"}`);
    if (collection === COLLECTION) {
      const post = checkedPost(sandbox, did, record);
      insertRecord(sandbox, { did, host, rkey, cid, post });
    } else putMark(sandbox, { id, server: host, did, collection, cid, record });
    return c.json({ uri: id, cid, commit: { cid, rev: rkey }, validationStatus: "valid" });
  });

  // Without a key that the caller chooses, a second call cannot be distinguished from the first.
  app.post("/xrpc/com.atproto.repo.createRecord", faulty("publish"), own, () => {
    throw new XrpcError(500, "InternalServerError", "Internal Server Error");
  });

  app.post("/xrpc/com.atproto.repo.deleteRecord", faulty("delete"), own, active(sandbox), async (c) => {
    const { repo, collection, rkey } = await write(c, Target);
    const did = c.var.caller.did;
    if (repo !== did) throw new XrpcError(403, "AccountNotFound", "Account not found");
    usePoints(sandbox, did, 1);
    const mark = findMark(sandbox, addressOf(did, rkey, collection));
    if (mark) {
      deleteMark(sandbox, mark.id);
      return c.json({ commit: { cid: mark.cid, rev: rkey } });
    }
    if (collection !== COLLECTION) return c.json({});
    const there = findRecord(sandbox, addressOf(did, rkey));
    if (!there) return c.json({});
    sandbox.db.run("DELETE FROM bluesky_records WHERE id = ?", there.id);
    forgetFiles(sandbox, did, PostRecord.parse(JSON.parse(there.record)));
    return c.json({ commit: { cid: there.cid, rev: rkey } });
  });

  const isPost = (c: BlueskyContext) => (c.req.query("collection") === COLLECTION ? ("status" as const) : null);
  app.get(
    "/xrpc/com.atproto.repo.getRecord",
    operation<BlueskyEnv>(sandbox, "bluesky", isPost, misbehaviour(sandbox)),
    (c) => {
      const { repo = "", collection = "", rkey = "" } = c.req.query();
      const account = findAccount(sandbox, repo);
      const locate = `Could not locate record: at://${repo}/${collection}/${rkey}`;
      // Says nothing about the record: the account may come back.
      if (!account || sandbox.settings.all.bluesky_deactivated) throw invalid(locate);
      if (collection === "app.bsky.actor.profile" && rkey === "self")
        return c.json({
          uri: addressOf(repo, rkey, collection),
          cid: "bafyreiprofile",
          value: { displayName: account.name },
        });
      const id = addressOf(repo, rkey, collection);
      const found = findRecord(sandbox, id) ?? findMark(sandbox, id);
      if (found?.server !== host) throw new XrpcError(400, "RecordNotFound", locate);
      return c.json({ uri: found.id, cid: found.cid, value: JSON.parse(found.record) });
    },
  );

  app.get(
    "/xrpc/com.atproto.repo.listRecords",
    operation<BlueskyEnv>(sandbox, "bluesky", isPost, misbehaviour(sandbox)),
    (c) => {
      const { repo = "", collection = "", cursor = "~", limit = "50" } = c.req.query();
      if (!findAccount(sandbox, repo) || sandbox.settings.all.bluesky_deactivated)
        throw invalid(`Could not find repo: ${repo}`);
      if (Number(limit) > 100) {
        const message = `integer too big (maximum 100, got ${limit})`;
        throw invalid(`Invalid com.atproto.repo.listRecords params: ${message}`);
      }
      const before = addressOf(repo, cursor, collection);
      const rows = listRecords(sandbox, {
        host,
        prefix: addressOf(repo, "", collection),
        before,
        limit: Number(limit),
      });
      const last = rows.at(-1);
      return c.json({
        records: rows.map(({ id, cid, record }) => ({ uri: id, cid, value: JSON.parse(record) })),
        ...(last ? { cursor: last.id.slice(last.id.lastIndexOf("/") + 1) } : {}),
      });
    },
  );

  app.get("/xrpc/app.bsky.feed.getPosts", faulty("comments"), own, (c) => {
    const ids = c.req.queries("uris") ?? [];
    if (ids.length > MOST_POSTS) throw invalid(`Error: Params must not have more than ${MOST_POSTS} elements`);
    return c.json({ posts: postViews(sandbox, ids, c.var.caller.did) });
  });
  app.get("/xrpc/app.bsky.actor.getProfile", faulty("insights"), own, (c) => {
    const account = findAccount(sandbox, c.req.query("actor") ?? "");
    if (!account) throw invalid("Profile not found");
    const { id: did, handle, name: displayName } = account;
    return c.json({ did, handle, displayName, followersCount: followersAt(did, sandbox.now()), followsCount: 80 });
  });
  app.get("/xrpc/app.bsky.feed.getPostThread", faulty("comments"), own, (c) => {
    const thread = threadView(sandbox, c.req.query("uri") ?? "", c.var.caller.did);
    if (!thread) throw new XrpcError(400, "NotFound", "Post not found");
    return c.json({ thread });
  });

  // What a server does not know, it passes on for the account.
  app.notFound((c) => {
    if (!accessTokenOf(c)) return authMissing().toResponse();
    return new XrpcError(501, "MethodNotImplemented", "Method Not Implemented").toResponse();
  });
  app.onError((error, c) => {
    if (error instanceof NotProven) {
      // A nonce of long ago is refused without a sentence.
      const isOld = error.error === "use_dpop_nonce" && error.message.startsWith("DPoP");
      const sentence = isOld ? "" : `, error_description="${error.message.replaceAll('"', '\\"')}"`;
      const challenge = `DPoP algs="${ALGORITHMS.join(" ")}", error="${error.error}"${sentence}`;
      return c.json({ error: error.error, message: error.message }, 401, { "www-authenticate": challenge });
    }
    return (error instanceof XrpcError ? error : new XrpcError(500, "InternalServerError", error.message)).toResponse();
  });
  return app;
}

const authMissing = () => new XrpcError(401, "AuthMissing", "Authentication Required");

/** A call with a live token of an account here, signed by the key of its session. */
function signedIn(sandbox: Sandbox, host: string): MiddlewareHandler<BlueskyEnv> {
  return async (c, next) => {
    const token = accessTokenOf(c);
    if (!token) {
      const isOther = c.req.header("authorization") !== undefined;
      throw isOther ? new XrpcError(400, "InvalidToken", "Malformed token") : authMissing();
    }
    const { jkt } = await proven(sandbox, c.req.raw, token);
    type Found = { id: number; did: string; jkt: string; expires_at: number; is_used: number; is_dead: number };
    const found = sandbox.db.first<Found>(
      `SELECT s.id, s.did, s.jkt, s.is_dead, t.expires_at, t.is_used FROM bluesky_tokens t
       JOIN bluesky_sessions s ON s.id = t.session_id WHERE t.id = ? AND t.kind = 'access'`,
      token,
    );
    const refused = (message: string) => new NotProven("invalid_token", message);
    if (!found) throw refused("Malformed token");
    if (found.is_dead || found.is_used) throw refused("Invalid token");
    if (found.expires_at <= sandbox.now()) throw refused('"exp" claim timestamp check failed');
    if (found.jkt !== jkt) throw refused("Invalid DPoP key binding");
    if (findAccount(sandbox, found.did)?.server !== host)
      throw new XrpcError(403, "AccountNotFound", "Account not found");
    c.set("caller", { did: found.did, sessionId: found.id });
    await next();
  };
}

function active(sandbox: Sandbox): MiddlewareHandler<BlueskyEnv> {
  return async (_c, next) => {
    if (sandbox.settings.all.bluesky_deactivated)
      throw new XrpcError(401, "AccountDeactivated", "Account is deactivated");
    await next();
  };
}

const Target = z.object({ repo: z.string(), collection: z.enum(COLLECTIONS), rkey: z.string() });
const Put = Target.extend({ swapRecord: z.string().nullable(), record: z.record(z.string(), z.json()) });

async function write<S extends z.ZodType>(c: BlueskyContext, schema: S): Promise<z.infer<S>> {
  const parsed = schema.safeParse(await c.req.json().catch(() => null));
  if (parsed.success) return parsed.data;
  throw invalid(`Input ${parsed.error.issues[0]?.message ?? "is invalid"}`);
}

function usePoints(sandbox: Sandbox, did: string, points: number): void {
  type Window = { started_at: number; used: number };
  const window = sandbox.db.first<Window>("SELECT started_at, used FROM bluesky_points WHERE did = ?", did);
  const isOpen = window !== null && window.started_at + HOUR > sandbox.now();
  const { started_at, used } = isOpen ? window : { started_at: sandbox.now(), used: 0 };
  const most = MAX_POINTS * sandbox.settings.all.bluesky_rate_limit_scale;
  if (used + points > most) throw limited(sandbox, started_at + HOUR);
  sandbox.db.replace("bluesky_points", { did, started_at, used: used + points });
}

/** The type is read from the bytes. The same bytes are stored once. */
async function store(sandbox: Sandbox, did: string, bytes: Uint8Array<ArrayBuffer>, declared: string) {
  const cid = await fileCid(bytes);
  const known = findFile(sandbox, did, cid);
  const row = known ?? newFile(sandbox, { did, cid, bytes, declared });
  return { $type: "blob", ref: { $link: cid }, mimeType: row.type, size: row.size };
}

interface NewFile {
  readonly did: string;
  readonly cid: string;
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly declared: string;
}

function newFile(sandbox: Sandbox, { did, cid, bytes, declared }: NewFile) {
  const id = sandbox.blobs.create();
  sandbox.blobs.append(id, bytes);
  const seen = probe(sandbox.blobs.source(id)).type;
  const type = seen === "application/octet-stream" ? declared : seen;
  sandbox.blobs.setType(id, type);
  const row = { did, cid, type, size: bytes.length, blob_id: id };
  sandbox.db.insert("bluesky_files", row);
  return row;
}

/** Files of a deleted post are gone at once, unless another post of the account shows them. */
function forgetFiles(sandbox: Sandbox, did: string, post: PostRecord): void {
  for (const { file } of filesOf(post)) {
    const { $link: cid } = file.ref;
    const other = sandbox.db.first("SELECT id FROM bluesky_records WHERE did = ? AND instr(record, ?)", did, cid);
    if (!other) sandbox.db.run("DELETE FROM bluesky_files WHERE did = ? AND cid = ?", did, cid);
  }
}
