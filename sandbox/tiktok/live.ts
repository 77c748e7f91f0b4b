// The live posts and comments of TikTok, for the rest of the sandbox.

import { blobPath } from "../blobs";
import { having } from "../database";
import type { LiveComment, LivePost } from "../platform";
import type { Sandbox } from "../sandbox";
import { MAIN_APP, openIdOf } from "./apps";
import { type CommentRow, filesOf, findAccount, isLive, labelsOf, type TaskRow } from "./store";

export function addressOf(sandbox: Sandbox, task: TaskRow): string {
  const username = findAccount(sandbox, task.account_id)?.username ?? "";
  return `https://www.tiktok.com/@${username}/${task.kind === "photos" ? "photo" : "video"}/${task.post_id}`;
}

/** All, or the one of this post. */
export function liveTasks(sandbox: Sandbox, postId?: string): TaskRow[] {
  const { condition, values } = having(postId, "post_id");
  const rows = sandbox.db.all<TaskRow>(
    `SELECT * FROM tiktok_tasks WHERE begun_at IS NOT NULL AND ${condition} ORDER BY begun_at DESC, post_id DESC`,
    ...values,
  );
  return rows.filter((task) => isLive(task, sandbox.now()));
}

export function toLivePost(sandbox: Sandbox, task: TaskRow): LivePost {
  const files = filesOf(task);
  return {
    platform: "tiktok",
    account_id: openIdOf(MAIN_APP.key, task.account_id),
    id: task.post_id,
    text: task.title === "" ? task.caption : `${task.title}\n${task.caption}`,
    media: files.map(blobPath),
    alt_texts: files.map(() => null),
    labels: labelsOf(task),
    permalink: addressOf(sandbox, task),
    reply_to: null,
    created_at: sandbox.iso(task.begun_at ?? task.opened_at),
  };
}

/** The id that the API for Business gives each comment author; no other API uses it. */
export function identifierOf(author: string): string {
  return `hash-${author}`;
}

export function toComment(sandbox: Sandbox, row: CommentRow): LiveComment {
  const [task] = liveTasks(sandbox, row.post_id);
  return {
    platform: "tiktok",
    account_id: task ? openIdOf(MAIN_APP.key, task.account_id) : "",
    id: row.id,
    post_id: row.post_id,
    reply_to: row.parent_id,
    author: row.author,
    author_id: identifierOf(row.author),
    text: row.text,
    hidden: row.is_hidden === 1,
    liked: row.is_liked === 1,
    created_at: sandbox.iso(row.created_at),
  };
}
