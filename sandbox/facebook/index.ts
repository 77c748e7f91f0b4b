// Facebook: the Graph host, the consent dialog, the upload host, and the interface to the rest of the
// sandbox.

import { sendSignedRequests } from "../app-removals";
import { blobPath } from "../blobs";
import { having } from "../database";
import { numberOf } from "../digest";
import { adsRoutes } from "../meta/ads/index";
import { liveAds } from "../meta/ads/live";
import { sentMail, toLiveMessage } from "../meta/conversations";
import { graphHost, TASKS, VERSIONS } from "../meta/host";
import { revokeLogins } from "../meta/logins";
import type { Account, LiveComment, LivePost, SimulatedPlatform } from "../platform";
import type { Sandbox } from "../sandbox";
import { facebookAds } from "./ads";
import { collaboratorRoutes } from "./collaborators";
import { commentRoutes, insertComment } from "./comments";
import { facebookWebsite } from "./consent";
import { insightsRoutes } from "./insights";
import { messageRoutes, writeMail } from "./messages";
import { nodeRoutes } from "./nodes";
import { loginRoutes } from "./pages";
import { GRAPH } from "./paging";
import { postRoutes } from "./posts";
import { ruploadApp } from "./rupload";
import {
  type CommentRow,
  FACEBOOK_TABLES,
  findComment,
  findPage,
  findPhoto,
  findPost,
  findVideo,
  insertPost,
  isLive,
  newPostId,
  type PageRow,
  PERSON,
  type PostRow,
  photoIds,
} from "./store";
import { subscriptionRoutes } from "./subscriptions";
import { thumbnailRoutes } from "./thumbnails";
import { APP_ID, APP_SECRET, countUse } from "./tokens";
import { videoRoutes } from "./videos";
import { permalink, videoSource } from "./views";

export function facebook(sandbox: Sandbox): SimulatedPlatform {
  return {
    name: "facebook",
    title: "Facebook",
    tables: FACEBOOK_TABLES,
    ownFaults: ["page_role_missing", "unfetchable_media"],
    hosts: {
      "graph.facebook.com": graphApp(sandbox),
      "www.facebook.com": facebookWebsite(sandbox),
      "rupload.facebook.com": ruploadApp(sandbox),
    },
    seed: () => seed(sandbox),
    accounts: () => listPages(sandbox).map(toAccount),
    addAccount(account) {
      const id = String(sandbox.db.next("facebook_pages", 104_000_000_000_101));
      const page = {
        id,
        name: account.name,
        category: "Local business",
        tasks: account.tasks ?? TASKS,
        instagram: null,
      };
      insertPage(sandbox, page);
      return toAccount({ ...page, tasks: JSON.stringify(page.tasks) });
    },
    addPost(post) {
      if (!findPage(sandbox, post.account_id)) return null;
      const id = newPostId(sandbox, post.account_id);
      insertPost(sandbox, {
        id,
        page_id: post.account_id,
        kind: "feed",
        message: post.text,
        made_by: post.application,
        created_at: post.createdAt,
        live_at: post.createdAt,
      });
      const row = findPost(sandbox, id);
      return row && toLivePost(sandbox, row);
    },
    posts: (id) => livePosts(sandbox, id),
    comments: () => liveComments(sandbox),
    messages: () => sentMail(sandbox, "facebook"),
    ads: () => liveAds(sandbox, "facebook"),
    addMessage({ account_id, author, text }) {
      if (!findPage(sandbox, account_id)) return null;
      const person = { recipient_id: personId(author), recipient_name: author };
      const mail = writeMail(sandbox, { account_id, ...person, comment_id: null, text, is_incoming: 1 });
      return toLiveMessage(sandbox, "facebook", mail);
    },
    async removeApp(removal) {
      if (!findPage(sandbox, removal.accountId)) return null;
      revokeLogins(sandbox, APP_ID);
      await sendSignedRequests(sandbox, { platform: "facebook", secret: APP_SECRET, userId: PERSON.id }, removal);
      return PERSON.id;
    },
    addComment(comment) {
      const target = findComment(sandbox, comment.post_id);
      const post = findPost(sandbox, target?.post_id ?? comment.post_id);
      if (!post || !isLive(post, sandbox.now())) return null;
      const row = insertComment(sandbox, {
        postId: post.id,
        pageId: post.page_id,
        parentId: target ? (target.parent_id ?? target.id) : null,
        authorId: personId(comment.author),
        authorName: comment.author,
        message: comment.text,
        attachment: null,
      });
      return toLiveComment(sandbox, row);
    },
  };
}

