// TikTok: the hosts of its API, of uploads and of the API for Business, the website with its consent page,
// and the interface to the rest of the sandbox.

import { Hono } from "hono";
import { bodyLimit } from "hono/body-limit";
import { sendAuthorizationRemoved } from "../app-removals";
import type { Account, LivePost, NewAccount, NewPost, SimulatedPlatform } from "../platform";
import type { Sandbox } from "../sandbox";
import { liveAds } from "./ads/live";
import { ADS_TABLES } from "./ads/store";
import type { TiktokEnv } from "./api";
import { accountOf, MAIN_APP, openIdOf } from "./apps";
import { businessApp } from "./business";
import { tiktokWebsite } from "./consent";
import { displayRoutes } from "./display";
import { ApiError } from "./errors";
import { liveTasks, toComment, toLivePost } from "./live";
import { oauthRoutes } from "./oauth";
import { publishingRoutes } from "./publishing";
import {
  type AccountRow,
  addComment,
  type CommentRow,
  findAccount,
  findComment,
  killLoginsOf,
  listAccounts,
  saveTask,
  TIKTOK_TABLES,
} from "./store";
import { openTask } from "./tasks";
import { uploadApp } from "./uploads";

export function tiktok(sandbox: Sandbox): SimulatedPlatform {
  return {
    name: "tiktok",
    title: "TikTok",
    tables: TIKTOK_TABLES + ADS_TABLES,
    ownFaults: [],
    hosts: {
      "open.tiktokapis.com": apiApp(sandbox),
      "open-upload.tiktokapis.com": uploadApp(sandbox),
      "business-api.tiktok.com": businessApp(sandbox),
      "www.tiktok.com": tiktokWebsite(sandbox),
    },
    seed: () => seed(sandbox),
    accounts: () => listAccounts(sandbox).map(toAccount),
    addAccount: (account) => toAccount(addAccount(sandbox, account)),
    addPost: (post) => addPost(sandbox, post),
    posts: (id) => liveTasks(sandbox, id).map((task) => toLivePost(sandbox, task)),
    comments: () => sandbox.db.all<CommentRow>("SELECT * FROM tiktok_comments").map((row) => toComment(sandbox, row)),
    messages: () => [],
    ads: () => liveAds(sandbox),
    async removeApp(removal) {
      const accountId = accountOf(removal.accountId);
      if (!findAccount(sandbox, accountId)) return null;
      const userId = openIdOf(MAIN_APP.key, accountId);
      killLoginsOf(sandbox, MAIN_APP.key, accountId);
      sendAuthorizationRemoved(sandbox, { platform: "tiktok", secret: MAIN_APP.secret, userId }, MAIN_APP.key);
      return userId;
    },
    addComment({ post_id, author, text }) {
      const answered = findComment(sandbox, post_id);
      const [post] = liveTasks(sandbox, answered?.post_id ?? post_id);
      if (!post) return null;
      const name = author.replace(/^@/, "");
      const is_own = findAccount(sandbox, post.account_id)?.username === name ? 1 : 0;
      return toComment(sandbox, addComment(sandbox, { post_id: post.post_id, author: name, text, is_own, answered }));
    },
  };
}

function apiApp(sandbox: Sandbox) {
  const app = new Hono<TiktokEnv>({ strict: false });
  app.use(bodyLimit({ maxSize: 2_000_000 }));
  app.route("/v2/oauth", oauthRoutes(sandbox));
  app.route("/v2/post/publish", publishingRoutes(sandbox));
  app.route("/v2", displayRoutes(sandbox));
  // This includes deleting and editing a post, which TikTok's API does not support.
  app.notFound(() => new ApiError("invalid_request", "Unsupported path(Janus).", 404).toResponse());
  app.onError((error) =>
    (error instanceof ApiError ? error : new ApiError("internal_error", error.message)).toResponse(),
  );
  return app;
}

const DEFAULTS = {
  is_private: 0,
  comment_disabled: 0,
  duet_disabled: 0,
  stitch_disabled: 0,
  max_seconds: 600,
  is_banned: 0,
};

function seed(sandbox: Sandbox): void {
  const at = (index: number) => ({ created_at: Date.parse("2022-05-04T09:00:00Z") + index });
  insertAccount(sandbox, {
    ...DEFAULTS,
    id: "5001",
    username: "harbourbakery",
    display_name: "Harbour Bakery",
    ...at(0),
  });
  insertAccount(sandbox, {
    ...DEFAULTS,
    id: "5002",
    username: "fernandoak",
    display_name: "Fern & Oak",
    duet_disabled: 1,
    stitch_disabled: 1,
    max_seconds: 300,
    ...at(1),
  });
  insertAccount(sandbox, {
    ...DEFAULTS,
    id: "5003",
    username: "acmebikes",
    display_name: "Acme Bikes",
    is_private: 1,
    comment_disabled: 1,
    max_seconds: 180,
    ...at(2),
  });
}

function insertAccount(sandbox: Sandbox, row: AccountRow): AccountRow {
  sandbox.db.insert("tiktok_accounts", row);
  return row;
}

/**
 * `tasks` may set properties of the account: `private`, `banned`, `no_comments`, `no_duets`, `no_stitches`,
 * `max:60`.
 */
function addAccount(sandbox: Sandbox, { name, username, tasks = [] }: NewAccount): AccountRow {
  const id = String(sandbox.db.next("tiktok_accounts", 5101));
  const bare = name.toLowerCase().replace(/[^a-z0-9]/g, "") || "someone";
  const flag = (task: string) => (tasks.includes(task) ? 1 : 0);
  const longest = tasks.find((task) => task.startsWith("max:"))?.slice("max:".length);
  return insertAccount(sandbox, {
    id,
    username: username ?? `${bare}${id}`,
    display_name: name,
    is_private: flag("private"),
    comment_disabled: flag("no_comments"),
    duet_disabled: flag("no_duets"),
    stitch_disabled: flag("no_stitches"),
    max_seconds: longest === undefined ? DEFAULTS.max_seconds : Number(longest),
    is_banned: flag("banned"),
    created_at: sandbox.now(),
  });
}

const toAccount = (account: AccountRow): Account => ({
  platform: "tiktok",
  id: openIdOf(MAIN_APP.key, account.id),
  name: account.display_name,
  username: account.username,
  detail: `@${account.username}, ${account.is_private ? "private" : "public"}, videos of ${account.max_seconds} s`,
});

/** A public video that was published outside our app; it has no file in the sandbox. */
function addPost(sandbox: Sandbox, { account_id, text, createdAt }: NewPost): LivePost | null {
  const account = findAccount(sandbox, accountOf(account_id));
  if (!account) return null;
  const caller = { clientKey: "", grantId: 0, account, scopes: [] };
  const task = openTask(sandbox, caller, {
    kind: "video",
    isDraft: false,
    isPull: true,
    caption: text,
    privacy: "PUBLIC_TO_EVERYONE",
    trouble: null,
  });
  return toLivePost(sandbox, saveTask(sandbox, { ...task, begun_at: createdAt, ready_at: createdAt }));
}
