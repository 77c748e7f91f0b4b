// Selectable fields and views of Threads objects.

import { graphTime, type JsonObject, type Shape, shape } from "../meta/fields";
import type { GraphContext } from "../meta/params";
import type { Sandbox } from "../sandbox";
import { statusOf } from "./container-status";
import { type AccountRow, type ContainerRow, filesOf, findMedia, type MediaRow } from "./store";
import { readBack } from "./text";

const REFERENCE = shape("Media", "id", {}, "id");
const OWNER = shape("User", "id", {}, "id");

export const MediaShape: Shape = shape(
  "Media",
  "id media_product_type media_type media_url thumbnail_url gif_url permalink username text timestamp shortcode " +
    "is_quote_post has_replies is_reply is_reply_owned_by_me hide_status reply_audience alt_text link_attachment_url " +
    "topic_tag poll_attachment ghost_post_status is_verified profile_picture_url",
  {
    owner: OWNER,
    children: shape("Media", "id media_type media_url alt_text", {}, "id"),
    quoted_post: REFERENCE,
    reposted_post: REFERENCE,
    root_post: REFERENCE,
    replied_to: REFERENCE,
  },
  "id",
);

export const ContainerShape = shape("ThreadsMediaContainer", "id status error_message", {}, "id status");

export const AccountShape = shape(
  "ThreadsUser",
  "id username name threads_profile_picture_url threads_biography is_verified is_eligible_for_geo_gating",
  {},
  "id",
);

export function accountView(c: GraphContext, { id, username, name, biography }: AccountRow): JsonObject {
  return {
    id,
    username,
    name,
    threads_profile_picture_url: `${c.env.origin}/_media/square.jpg`,
    threads_biography: biography,
    is_verified: false,
  };
}

export function containerView(sandbox: Sandbox, row: ContainerRow): JsonObject {
  const status = statusOf(sandbox, row);
  return { id: row.id, status, ...(status === "ERROR" ? { error_message: row.error ?? "UNKNOWN" } : {}) };
}

export const permalinkOf = (sandbox: Sandbox, { username, shortcode }: MediaRow): string =>
  `https://${sandbox.settings.all.threads_permalink_host}/@${username}/post/${shortcode}`;

const reference = (id: string | null) => (id === null ? {} : { id });

/** A post or reply as the account sees it. */
export function mediaView(sandbox: Sandbox, row: MediaRow, viewer: string): JsonObject {
  const files = filesOf(row);
  const [first] = files;
  const isOwn = row.account_id === viewer;
  const answers = sandbox.db.first(
    "SELECT 1 FROM threads_media WHERE reply_to = ? AND live_at <= ?",
    row.id,
    sandbox.now(),
  );
  const isAlbum = files.length > 1;
  return {
    id: row.id,
    media_product_type: "THREADS",
    media_type: row.media_type,
    permalink: permalinkOf(sandbox, row),
    ...(isOwn ? { owner: { id: viewer } } : {}),
    username: row.username,
    ...(row.text === "" ? {} : { text: readBack(sandbox, row.text) }),
    timestamp: graphTime(row.live_at),
    shortcode: row.shortcode,
    is_quote_post: row.quoted !== null,
    has_replies: answers !== null,
    is_reply: row.reply_to !== null,
    hide_status: row.hide_status,
    reply_audience: "EVERYONE",
    ...(first ? { media_url: first.url, ...(first.alt === null ? {} : { alt_text: first.alt }) } : {}),
    ...(isAlbum ? { children: { data: files.map((file, at) => childView(row, file, at)) } } : {}),
    ...(row.link === null ? {} : { link_attachment_url: row.link }),
    ...(row.topic_tag === null ? {} : { topic_tag: row.topic_tag }),
    ...(row.quoted === null ? {} : { quoted_post: reference(row.quoted) }),
    ...(row.reposted === null ? {} : { reposted_post: reference(row.reposted) }),
    ...(row.reply_to === null ? {} : replyView(sandbox, row, viewer)),
  };
}

function childView(row: MediaRow, file: ReturnType<typeof filesOf>[number], at: number): JsonObject {
  return {
    id: `${row.id}${at}`,
    media_type: file.kind,
    media_url: file.url,
    ...(file.alt === null ? {} : { alt_text: file.alt }),
  };
}

function replyView(sandbox: Sandbox, row: MediaRow, viewer: string): JsonObject {
  const parent = row.reply_to === null ? null : findMedia(sandbox, row.reply_to);
  return {
    is_reply_owned_by_me: row.account_id === viewer,
    root_post: reference(row.root),
    // A deleted parent is omitted.
    ...(parent ? { replied_to: reference(parent.id) } : {}),
  };
}
