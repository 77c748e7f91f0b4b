/**
 * Every permission in the specification (spec 5.5), and those that it lacks, from `manage-webhooks` on.
 */
export const PERMISSIONS = [
  "add-channels",
  "social-read-posts",
  "social-create-post",
  "social-view-post",
  "social-delete-post",
  "create-comment-automation",
  "read-comment-automations",
  "view-comment-automation",
  "delete-comment-automation",
  "social-post-generation",
  "boost-create-campaign",
  "boost-update-campaign",
  "boost-read-campaigns",
  "boost-view-campaign",
  "boost-delete-campaign",
  "manage-webhooks",
  "social-propose-post",
  "social-read-insights",
  "social-read-comments",
  "social-manage-comments",
  "social-read-messages",
  "social-send-messages",
] as const;
export type Permission = (typeof PERMISSIONS)[number];
