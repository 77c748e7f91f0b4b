// Tables, rows, URNs and ids of the simulated LinkedIn.

import type { Sandbox } from "../sandbox";

export const LINKEDIN_TABLES = `
  CREATE TABLE IF NOT EXISTS linkedin_people (
    id TEXT PRIMARY KEY, given_name TEXT NOT NULL, family_name TEXT NOT NULL, is_account INTEGER NOT NULL);
  CREATE TABLE IF NOT EXISTS linkedin_organizations (id TEXT PRIMARY KEY, name TEXT NOT NULL, vanity TEXT NOT NULL UNIQUE);
  CREATE TABLE IF NOT EXISTS linkedin_roles (
    person_id TEXT NOT NULL, organization_id TEXT NOT NULL, role TEXT NOT NULL, state TEXT NOT NULL);
  CREATE TABLE IF NOT EXISTS linkedin_grants (
    id INTEGER PRIMARY KEY AUTOINCREMENT, client_id TEXT NOT NULL, person_id TEXT NOT NULL, scopes TEXT NOT NULL,
    is_dead INTEGER NOT NULL DEFAULT 0, created_at INTEGER NOT NULL);
  CREATE TABLE IF NOT EXISTS linkedin_codes (
    code TEXT PRIMARY KEY, grant_id INTEGER NOT NULL, redirect_uri TEXT NOT NULL, expires_at INTEGER NOT NULL,
    is_used INTEGER NOT NULL DEFAULT 0);
  CREATE TABLE IF NOT EXISTS linkedin_tokens (
    token TEXT PRIMARY KEY, grant_id INTEGER NOT NULL, kind TEXT NOT NULL, issued_at INTEGER NOT NULL,
    expires_at INTEGER NOT NULL, is_revoked INTEGER NOT NULL DEFAULT 0);
  CREATE TABLE IF NOT EXISTS linkedin_allowances (
    day INTEGER NOT NULL, name TEXT NOT NULL, used INTEGER NOT NULL, PRIMARY KEY (day, name));
  CREATE TABLE IF NOT EXISTS linkedin_assets (
    id TEXT PRIMARY KEY, kind TEXT NOT NULL, owner TEXT NOT NULL, bytes INTEGER, blob_id TEXT, expires_at INTEGER NOT NULL,
    ready_at INTEGER, trouble TEXT, thumbnail TEXT, captions TEXT);
  CREATE TABLE IF NOT EXISTS linkedin_parts (
    asset_id TEXT NOT NULL, number INTEGER NOT NULL, first_byte INTEGER NOT NULL, last_byte INTEGER NOT NULL, etag TEXT,
    blob_id TEXT, PRIMARY KEY (asset_id, number));
  CREATE TABLE IF NOT EXISTS linkedin_posts (
    urn TEXT PRIMARY KEY, activity TEXT NOT NULL UNIQUE, author TEXT NOT NULL, commentary TEXT NOT NULL, text TEXT NOT NULL,
    visibility TEXT NOT NULL, distribution TEXT NOT NULL, content TEXT NOT NULL, reshare_of TEXT, is_reshare_disabled INTEGER NOT NULL,
    live_at INTEGER, comments_closed INTEGER NOT NULL DEFAULT 0, is_edited INTEGER NOT NULL DEFAULT 0,
    created_at INTEGER NOT NULL, modified_at INTEGER NOT NULL, deleted_at INTEGER);
  CREATE INDEX IF NOT EXISTS linkedin_posts_by_author ON linkedin_posts (author, text);
  CREATE TABLE IF NOT EXISTS linkedin_comments (
    id TEXT PRIMARY KEY, activity TEXT NOT NULL, parent TEXT, actor TEXT NOT NULL, impersonator TEXT, text TEXT NOT NULL,
    attributes TEXT NOT NULL, created_at INTEGER NOT NULL, modified_at INTEGER NOT NULL);
  CREATE INDEX IF NOT EXISTS linkedin_comments_by_activity ON linkedin_comments (activity);
  CREATE INDEX IF NOT EXISTS linkedin_comments_by_parent ON linkedin_comments (parent);
  CREATE TABLE IF NOT EXISTS linkedin_reactions (
    root TEXT NOT NULL, actor TEXT NOT NULL, type TEXT NOT NULL, created_at INTEGER NOT NULL, PRIMARY KEY (root, actor));
`;

export type PersonRow = { id: string; given_name: string; family_name: string; is_account: number };
export type OrganizationRow = { id: string; name: string; vanity: string };
export type RoleRow = { person_id: string; organization_id: string; role: string; state: string };
export type AssetKind = "image" | "video" | "document";
export type AssetRow = {
  id: string;
  kind: AssetKind;
  owner: string;
  bytes: number | null;
  /** Null until the upload is complete. */
  blob_id: string | null;
  /** Expiry of the upload URLs. */
  expires_at: number;
  ready_at: number | null;
  trouble: string | null;
  /** Files that were uploaded with a video. */
  thumbnail: string | null;
  captions: string | null;
};
export type PartRow = {
  asset_id: string;
  number: number;
  first_byte: number;
  last_byte: number;
  etag: string | null;
  blob_id: string | null;
};
/**
 * Authors, owners and actors are stored as `person:1001` or `organization:9001`, because a person's URN
 * differs by app.
 */
