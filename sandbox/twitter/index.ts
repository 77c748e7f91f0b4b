// X: the API host, the website with its consent page, and the interface to the rest of the sandbox.

import { Hono } from "hono";
import { bodyLimit } from "hono/body-limit";
import { blobPath } from "../blobs";
import { having } from "../database";
import type { Account, LiveComment, LiveMessage, LivePost, NewAccount, SimulatedPlatform } from "../platform";
import type { Sandbox } from "../sandbox";
import { activityRoutes } from "./activity";
import { Problem, type TwitterEnv } from "./api";
import { appTokenRoutes } from "./app-api";
import { twitterWebsite } from "./consent";
import { mediaRoutes } from "./media";
import { messageRoutes, writeTo } from "./messages";
import { CLIENT_ID, oauthRoutes } from "./oauth";
import { insertPost, publishRoutes } from "./publish";
import { readRoutes } from "./read";
import {
  byIdDescending,
  findMedia,
  findPost,
  findUser,
  findUserNamed,
  type MessageRow,
  type PostRow,
  strings,
  TWITTER_TABLES,
  type UserRow,
} from "./store";
import { readTill, TILL_TABLES } from "./till";
import { webhookRoutes } from "./webhook-routes";

export function twitter(sandbox: Sandbox): SimulatedPlatform {
  const website = twitterWebsite(sandbox);
  return {
    name: "twitter",
    title: "X",
    tables: TWITTER_TABLES + TILL_TABLES,
    ownFaults: ["credits_depleted", "credits_depleted_old", "account_locked"],
    hosts: { "api.x.com": apiApp(sandbox), "x.com": website },
    seed: () => seed(sandbox),
    till: () => readTill(sandbox, CLIENT_ID),
    accounts: () => listAccounts(sandbox).map(toAccount),
    addAccount: (account) => toAccount(addUser(sandbox, account, true)),
    addPost(post) {
      const author = findUser(sandbox, post.account_id);
      if (!author?.is_account) return null;
      // X does not report which application created a post, so all three kinds look the same.
      const row = insertPost(sandbox, { author, text: post.text, mediaIds: [], parent: null, at: post.createdAt });
      return toLivePost(sandbox, row);
    },
    posts: (id) => livePosts(sandbox, id),
    comments: () => liveComments(sandbox),
    messages: () => liveMessages(sandbox),
    addMessage({ account_id, author, text }) {
      if (!findUser(sandbox, account_id)?.is_account) return null;
      const sender = commenter(sandbox, author);
      return toLiveMessage(sandbox, writeTo(sandbox, account_id, sender.id, text), account_id, [sender.id]);
    },
    addComment(comment) {
      const parent = findPost(sandbox, comment.post_id);
      if (!parent) return null;
      const author = commenter(sandbox, comment.author);
      const post = insertPost(sandbox, { author, text: comment.text, mediaIds: [], parent });
      return toComment(sandbox, post);
    },
  };
}

function apiApp(sandbox: Sandbox) {
  const app = new Hono<TwitterEnv>();
  app.use(bodyLimit({ maxSize: 20_000_000 }));
  app.route("/2/oauth2", oauthRoutes(sandbox));
  app.route("/", mediaRoutes(sandbox));
  app.route("/", publishRoutes(sandbox));
  app.route("/", readRoutes(sandbox));
  app.route("/", messageRoutes(sandbox));
  app.route("/", appTokenRoutes(sandbox));
  app.route("/", webhookRoutes(sandbox));
  app.route("/", activityRoutes(sandbox));
  app.notFound(() => new Problem(404, "Not Found", "Not Found").toResponse());
  app.onError((error, c) => {
    const internal = new Problem(500, "Internal Error", error.message, {
      type: "https://api.x.com/2/problems/internal-error",
    });
    const answer = (error instanceof Problem ? error : internal).toResponse();
    c.res.headers.forEach((value, name) => {
      if (name.startsWith("x-rate-limit") || name.includes("24hour")) answer.headers.set(name, value);
    });
    return answer;
  });
  return app;
}

const listAccounts = (sandbox: Sandbox) =>
  sandbox.db.all<UserRow>("SELECT * FROM twitter_users WHERE is_account = 1 ORDER BY id");

function seed(sandbox: Sandbox): void {
  const account = (id: string, name: string, username: string, subscription_type: string) =>
    sandbox.db.insert("twitter_users", { id, name, username, subscription_type, is_account: 1 });
  account("2244990001", "Acme Bikes", "acmebikes", "None");
  account("2244990002", "Fern & Oak", "fernandoak", "Premium");
  account("2244990003", "Harbour Coffee", "harbourcoffee", "None");
}

