// Authorization: who may act as which author, and with which scope.

import type { Sandbox } from "../sandbox";
import type { Caller } from "./api";
import { rolesOn } from "./store";

const POSTING = ["ADMINISTRATOR", "CONTENT_ADMINISTRATOR", "CONTENT_ADMIN", "DIRECT_SPONSORED_CONTENT_POSTER"];
const READING_COMMENTS = ["ADMINISTRATOR", "DIRECT_SPONSORED_CONTENT_POSTER"];
const WRITING_COMMENTS = [...READING_COMMENTS, "RECRUITING_POSTER"];

type Deed = "post" | "video" | "read comments" | "comment";

const ROLES: Readonly<Record<Deed, readonly string[]>> = {
  post: POSTING,
  // Content administrators may not post videos of a page.
  video: POSTING.filter((role) => !role.startsWith("CONTENT_ADMIN")),
  "read comments": READING_COMMENTS,
  comment: WRITING_COMMENTS,
};

/** Whether the member may do this as the person or organization (`person:1001`, `organization:9001`). */
export function mayActAs(sandbox: Sandbox, { personId, scopes }: Caller, key: string, deed: Deed = "post"): boolean {
  const [kind, id = ""] = key.split(":");
  const isOrganization = kind === "organization";
  const scope = scopesFor(deed, isOrganization);
  if (!scope.some((one) => scopes.includes(one))) return false;
  if (!isOrganization) return id === personId;
  return rolesOn(sandbox, personId, id).some((role) => ROLES[deed].includes(role));
}

function scopesFor(deed: Deed, isOrganization: boolean): readonly string[] {
  const kind = isOrganization ? "organization" : "member";
  if (deed === "comment") return [`w_${kind}_social_feed`];
  if (deed === "read comments") return isOrganization ? ["r_organization_social_feed", "r_organization_social"] : [];
  return [`w_${kind}_social`];
}

export const hasRole = (sandbox: Sandbox, { personId }: Caller, key: string): boolean =>
  key.startsWith("organization:") && rolesOn(sandbox, personId, key.slice("organization:".length)).length > 0;
