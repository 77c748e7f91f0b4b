/** What a member of a project may do, weakest first: each role includes those before it. */
export const ROLES = ["viewer", "author", "editor", "owner"] as const;
export type Role = (typeof ROLES)[number];

export function includesRole(role: Role, needed: Role): boolean {
  return ROLES.indexOf(role) >= ROLES.indexOf(needed);
}
