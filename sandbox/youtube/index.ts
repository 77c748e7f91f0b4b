// YouTube: the API hosts, Google's login, the website, and the interface to the rest of the sandbox.

import { Hono } from "hono";
import { bodyLimit } from "hono/body-limit";
import { blobPath } from "../blobs";
import { having } from "../database";
import type { Account, LiveComment, LivePost, NewAccount, NewPost, SimulatedPlatform } from "../platform";
import type { Sandbox } from "../sandbox";
import { analyticsApp } from "./analytics";
import type { YoutubeEnv } from "./api";
import { channelRoutes } from "./channels";
import { commentRoutes, insertComment } from "./comments";
import { googleAccounts, youtubeWebsite } from "./consent";
import { ApiError } from "./errors";
import { insertVideo } from "./insert";
import { UNSAID } from "./metadata";
import { oauthApp } from "./oauth";
import { partial } from "./partial";
import { playlistRoutes, playlistsWith } from "./playlists";
import {
  type ChannelRow,
  type CommentRow,
  findChannel,
  findComment,
  findVideo,
  isShort,
  isUp,
  labelsOf,
  resourceOf,
  saveVideo,
  type VideoRow,
  YOUTUBE_TABLES,
} from "./store";
import { tokenInfo } from "./token-info";
import { uploadRoutes } from "./uploads";
import { videoRoutes } from "./videos";

export function youtube(sandbox: Sandbox): SimulatedPlatform {
  const api = apiApp(sandbox);
  const website = youtubeWebsite(sandbox);
  return {
    name: "youtube",
    title: "YouTube",
    tables: YOUTUBE_TABLES,
    ownFaults: [],
    hosts: {
      "www.googleapis.com": api,
      "youtube.googleapis.com": api,
      "youtubeanalytics.googleapis.com": analyticsApp(sandbox),
      "oauth2.googleapis.com": oauthApp(sandbox),
      "accounts.google.com": googleAccounts(sandbox),
      "www.youtube.com": website,
      "youtu.be": website,
    },
    seed: () => seed(sandbox),
    accounts: () => listChannels(sandbox).map(toAccount),
    addAccount: (account) => toAccount(addChannel(sandbox, account)),
    addPost: (post) => addVideo(sandbox, post),
    posts: (id) => liveVideos(sandbox, id).map((video) => toLivePost(sandbox, video)),
    comments: () => sandbox.db.all<CommentRow>("SELECT * FROM youtube_comments").map((row) => toComment(sandbox, row)),
    // YouTube has no message API.
    messages: () => [],
    addComment(comment) {
      const target = findComment(sandbox, comment.post_id);
      const video = findVideo(sandbox, target?.video_id ?? comment.post_id);
      if (!video || !isUp(video, sandbox.now()) || resourceOf(video).selfDeclaredMadeForKids) return null;
      const author = commenter(sandbox, comment.author);
      const parentId = target ? (target.parent_id ?? target.id) : null;
      const row = insertComment(sandbox, { videoId: video.id, parentId, ...author, text: comment.text });
      return toComment(sandbox, row);
    },
  };
}

function apiApp(sandbox: Sandbox) {
  const app = new Hono<YoutubeEnv>();
  app.use(bodyLimit({ maxSize: 60_000_000 }));
  app.use(partial);
  app.route("/", tokenInfo(sandbox));
  app.route("/", uploadRoutes(sandbox));
  app.route("/", videoRoutes(sandbox));
  app.route("/", channelRoutes(sandbox));
  app.route("/", playlistRoutes(sandbox));
  app.route("/", commentRoutes(sandbox));
  // Unknown paths return an HTML page, not an API error.
  app.notFound((c) => c.html("<html><title>Error 404 (Not Found)!!1</title></html>", 404));
  app.onError((error) =>
    (error instanceof ApiError ? error : new ApiError(500, "internalError", error.message)).toResponse(),
  );
  return app;
}

const listChannels = (sandbox: Sandbox) =>
  sandbox.db.all<ChannelRow>("SELECT * FROM youtube_channels ORDER BY created_at, id");

