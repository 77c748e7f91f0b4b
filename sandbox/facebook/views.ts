// Complete Graph API views of rows; `fields` reduces them later.

import { promotionOf } from "../meta/ads/boosts";
import { graphTime, type JsonObject } from "../meta/fields";
import type { Sandbox } from "../sandbox";
import { linkAttachment, linkIn } from "./links";
import {
  type CommentRow,
  findComment,
  findPage,
  findPhoto,
  findVideo,
  isLive,
  type PhotoRow,
  type PostRow,
  photoIds,
  type VideoRow,
} from "./store";
import { readBack } from "./text";
import { APP_ID, APP_NAME } from "./tokens";

const WWW = "https://www.facebook.com";

export function permalink(post: PostRow): string {
  const [page, bare] = post.id.includes("_") ? post.id.split("_") : [post.page_id, post.id];
  switch (post.kind) {
    case "reel":
      return `${WWW}/reel/${post.video_id}`;
    case "video":
      return `${WWW}/${page}/videos/${post.video_id}`;
    case "photo_story":
    case "video_story":
      return `${WWW}/stories/${page}/${bare}`;
    default:
      return `${WWW}/${page}/posts/${bare}`;
  }
}

export function statusType(post: PostRow): string {
  if (post.kind !== "feed") return `added_${post.kind}s`;
  return photoIds(post).length > 0 ? "added_photos" : "mobile_status_update";
}

const APPLICATIONS = {
  own: { id: APP_ID, name: APP_NAME, link: "https://belfry.example" },
  other: { id: "200000000000002", name: "Another Planner (simulated)", link: "https://planner.example" },
};

export function postView(sandbox: Sandbox, post: PostRow): JsonObject {
  const photos = photoIds(post).flatMap((id) => findPhoto(sandbox, id) ?? []);
  const at = post.live_at ?? post.created_at;
  return {
    id: post.id,
    ...(post.message ? { message: readBack(sandbox, post.message) } : {}),
    created_time: graphTime(at),
    updated_time: graphTime(post.edited_at ?? at),
    permalink_url: permalink(post),
    is_published: isLive(post, sandbox.now()),
    is_hidden: false,
    status_type: statusType(post),
    ...promotionOf(sandbox, post.id),
    ...(post.scheduled_at ? { scheduled_publish_time: Math.floor(post.scheduled_at / 1000) } : {}),
    ...(photos[0] ? { full_picture: photos[0].url } : {}),
    from: { id: post.page_id, name: findPage(sandbox, post.page_id)?.name ?? "" },
    ...(post.made_by === "hand" ? {} : { application: APPLICATIONS[post.made_by] }),
    ...attachmentsOf(sandbox, post, photos),
    comments: { data: commentsOn(sandbox, post.id).map((comment) => commentView(sandbox, comment)) },
  };
}

function attachmentsOf(sandbox: Sandbox, post: PostRow, photos: PhotoRow[]): JsonObject {
  const photo = (row: PhotoRow): JsonObject => ({
    media_type: "photo",
    type: "photo",
    target: { id: row.id, url: `${WWW}/photo/?fbid=${row.id}` },
    url: `${WWW}/photo/?fbid=${row.id}`,
    media: { image: { src: row.url, width: row.width, height: row.height } },
    ...(row.caption ? { description: row.caption } : {}),
  });
  const [first] = photos;
  if (first && photos.length === 1) return { attachments: { data: [photo(first)] } };
  if (first) {
    const url = permalink(post);
    const album: JsonObject = {
      media_type: "album",
      type: "album",
      target: { id: post.id.split("_").at(-1), url },
      url,
      media: { image: { src: first.url, width: first.width, height: first.height } },
      subattachments: { data: photos.map(photo) },
    };
    return { attachments: { data: [album] } };
  }
  if (post.video_id) {
    const url = permalink(post);
    const source = videoSource(findVideo(sandbox, post.video_id));
    const video: JsonObject = {
      media_type: "video",
      type: "video_inline",
      target: { id: post.video_id, url },
      url,
      media: source ? { source } : {},
    };
    return { attachments: { data: [video] } };
  }
  const link = post.link ?? linkIn(post.message ?? "");
  return link === null ? {} : { attachments: { data: [linkAttachment(link)] } };
}

export const videoSource = (video: VideoRow | null) =>
  video?.url ?? (video?.blob_id ? `/_blob/${video.blob_id}` : null);

export function photoView(sandbox: Sandbox, photo: PhotoRow): JsonObject {
  return {
    id: photo.id,
    ...(photo.caption ? { name: readBack(sandbox, photo.caption) } : {}),
    link: `${WWW}/photo/?fbid=${photo.id}`,
    created_time: graphTime(photo.created_at),
    updated_time: graphTime(photo.created_at),
    ...(photo.alt_text ? { alt_text: photo.alt_text, alt_text_custom: photo.alt_text } : {}),
    width: photo.width,
    height: photo.height,
    ...(photo.post_id ? { page_story_id: photo.post_id } : {}),
    published: photo.post_id !== null,
    picture: photo.url,
    images: [{ source: photo.url, width: photo.width, height: photo.height }],
    from: { id: photo.page_id, name: findPage(sandbox, photo.page_id)?.name ?? "" },
  };
}

export function commentsOn(sandbox: Sandbox, postId: string): CommentRow[] {
  return sandbox.db.all<CommentRow>(
    "SELECT * FROM facebook_comments WHERE post_id = ? ORDER BY created_at, id",
    postId,
  );
}

export function commentView(sandbox: Sandbox, comment: CommentRow): JsonObject {
  const isOwn = comment.author_id === comment.page_id;
  const replies = sandbox.db.first<{ count: number }>(
    "SELECT count(*) AS count FROM facebook_comments WHERE parent_id = ?",
    comment.id,
  );
  const parent = comment.parent_id ? findComment(sandbox, comment.parent_id) : null;
  const isRecent = comment.created_at > sandbox.now() - 7 * 86_400_000;
  return {
    id: comment.id,
    message: readBack(sandbox, comment.message),
    from: { id: comment.author_id, name: comment.author_name },
    created_time: graphTime(comment.created_at),
    can_reply_privately: !isOwn && !comment.answered_privately && isRecent,
    can_hide: !isOwn,
    can_remove: true,
    can_comment: true,
    is_hidden: comment.is_hidden === 1,
    comment_count: replies?.count ?? 0,
    like_count: comment.is_liked,
    user_likes: comment.is_liked === 1,
    permalink_url: `${WWW}/${comment.post_id}?comment_id=${comment.id.split("_").at(-1)}`,
    object: { id: comment.post_id },
    ...(parent
      ? { parent: { id: parent.id, message: parent.message, created_time: graphTime(parent.created_at) } }
      : {}),
    ...(comment.attachment
      ? {
          attachment: {
            media_type: "photo",
            type: "photo",
            url: comment.attachment,
            media: { image: { src: comment.attachment } },
          },
        }
      : {}),
  };
}
