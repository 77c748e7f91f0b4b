/** Operations by their former paths, and where they are now. */
const RENAMED: readonly (readonly [former: string, now: string])[] = [
  ["GET /social/channel/{channel_id}/timetable", "GET /social/get-channel-timetable/{channel_id}"],
  ["PUT /social/channel/{channel_id}/timetable", "PUT /social/update-channel-timetable/{channel_id}"],
  ["GET /social/platforms", "GET /social/get-platforms"],
  ["GET /social/channel/{channel_id}/posting-options", "GET /social/get-posting-options/{channel_id}"],
  ["GET /social/post/{post_id}/events", "GET /social/get-post-events/{post_id}"],
  ["GET /social/explain/{post_id}", "GET /social/explain-post/{post_id}"],
  ["GET /social/import/{import_id}", "GET /social/get-import/{import_id}"],
  ["GET /social/series/{series_id}/events", "GET /social/get-series-events/{series_id}"],
  ["GET /social/series/{series_id}", "GET /social/get-series/{series_id}"],
  ["GET /social/series", "GET /social/get-series"],
  ["GET /social/feed/{feed_id}/events", "GET /social/get-feed-events/{feed_id}"],
  ["GET /social/feed/{feed_id}", "GET /social/get-feed/{feed_id}"],
  ["POST /social/approval-link/{post_id}", "POST /social/create-approval-link/{post_id}"],
  ["DELETE /social/approval-link/{post_id}", "DELETE /social/delete-approval-link/{post_id}"],
  ["GET /social/approvals", "GET /social/get-approvals"],
  ["GET /social/post/{post_id}/insights", "GET /social/get-post-insights/{post_id}"],
  ["GET /social/channel/{channel_id}/insights", "GET /social/get-channel-insights/{channel_id}"],
  ["POST /social/channel/{channel_id}/insights", "PUT /social/update-channel/{channel_id}"],
  ["GET /social/insights/top-posts", "GET /social/get-top-posts"],
  ["GET /social/insights/best-times", "GET /social/get-best-times"],
  ["GET /social/insights/export", "GET /social/export-insights"],
  ["GET /social/comments", "GET /social/get-comments"],
  ["GET /social/comment/{comment_id}/events", "GET /social/get-comment-events/{comment_id}"],
  ["POST /social/comment/{comment_id}/reply", "POST /social/reply-to-comment/{comment_id}"],
  ["POST /social/comment/{comment_id}/hide", "POST /social/hide-comment/{comment_id}"],
  ["POST /social/comment/{comment_id}/unhide", "POST /social/unhide-comment/{comment_id}"],
  ["POST /social/comment/{comment_id}/like", "POST /social/like-comment/{comment_id}"],
  ["POST /social/comment/{comment_id}/unlike", "POST /social/unlike-comment/{comment_id}"],
  ["GET /social/comment/{comment_id}", "GET /social/get-comment/{comment_id}"],
  ["DELETE /social/comment/{comment_id}", "DELETE /social/delete-comment/{comment_id}"],
  ["PUT /social/comment/{comment_id}", "PUT /social/update-comment/{comment_id}"],
  ["POST /social/channel/{channel_id}/comments", "PUT /social/update-channel/{channel_id}"],
  ["GET /social/conversations", "GET /social/get-conversations"],
  ["GET /social/conversation/{conversation_id}/messages", "GET /social/get-messages/{conversation_id}"],
  ["GET /social/conversation/{conversation_id}/events", "GET /social/get-conversation-events/{conversation_id}"],
  ["POST /social/conversation/{conversation_id}/send", "POST /social/send-message/{conversation_id}"],
  ["GET /social/conversation/{conversation_id}", "GET /social/get-conversation/{conversation_id}"],
  ["PUT /social/conversation/{conversation_id}", "PUT /social/update-conversation/{conversation_id}"],
  ["POST /social/channel/{channel_id}/messages", "PUT /social/update-channel/{channel_id}"],
  ["POST /social/begin-upload", "POST /social/create-upload"],
  ["DELETE /social/cancel-upload/{upload_id}", "DELETE /social/delete-upload/{upload_id}"],
  ["GET /social/media-library/{media_id}", "GET /social/get-media/{media_id}"],
  ["PUT /social/media-library/{media_id}", "PUT /social/update-media/{media_id}"],
  ["DELETE /social/media-library/{media_id}", "DELETE /social/delete-media/{media_id}"],
  ["GET /social/media-library", "GET /social/get-media"],
  ["GET /social/get-comment-automation/{id}/replies", "GET /social/get-comment-automation-replies/{id}"],
  ["GET /social/post-generation/{post_id}", "GET /social/get-post-generation/{post_id}"],
  ["GET /social/get-webhook/{id}/deliveries", "GET /social/get-webhook-deliveries/{webhook_id}"],
  ["POST /social/rotate-web-hook-secret", "POST /social/rotate-generation-secret"],
  ["GET /social/usage", "GET /social/get-usage"],
];

/** `GET /social/get-feed/12` for `GET` and `/social/feed/12`; null for a path that never was one. */
export function renamedTo(method: string, path: string): string | null {
  const asked = `${method} ${path}`.split("/");
  for (const [former, now] of RENAMED) {
    const id = idIn(asked, former.split("/"));
    if (id !== null) return now.replace(/\{\w+\}/, () => id);
  }
  return null;
}

/** What stands at the placeholder of `former`, or "" if it has none; null for another path. */
function idIn(asked: readonly string[], former: readonly string[]): string | null {
  const isOther = (part: string, at: number) => (part.startsWith("{") ? !asked[at] : part !== asked[at]);
  if (asked.length !== former.length || former.some(isOther)) return null;
  return asked[former.findIndex((part) => part.startsWith("{"))] ?? "";
}