function seed(sandbox: Sandbox): void {
  const channels = [
    ["UCsandboxBakery000000001", "Harbour Bakery", "harbourbakery", "allowed"],
    ["UCsandboxFern00000000002", "Fern & Oak", "fernandoak", "allowed"],
    ["UCsandboxBikes0000000003", "Acme Bikes", "acmebikes", "eligible"],
  ] as const;
  channels.forEach(([id, title, handle, long_uploads], index) => {
    insertChannel(sandbox, { id, title, handle, long_uploads, created_at: Date.parse("2021-02-03T10:00:00Z") + index });
  });
}

function insertChannel(sandbox: Sandbox, channel: ChannelRow): ChannelRow {
  const { id, title, handle, long_uploads, created_at } = channel;
  sandbox.db.run("INSERT INTO youtube_channels VALUES (?, ?, ?, ?, ?)", id, title, handle, long_uploads, created_at);
  return channel;
}

function addChannel(sandbox: Sandbox, account: NewAccount): ChannelRow {
  const number = sandbox.db.next("youtube_channels", 1001);
  const bare = account.name.toLowerCase().replace(/[^a-z0-9]/g, "") || "someone";
  return insertChannel(sandbox, {
    id: `UCsandboxAdded${String(number).padStart(10, "0")}`,
    title: account.name,
    handle: account.username ?? `${bare}${number}`,
    long_uploads: "allowed",
    created_at: sandbox.now(),
  });
}

const toAccount = (channel: ChannelRow): Account => ({
  platform: "youtube",
  id: channel.id,
  name: channel.title,
  username: channel.handle,
  detail: `@${channel.handle}, long uploads ${channel.long_uploads}`,
});

/** The commenter of this name: a channel, or an external account with a stable id. */
function commenter(sandbox: Sandbox, name: string): { authorId: string; authorName: string } {
  const bare = name.replace(/^@/, "");
  const known = listChannels(sandbox).find(({ title, handle }) => title === bare || handle === bare);
  if (known) return { authorId: known.id, authorName: `@${known.handle}` };
  const letters = bare.replace(/[^A-Za-z0-9]/g, "");
  return { authorId: `UCviewer${letters.padEnd(16, "_").slice(0, 16)}`, authorName: `@${bare}` };
}

/** A video that was published outside our app. The text is its description; the title is its beginning. */
function addVideo(sandbox: Sandbox, post: NewPost): LivePost | null {
  if (!findChannel(sandbox, post.account_id)) return null;
  const blobId = sandbox.blobs.create("video/mp4");
  const video = insertVideo(sandbox, {
    channelId: post.account_id,
    resource: { ...UNSAID, title: post.text.replace(/[<>]/g, "").slice(0, 100), description: post.text },
    blobId,
    fileName: `${post.application}.mp4`,
    trouble: null,
    createdAt: post.createdAt,
  });
  // The video is published without a file.
  return toLivePost(sandbox, saveVideo(sandbox, { ...video, trouble: null, ready_at: post.createdAt }));
}

function liveVideos(sandbox: Sandbox, id: string | undefined): VideoRow[] {
  const { condition, values } = having(id, "id");
  const query = `SELECT * FROM youtube_videos WHERE ${condition} ORDER BY created_at DESC, rowid DESC`;
  const rows = sandbox.db.all<VideoRow>(query, ...values);
  return rows.filter((video) => isUp(video, sandbox.now()));
}

function toLivePost(sandbox: Sandbox, video: VideoRow): LivePost {
  const path = isShort(video) ? `shorts/${video.id}` : `watch?v=${video.id}`;
  return {
    platform: "youtube",
    account_id: video.channel_id,
    id: video.id,
    text: resourceOf(video).description,
    media: [blobPath(video.blob_id)],
    alt_texts: [null],
    ...(video.thumbnail === null ? {} : { cover: blobPath(video.thumbnail) }),
    labels: labelsOf(resourceOf(video)),
    playlists: playlistsWith(sandbox, video.id),
    permalink: `https://www.youtube.com/${path}`,
    reply_to: null,
    created_at: sandbox.iso(video.created_at),
  };
}

function toComment(sandbox: Sandbox, row: CommentRow): LiveComment {
  return {
    platform: "youtube",
    account_id: findVideo(sandbox, row.video_id)?.channel_id ?? "",
    id: row.id,
    post_id: row.video_id,
    reply_to: row.parent_id,
    author: row.author_name,
    author_id: row.author_id ?? "",
    text: row.text,
    hidden: row.moderation !== "published",
    created_at: sandbox.iso(row.created_at),
  };
}
