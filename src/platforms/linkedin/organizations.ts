import { z } from "zod";
import type { Credentials, Failure } from "../context.ts";
import { PlatformId } from "../json.ts";
import { lenient, parseItems, readList } from "../lists.ts";
import type { GrantedAccount } from "../login.ts";
import { ORGANIZATION } from "./account.ts";
import type { Read } from "./api.ts";

/**
 * The organizations (pages) of a person who has logged in.
 *
 * - The list has only roles and URNs, under one of two names. Each organization's name is a call of its own.
 * - Some roles may post as the page. A person may have several roles on the same page.
 */
const PAGE_SIZE = 100;
const MAX_PAGES = 3;
/** Names read at a time, and in total: each is a call of a small allowance. */
const AT_ONCE = 5;
const MAX_NAMED = 60;

const NEEDED = ["r_organization_social", "w_organization_social"];
/** The strongest first. */
const POSTING_ROLES = [
  "ADMINISTRATOR",
  "CONTENT_ADMINISTRATOR",
  "CONTENT_ADMIN",
  "DIRECT_SPONSORED_CONTENT_POSTER",
] as const;

const Acl = z.object({
  role: z.string(),
  state: lenient(z.string()),
  organization: lenient(z.string()),
  organizationTarget: lenient(z.string()),
});
const Acls = z.object({ elements: z.array(z.unknown()) });
const Organization = z.object({
  id: PlatformId.optional(),
  localizedName: z.string().optional(),
  vanityName: z.string().optional(),
});

/** The organizations where the person has a role, whether or not it allows posts. */
export async function findOrganizations(
  credentials: Credentials,
  read: Read,
): Promise<readonly GrantedAccount[] | Failure> {
  if (!credentials.scopes.some((scope) => /^rw?_organization_admin$/.test(scope))) return [];
  const listed = await readList<z.output<typeof Acl>, Failure>(MAX_PAGES, async (cursor) => {
    const start = Number(cursor ?? 0);
    const query = { q: "roleAssignee", state: "APPROVED", start, count: PAGE_SIZE };
    const answer = await read({ method: "GET", path: "rest/organizationAcls", query, restli: "FINDER" }, Acls);
    if (answer.kind === "failed") return answer;
    const { elements } = answer.value;
    const { items } = parseItems(Acl, elements);
    return { kind: "page", items, isLast: elements.length < PAGE_SIZE, next: String(start + PAGE_SIZE) };
  });
  if (listed.kind === "failed") return listed;
  return named(rolesByOrganization(listed.items), credentials, read);
}

function rolesByOrganization(acls: readonly z.output<typeof Acl>[]): Map<string, readonly string[]> {
  const roles = new Map<string, readonly string[]>();
  for (const { role, state = "APPROVED", organization, organizationTarget } of acls) {
    const urn = organization ?? organizationTarget;
    if (state !== "APPROVED" || !urn?.startsWith(ORGANIZATION)) continue;
    roles.set(urn, [...(roles.get(urn) ?? []), role]);
  }
  return roles;
}

async function named(
  roles: ReadonlyMap<string, readonly string[]>,
  credentials: Credentials,
  read: Read,
): Promise<readonly GrantedAccount[] | Failure> {
  const accounts: GrantedAccount[] = [];
  // Usable pages are offered first.
  const all = [...roles].toSorted(([, a], [, b]) => Number(mayPost(b)) - Number(mayPost(a)));
  for (let at = 0; at < all.length; at += AT_ONCE) {
    const found = await Promise.all(
      all.slice(at, at + AT_ONCE).map(([urn, own]) => toAccount(urn, own, credentials, at < MAX_NAMED ? read : null)),
    );
    for (const one of found) {
      if ("reason" in one) return one;
      accounts.push(one);
    }
  }
  return accounts;
}

const mayPost = (roles: readonly string[]) => POSTING_ROLES.some((role) => roles.includes(role));

async function toAccount(
  urn: string,
  roles: readonly string[],
  credentials: Credentials,
  read: Read | null,
): Promise<GrantedAccount | Failure> {
  const id = urn.slice(ORGANIZATION.length);
  const answer = read && (await read({ method: "GET", path: `rest/organizations/${id}` }, Organization));
  // A page without a readable name can still be connected.
  const isRefused = answer?.kind === "failed" && /^(rejected|permission_missing)$/.test(answer.reason);
  if (answer?.kind === "failed" && !isRefused) return answer;
  const { localizedName, vanityName } = answer?.kind === "ok" ? answer.value : {};
  const name = localizedName ?? `Page ${id}`;
  const unusableReason = whyUnusable(name, roles, credentials);
  const role = POSTING_ROLES.find((one) => roles.includes(one));
  return {
    id: urn,
    name,
    username: vanityName ?? null,
    pictureUrl: null,
    attributes: role === undefined ? {} : { role },
    grants: unusableReason === null ? { publish: credentials } : {},
    unusableReason,
  };
}

function whyUnusable(name: string, roles: readonly string[], { scopes }: Credentials): string | null {
  const missing = NEEDED.filter((scope) => !scopes.includes(scope));
  if (missing.length > 0) return `Missing permissions: ${missing.join(", ")}. Reconnect and allow everything.`;
  if (mayPost(roles)) return null;
  return `You may not post as ${name}. Ask an administrator of the page for the role of content administrator, then connect again.`;
}