function graphApp(sandbox: Sandbox) {
  return graphHost(sandbox, {
    platform: "facebook",
    origin: GRAPH,
    versions: VERSIONS,
    count: (c) => countUse(sandbox, c),
    routes: [
      loginRoutes(sandbox),
      adsRoutes({ sandbox, app: facebookAds(sandbox) }),
      subscriptionRoutes(sandbox),
      postRoutes(sandbox),
      videoRoutes(sandbox),
      thumbnailRoutes(sandbox),
      collaboratorRoutes(sandbox),
      commentRoutes(sandbox),
      messageRoutes(sandbox),
      insightsRoutes(sandbox),
      nodeRoutes(sandbox),
    ],
  });
}

function seed(sandbox: Sandbox): void {
  const page = (last: string, name: string, category: string, more: { tasks?: string[]; instagram?: string } = {}) =>
    insertPage(sandbox, { id: `1040000000000${last}`, name, category, tasks: TASKS, instagram: null, ...more });
  const instagram = JSON.stringify({ id: "17841400000000001", username: "fernandoak" });
  page("01", "Fern & Oak", "Garden Center", { instagram });
  page("02", "Harbour Coffee", "Coffee Shop");
  page("03", "Northside Bikes", "Bicycle Shop");
  page("04", "Read Only Gazette", "Newspaper", { tasks: ["ANALYZE"] });
}

function insertPage(sandbox: Sandbox, page: Omit<PageRow, "tasks"> & { tasks: string[] }): void {
  sandbox.db.run(
    "INSERT INTO facebook_pages (id, name, category, tasks, instagram) VALUES (?, ?, ?, ?, ?)",
    page.id,
    page.name,
    page.category,
    JSON.stringify(page.tasks),
    page.instagram,
  );
}

const listPages = (sandbox: Sandbox) => sandbox.db.all<PageRow>("SELECT * FROM facebook_pages ORDER BY id");

const toAccount = (page: PageRow): Account => ({
  platform: "facebook",
  id: page.id,
  name: page.name,
  username: null,
  detail: `${page.category}, managed by ${PERSON.name}`,
});

/** The same name always maps to the same person. */
const personId = (name: string): string => String(7_000_000_000_000_000 + numberOf(name));

function livePosts(sandbox: Sandbox, id: string | undefined): LivePost[] {
  const now = sandbox.now();
  const { condition, values } = having(id, "id");
  const query = `SELECT * FROM facebook_posts WHERE live_at <= ? AND ${condition} ORDER BY live_at DESC, id DESC`;
  return sandbox.db
    .all<PostRow>(query, now, ...values)
    .filter((post) => isLive(post, now))
    .map((post) => toLivePost(sandbox, post));
}

function toLivePost(sandbox: Sandbox, post: PostRow): LivePost {
  const photos = photoIds(post).flatMap((id) => findPhoto(sandbox, id) ?? []);
  const video = post.video_id === null ? null : videoSource(findVideo(sandbox, post.video_id));
  const videos = video === null ? [] : [video];
  const thumbnail = post.video_id === null ? null : (findVideo(sandbox, post.video_id)?.thumbnail ?? null);
  return {
    platform: "facebook",
    account_id: post.page_id,
    id: post.id,
    text: post.message ?? "",
    media: [...photos.map(({ url }) => url), ...videos],
    alt_texts: [...photos.map(({ alt_text }) => alt_text), ...videos.map(() => null)],
    labels: post.is_ai_generated === 1 ? ["is_ai_generated"] : [],
    ...(thumbnail === null ? {} : { cover: blobPath(thumbnail) }),
    permalink: permalink(post),
    reply_to: null,
    created_at: sandbox.iso(post.live_at ?? post.created_at),
  };
}

function liveComments(sandbox: Sandbox): LiveComment[] {
  return sandbox.db
    .all<CommentRow>("SELECT * FROM facebook_comments ORDER BY created_at DESC, id DESC")
    .map((row) => toLiveComment(sandbox, row));
}

const toLiveComment = (sandbox: Sandbox, row: CommentRow): LiveComment => ({
  platform: "facebook",
  account_id: row.page_id,
  id: row.id,
  post_id: row.post_id,
  reply_to: row.parent_id,
  author: row.author_name,
  author_id: row.author_id,
  text: row.message,
  hidden: row.is_hidden === 1,
  liked: row.is_liked === 1,
  created_at: sandbox.iso(row.created_at),
});