export type PostRow = {
  urn: string;
  activity: string;
  author: string;
  /** As the API returns it. */
  commentary: string;
  /** As users see it. */
  text: string;
  visibility: string;
  distribution: string;
  content: string;
  reshare_of: string | null;
  is_reshare_disabled: number;
  /** Null if it never will be. */
  live_at: number | null;
  comments_closed: number;
  is_edited: number;
  created_at: number;
  modified_at: number;
  deleted_at: number | null;
};
export type CommentRow = {
  id: string;
  activity: string;
  /** The id of the parent comment. */
  parent: string | null;
  actor: string;
  impersonator: string | null;
  text: string;
  attributes: string;
  created_at: number;
  modified_at: number;
};

/** A number that contains its creation time: milliseconds above the lower 22 bits. */
export function newNumber(sandbox: Sandbox, at: number = sandbox.now()): bigint {
  return (BigInt(at) << 22n) | BigInt(sandbox.db.next("linkedin_numbers", 1) % 4_000_000);
}

/** The activity of a post in the feed: a different number with a slightly later time. */
export const activityOf = (number: bigint): string => `urn:li:activity:${number + 598_400_000n}`;

export const commentUrn = ({ activity, id }: Pick<CommentRow, "activity" | "id">) =>
  `urn:li:comment:(${activity},${id})`;

export const organizationKey = (id: string) => `organization:${id}`;
export const personKey = (id: string) => `person:${id}`;

/** A person has a different id in each app. */
export function subOf(clientId: string, personId: string): string {
  let hash = 0xcbf29ce484222325n;
  for (const char of `${clientId} ${personId}`) {
    hash = BigInt.asUintN(64, (hash ^ BigInt(char.charCodeAt(0))) * 0x100000001b3n);
  }
  return hash.toString(36).padStart(12, "z").slice(0, 10);
}

/** The URN of a person or organization as this app sees it. */
export function urnOf(clientId: string, key: string): string {
  const [kind, id = ""] = key.split(":");
  return kind === "person" ? `urn:li:person:${subOf(clientId, id)}` : `urn:li:${key}`;
}

/** The person or organization of this app's URN; null if unknown. */
export function keyOf(sandbox: Sandbox, clientId: string, urn: string): string | null {
  const [, kind, id = ""] = /^urn:li:(person|organization):([\w-]+)$/.exec(urn) ?? [];
  if (kind === "organization") return findOrganization(sandbox, id) ? organizationKey(id) : null;
  if (kind !== "person") return null;
  const people = sandbox.db.all<PersonRow>("SELECT * FROM linkedin_people");
  const person = people.find((one) => subOf(clientId, one.id) === id);
  return person ? personKey(person.id) : null;
}

export const findPerson = (sandbox: Sandbox, id: string) =>
  sandbox.db.first<PersonRow>("SELECT * FROM linkedin_people WHERE id = ?", id);
export const findOrganization = (sandbox: Sandbox, id: string) =>
  sandbox.db.first<OrganizationRow>("SELECT * FROM linkedin_organizations WHERE id = ?", id);
export const findAsset = (sandbox: Sandbox, id: string) =>
  sandbox.db.first<AssetRow>("SELECT * FROM linkedin_assets WHERE id = ?", id);
/** Finds a post by its URN, of either kind, or by its activity's URN. */
export function findPost(sandbox: Sandbox, urn: string): PostRow | null {
  const number = /^urn:li:(?:share|ugcPost):(\d+)$/.exec(urn)?.[1];
  return sandbox.db.first<PostRow>(
    "SELECT * FROM linkedin_posts WHERE urn IN (?, ?) AND deleted_at IS NULL OR activity = ? AND deleted_at IS NULL",
    `urn:li:share:${number}`,
    `urn:li:ugcPost:${number}`,
    urn,
  );
}
export const findComment = (sandbox: Sandbox, id: string) =>
  sandbox.db.first<CommentRow>("SELECT * FROM linkedin_comments WHERE id = ?", id);

export function rolesOn(sandbox: Sandbox, personId: string, organizationId: string): string[] {
  const rows = sandbox.db.all<RoleRow>(
    "SELECT * FROM linkedin_roles WHERE person_id = ? AND organization_id = ? AND state = 'APPROVED'",
    personId,
    organizationId,
  );
  return rows.map(({ role }) => role);
}

export function nameOf(sandbox: Sandbox, key: string): string {
  const [kind, id = ""] = key.split(":");
  if (kind === "organization") return findOrganization(sandbox, id)?.name ?? id;
  const person = findPerson(sandbox, id);
  return person ? `${person.given_name} ${person.family_name}`.trim() : id;
}

export const isLive = ({ live_at, deleted_at }: PostRow, now: number) =>
  deleted_at === null && live_at !== null && live_at <= now;
