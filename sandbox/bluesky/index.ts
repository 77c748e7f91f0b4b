// Bluesky: a directory of ids, Bluesky's own servers with one place to sign in, a server that someone else
// runs, and the network's index.

import { Hono } from "hono";
import { blobPath } from "../blobs";
import { having } from "../database";
import type {
  Account,
  HostApp,
  LiveComment,
  LivePost,
  NewAccount,
  PlatformBindings,
  SimulatedPlatform,
} from "../platform";
import type { Sandbox } from "../sandbox";
import { markedCid } from "./cids";
import { authorizePages, website } from "./consent";
import { directory, dns, resolver } from "./identity";
import { findGate, findLike, hiddenBy } from "./marks";
import { oauthRoutes } from "./oauth";
import { insertRecord } from "./records";
import { serverRoutes } from "./server";
import {
  type AccountRow,
  BLUESKY_TABLES,
  COLLECTION,
  ENTRYWAY,
  filesOf,
  findAccount,
  findFile,
  findHandle,
  findRecord,
  issuerOf,
  keyOf,
  listAccounts,
  newDid,
  newTid,
  PostRecord,
  type RecordRow,
  SERVERS,
} from "./store";

export function bluesky(sandbox: Sandbox): SimulatedPlatform {
  const hosts: Record<string, HostApp> = {
    "plc.directory": directory(sandbox),
    "cloudflare-dns.com": dns(sandbox),
    "public.api.bsky.app": resolver(sandbox),
    "bsky.app": website(sandbox),
    [ENTRYWAY]: hostApp(sandbox, ENTRYWAY, false),
  };
  for (const server of SERVERS) hosts[server] = hostApp(sandbox, server, true);
  return {
    name: "bluesky",
    title: "Bluesky",
    tables: BLUESKY_TABLES,
    ownFaults: ["proof_refused"],
    hosts,
    seed: () => seed(sandbox),
    accounts: () => listAccounts(sandbox).map(toAccount),
    addAccount: (account) => toAccount(addPerson(sandbox, account, true)),
    addPost(post) {
      const author = findAccount(sandbox, post.account_id);
      if (!author?.is_account) return null;
      return toLivePost(sandbox, say(sandbox, author, { text: post.text, at: post.createdAt }));
    },
    posts: (id) => live(sandbox, 0, id).map((row) => toLivePost(sandbox, row)),
    comments: () => live(sandbox, 1).map((row) => toComment(sandbox, row)),
    messages: () => [],
    addComment(comment) {
      const parent = findRecord(sandbox, comment.post_id);
      if (!parent) return null;
      return toComment(sandbox, say(sandbox, commenter(sandbox, comment.author), { text: comment.text, parent }));
    },
  };
}

/** The routes of one host: signing in, and the methods of a server that holds accounts. */
function hostApp(sandbox: Sandbox, host: string, holdsAccounts: boolean): HostApp {
  const app = new Hono<{ Bindings: PlatformBindings }>();
  const pages = authorizePages(sandbox, host);
  const oauth = oauthRoutes(sandbox, host);
  const server = serverRoutes(sandbox, host);
  app.all("/oauth/authorize", (c) => pages.fetch(c.req.raw, c.env));
  app.all("/oauth/*", (c) => oauth.fetch(c.req.raw, c.env));
  app.all("/.well-known/*", (c) => oauth.fetch(c.req.raw, c.env));
  if (holdsAccounts) app.all("*", (c) => server.fetch(c.req.raw, c.env));
  return app;
}

/** The default accounts have the same ids after each reset. */
function seed(sandbox: Sandbox): void {
  const add = (name: string, username: string, server: string) =>
    addPerson(sandbox, { name, username, server, did: `did:plc:${username.padEnd(24, "a")}` }, true);
  add("Acme Bikes", "acmebikes", SERVERS[0]);
  add("Fern & Oak", "fernandoak", SERVERS[1]);
  add("Harbour Coffee", "harbourcoffee", SERVERS[0]);
  add("Harbour Radio", "harbourradio", SERVERS[2]);
}

interface NewPerson extends NewAccount {
  readonly server?: string;
  readonly did?: string;
}

