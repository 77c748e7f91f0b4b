// Threads: the Graph host, the website with its consent page, and the interface to the rest of the sandbox.

import { sendSignedRequests } from "../app-removals";
import { having } from "../database";
import { graphHost } from "../meta/host";
import { revokeLogins } from "../meta/logins";
import type { Account, LiveComment, LivePost, NewAccount, SimulatedPlatform } from "../platform";
import type { Sandbox } from "../sandbox";
import { threadsWebsite } from "./consent";
import { containerRoutes } from "./containers";
import { insightsRoutes } from "./insights";
import { oauthRoutes } from "./oauth";
import { publishRoutes } from "./publish";
import { ORIGIN, readRoutes } from "./read";
import { replyRoutes } from "./replies";
import {
  type AccountRow,
  filesOf,
  findAccount,
  findMedia,
  insertAccount,
  insertMedia,
  listAccounts,
  type MediaRow,
  newAccountId,
  THREADS_TABLES,
} from "./store";
import { topicIn } from "./text";
import { APP_ID, APP_SECRET, countUse } from "./tokens";
import { permalinkOf } from "./views";
import { announceReply, configureCallback } from "./webhooks";

export function threads(sandbox: Sandbox): SimulatedPlatform {
  const graph = graphApp(sandbox);
  const website = threadsWebsite(sandbox);
  return {
    name: "threads",
    title: "Threads",
    tables: THREADS_TABLES,
    ownFaults: [],
    hosts: {
      "graph.threads.net": graph,
      "graph.threads.com": graph,
      "threads.net": website,
      "www.threads.net": website,
      "www.threads.com": website,
    },
    seed: () => seed(sandbox),
    accounts: () => listAccounts(sandbox).map(toAccount),
    addAccount: (account) => addAccount(sandbox, account),
    // Threads does not report which application created a post, so all three kinds look the same.
    addPost({ account_id, text, createdAt }) {
      const account = findAccount(sandbox, account_id);
      if (!account) return null;
      const author = { account_id, username: account.username };
      const row = insertMedia(sandbox, { ...plain(text, createdAt), ...author, is_comment: 0, reply_to: null });
      return toLivePost(sandbox, row);
    },
    posts: (id) =>
      mediaWhere(sandbox, "is_comment = 0 AND reposted IS NULL", id).map((row) => toLivePost(sandbox, row)),
    comments: () => mediaWhere(sandbox, "is_comment = 1").map((row) => toComment(sandbox, row)),
    messages: () => [],
    addComment({ post_id, author, text }) {
      const answered = findMedia(sandbox, post_id);
      if (!answered) return null;
      const by = commenter(sandbox, author);
      const row = insertMedia(sandbox, { ...plain(text, sandbox.now()), ...by, is_comment: 1, reply_to: answered.id });
      announceReply(sandbox, row);
      return toComment(sandbox, row);
    },
    async removeApp(removal) {
      const { accountId: userId } = removal;
      if (!listAccounts(sandbox).some(({ id }) => id === userId)) return null;
      revokeLogins(sandbox, APP_ID, userId);
      await sendSignedRequests(sandbox, { platform: "threads", secret: APP_SECRET, userId }, removal);
      return userId;
    },
    configureWebhooks: (callback) => configureCallback(sandbox, callback),
  };
}

function graphApp(sandbox: Sandbox) {
  return graphHost(sandbox, {
    platform: "threads",
    origin: ORIGIN,
    versions: ["v1.0"],
    count: (c) => countUse(sandbox, c),
    routes: [
      oauthRoutes(sandbox),
      containerRoutes(sandbox),
      publishRoutes(sandbox),
      replyRoutes(sandbox),
      insightsRoutes(sandbox),
      readRoutes(sandbox),
    ],
  });
}

const SEED: readonly AccountRow[] = [
  { id: "26000000000000001", username: "fernandoak", name: "Fern & Oak", biography: "Plants for small rooms" },
  { id: "26000000000000002", username: "acmebikes", name: "Acme Bikes", biography: "Bicycles that last" },
  { id: "26000000000000003", username: "harbourcoffee", name: "Harbour Coffee", biography: "Roasted by the water" },
];

function seed(sandbox: Sandbox): void {
  for (const account of SEED) insertAccount(sandbox, account);
}

function addAccount(sandbox: Sandbox, { name, username }: NewAccount): Account {
  const id = newAccountId(sandbox);
  const wished = username ?? handle(name);
  const isTaken = sandbox.db.first("SELECT 1 FROM threads_accounts WHERE username = ?", wished) !== null;
  const row = { id, username: isTaken ? `${wished}${Number(id.slice(-9))}` : wished, name, biography: "" };
  insertAccount(sandbox, row);
  return toAccount(row);
}

const handle = (name: string) =>
  name
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, ".")
    .slice(0, 20) || "someone";

/** The commenter of this name: an existing account or an external user. */
function commenter(sandbox: Sandbox, name: string): Pick<MediaRow, "account_id" | "username"> {
  const known = listAccounts(sandbox).find((account) => account.name === name || `@${account.username}` === name);
  return known ? { account_id: known.id, username: known.username } : { account_id: null, username: handle(name) };
}

const toAccount = ({ id, name, username }: AccountRow): Account => ({
  platform: "threads",
  id,
  name,
  username,
  detail: `@${username}`,
});

const plain = (text: string, live_at: number) => ({
  media_type: "TEXT_POST",
  text,
  files: [],
  quoted: null,
  reposted: null,
  link: null,
  topic_tag: topicIn(text),
  approval: null,
  live_at,
});

/** With an id, it and the replies to it. */
function mediaWhere(sandbox: Sandbox, which: string, id?: string): MediaRow[] {
  const { condition, values } = having(id, "id", "reply_to");
  const query = `SELECT * FROM threads_media WHERE ${which} AND ${condition} AND live_at <= ? ORDER BY live_at DESC, id DESC`;
  return sandbox.db.all<MediaRow>(query, ...values, sandbox.now());
}

function toLivePost(sandbox: Sandbox, row: MediaRow): LivePost {
  const files = filesOf(row);
  return {
    platform: "threads",
    account_id: row.account_id ?? "",
    id: row.id,
    text: row.text,
    media: files.map(({ url }) => url),
    alt_texts: files.map(({ alt }) => alt),
    labels: [],
    permalink: permalinkOf(sandbox, row),
    reply_to: row.reply_to,
    created_at: sandbox.iso(row.live_at),
  };
}

function toComment(sandbox: Sandbox, row: MediaRow): LiveComment {
  const post = row.root === null ? null : findMedia(sandbox, row.root);
  return {
    platform: "threads",
    account_id: post?.account_id ?? "",
    id: row.id,
    post_id: row.root ?? "",
    reply_to: row.reply_to === row.root ? null : row.reply_to,
    author: row.username,
    author_id: row.account_id ?? row.username,
    text: row.text,
    hidden: row.hide_status === "HIDDEN",
    created_at: sandbox.iso(row.live_at),
  };
}
