import { PERMISSIONS, type Permission } from "../../core/permissions.ts";

/** Permissions by what a program does; "custom" is chosen one by one. */
export const PERMISSION_SETS = {
  publish: ["add-channels", "social-read-posts", "social-create-post", "social-view-post", "social-delete-post"],
  read: [
    "social-read-posts",
    "social-view-post",
    "social-read-insights",
    "social-read-comments",
    "read-comment-automations",
    "view-comment-automation",
    "boost-read-campaigns",
    "boost-view-campaign",
  ],
  propose: ["social-read-posts", "social-view-post", "social-propose-post"],
  bots: [
    "social-read-posts",
    "create-comment-automation",
    "read-comment-automations",
    "view-comment-automation",
    "delete-comment-automation",
  ],
  boosts: [
    "social-read-posts",
    "social-view-post",
    "boost-create-campaign",
    "boost-update-campaign",
    "boost-read-campaigns",
    "boost-view-campaign",
    "boost-delete-campaign",
  ],
  everything: PERMISSIONS,
} as const satisfies Readonly<Record<string, readonly Permission[]>>;

export type PermissionSet = keyof typeof PERMISSION_SETS;
export const TASKS = ["publish", "propose", "read", "bots", "boosts", "everything", "custom"] as const;

/** The task that these permissions are for; null for any other choice. */
export function taskOf(permissions: readonly Permission[]): PermissionSet | null {
  const given = permissions.toSorted().join();
  const tasks: readonly PermissionSet[] = ["publish", "propose", "read", "bots", "boosts", "everything"];
  return tasks.find((task) => PERMISSION_SETS[task].toSorted().join() === given) ?? null;
}