function addPerson(
  sandbox: Sandbox,
  { name, username, server = SERVERS[0], did = newDid(sandbox) }: NewPerson,
  isAccount: boolean,
): AccountRow {
  const bare =
    (username ?? name)
      .toLowerCase()
      .replace(/[^a-z0-9]/g, "")
      .slice(0, 18) || "someone";
  const domain = issuerOf(server) === `https://${ENTRYWAY}` ? ENTRYWAY : server.replace(/^pds\./, "");
  const isTaken = findHandle(sandbox, `${bare}.${domain}`) !== null;
  const handle = `${bare}${isTaken ? sandbox.db.next("bluesky_handles", 2) : ""}.${domain}`;
  return sandbox.db.insert<AccountRow>("bluesky_accounts", {
    id: did,
    handle,
    name,
    server,
    is_account: isAccount ? 1 : 0,
  });
}

function commenter(sandbox: Sandbox, author: string): AccountRow {
  const name = author.replace(/^@/, "");
  const known = sandbox.db.first<AccountRow>(
    "SELECT * FROM bluesky_accounts WHERE name = ?1 OR handle = ?1 ORDER BY is_account LIMIT 1",
    name,
  );
  return known ?? addPerson(sandbox, { name }, false);
}

const toAccount = ({ id, name, handle, server }: AccountRow): Account => ({
  platform: "bluesky",
  id,
  name,
  username: handle,
  detail: `@${handle}, on ${server}`,
});

interface Said {
  readonly text: string;
  readonly at?: number;
  readonly parent?: RecordRow;
}

/** A post that another app made. Its content id is a valid one, but no hash of it. */
function say(sandbox: Sandbox, author: AccountRow, { text, at = sandbox.now(), parent }: Said): RecordRow {
  const rkey = newTid(sandbox, at);
  const toReference = ({ id, cid }: RecordRow) => ({ uri: id, cid });
  const root = parent?.root ? findRecord(sandbox, parent.root) : parent;
  const reply = parent && root ? { reply: { root: toReference(root), parent: toReference(parent) } } : {};
  const post: PostRecord = { $type: COLLECTION, text, createdAt: sandbox.iso(at), ...reply };
  return insertRecord(sandbox, { did: author.id, host: author.server, rkey, cid: markedCid(rkey), post, at });
}

/** With an id, it and the replies to it. */
function live(sandbox: Sandbox, isComment: 0 | 1, id?: string): RecordRow[] {
  const { condition, values } = having(id, "id", "parent");
  return sandbox.db.all<RecordRow>(
    `SELECT * FROM bluesky_records WHERE is_comment = ? AND ${condition} ORDER BY created_at DESC, id DESC`,
    isComment,
    ...values,
  );
}

const postOf = (row: RecordRow): PostRecord => PostRecord.parse(JSON.parse(row.record));

function toLivePost(sandbox: Sandbox, row: RecordRow): LivePost {
  const post = postOf(row);
  const shown = filesOf(post).filter(({ kind }) => kind !== "thumb");
  return {
    platform: "bluesky",
    account_id: row.did,
    id: row.id,
    text: post.text,
    media: shown.map(({ file }) => blobPath(findFile(sandbox, row.did, file.ref.$link)?.blob_id ?? "")),
    alt_texts: shown.map(({ alt }) => alt),
    labels: [],
    permalink: `https://bsky.app/profile/${row.did}/post/${keyOf(row.id)}`,
    reply_to: row.parent,
    created_at: sandbox.iso(row.created_at),
  };
}

function toComment(sandbox: Sandbox, row: RecordRow): LiveComment {
  let post: RecordRow | null = row;
  while (post?.is_comment) post = post.parent === null ? null : findRecord(sandbox, post.parent);
  const author = findAccount(sandbox, row.did);
  const root = row.root === null ? null : findRecord(sandbox, row.root);
  const gate = root && findGate(sandbox, root);
  return {
    platform: "bluesky",
    account_id: post?.did ?? "",
    id: row.id,
    post_id: post?.id ?? row.root ?? "",
    reply_to: row.parent === post?.id ? null : row.parent,
    author: author?.name ?? row.did,
    author_id: row.did,
    text: postOf(row).text,
    hidden: gate !== null && hiddenBy(gate).includes(row.id),
    liked: post !== null && findLike(sandbox, post.did, row.id) !== null,
    created_at: sandbox.iso(row.created_at),
  };
}