function addUser(sandbox: Sandbox, account: NewAccount, isAccount: boolean): UserRow {
  const number = sandbox.db.next("twitter_users", 2_244_990_101);
  const bare =
    account.name
      .toLowerCase()
      .replace(/[^a-z0-9]/g, "")
      .slice(0, 15) || "someone";
  const wished = account.username ?? bare;
  const username = findUserNamed(sandbox, wished) ? `${wished.slice(0, 9)}${String(number).slice(-6)}` : wished;
  return sandbox.db.insert<UserRow>("twitter_users", {
    id: String(number),
    name: account.name,
    username,
    subscription_type: account.subscription_type ?? "None",
    is_account: isAccount ? 1 : 0,
  });
}

/** The user with this name: an existing account, or an external user with a stable id. */
function commenter(sandbox: Sandbox, name: string): UserRow {
  const known = sandbox.db.first<UserRow>(
    "SELECT * FROM twitter_users WHERE (username = ?1 OR name = ?1) ORDER BY is_account LIMIT 1",
    name.replace(/^@/, ""),
  );
  return known ?? addUser(sandbox, { name: name.replace(/^@/, "") }, false);
}

const toAccount = (user: UserRow): Account => ({
  platform: "twitter",
  id: user.id,
  name: user.name,
  username: user.username,
  detail: `@${user.username}, subscription ${user.subscription_type}`,
});

function livePosts(sandbox: Sandbox, id: string | undefined): LivePost[] {
  const { condition, values } = having(id, "id", "reply_to");
  return sandbox.db
    .all<PostRow>(`SELECT * FROM twitter_posts WHERE is_comment = 0 AND ${condition}`, ...values)
    .sort(byIdDescending)
    .map((post) => toLivePost(sandbox, post));
}

function toLivePost(sandbox: Sandbox, post: PostRow): LivePost {
  const media = strings(post.media_ids).flatMap((id) => findMedia(sandbox, id) ?? []);
  return {
    platform: "twitter",
    account_id: post.author_id,
    id: post.id,
    text: post.text,
    media: media.map(({ blob_id }) => blobPath(blob_id)),
    alt_texts: media.map(({ alt_text }) => alt_text),
    labels: strings(post.labels),
    permalink: `https://x.com/${findUser(sandbox, post.author_id)?.username ?? "i/web"}/status/${post.id}`,
    reply_to: post.reply_to,
    created_at: sandbox.iso(post.created_at),
  };
}

function liveComments(sandbox: Sandbox): LiveComment[] {
  const rows = sandbox.db.all<PostRow>("SELECT * FROM twitter_posts WHERE is_comment = 1").sort(byIdDescending);
  return rows.map((row) => toComment(sandbox, row));
}

/** The account's own post at the root of a comment thread, at any depth. */
function commentedPost(sandbox: Sandbox, comment: PostRow): PostRow | null {
  let at: PostRow | null = comment;
  while (at?.is_comment) at = at.reply_to === null ? null : findPost(sandbox, at.reply_to);
  return at;
}

function toComment(sandbox: Sandbox, row: PostRow): LiveComment {
  const post = commentedPost(sandbox, row);
  const author = findUser(sandbox, row.author_id);
  return {
    platform: "twitter",
    account_id: post?.author_id ?? "",
    id: row.id,
    post_id: post?.id ?? row.conversation_id,
    reply_to: row.reply_to === post?.id ? null : row.reply_to,
    author: author?.name ?? row.author_id,
    author_id: row.author_id,
    text: row.text,
    hidden: row.is_hidden === 1,
    created_at: sandbox.iso(row.created_at),
  };
}

/** The messages of accounts; those of other people are left out. */
function liveMessages(sandbox: Sandbox): LiveMessage[] {
  const rows = sandbox.db.all<MessageRow>("SELECT * FROM twitter_messages").sort(byIdDescending);
  return rows
    .filter(({ sender_id }) => findUser(sandbox, sender_id)?.is_account === 1)
    .map((row) => {
      const recipients = strings(row.recipients);
      return toLiveMessage(sandbox, row, row.sender_id, recipients);
    });
}

function toLiveMessage(sandbox: Sandbox, row: MessageRow, account: string, people: readonly string[]): LiveMessage {
  return {
    platform: "twitter",
    account_id: account,
    id: row.id,
    recipient: people.map((id) => findUser(sandbox, id)?.name ?? id).join(", "),
    recipient_id: people.join(","),
    comment_id: null,
    text: row.text,
    created_at: sandbox.iso(row.created_at),
  };
}
