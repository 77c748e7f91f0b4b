import { type SQL, sql } from "drizzle-orm";
import type { ProjectId } from "../core/ids.ts";
import { rowsOf, type StoredTable, TABLES } from "./tables.ts";

/** What an export has: a file of JSON lines for each kind. */
export interface ExportKind {
  /** Of its file: `posts.jsonl`. */
  readonly name: string;
  readonly table: StoredTable;
  /** For people who read the archive. */
  readonly about: string;
  /** Which rows, by indexes that the table has. */
  readonly where: (projectId: ProjectId) => SQL;
  /** Secrets and inner marks, which are left out. */
  readonly without: readonly string[];
  /** Members of a JSON column that are left out. */
  readonly withoutInside: Readonly<Record<string, readonly string[]>>;
}

interface Kind {
  readonly about: string;
  readonly as?: string;
  /** In place of "the rows of the project". */
  readonly where?: (projectId: ProjectId) => SQL;
  readonly without?: readonly string[];
  readonly withoutInside?: Readonly<Record<string, readonly string[]>>;
}

const shown = (projectId: ProjectId) => sql`project_id = ${projectId} AND deleted_at IS NULL`;

const idsOf = (table: string, projectId: ProjectId, condition = sql`1`) =>
  sql`SELECT id FROM ${sql.identifier(table)} WHERE project_id = ${projectId} AND ${condition}`;

const shownIds = (table: string, projectId: ProjectId) => idsOf(table, projectId, sql`deleted_at IS NULL`);

const through = (column: string, table: string) => (projectId: ProjectId) =>
  sql`${sql.identifier(column)} IN (${shownIds(table, projectId)})`;

/** Of posts that are not deleted. */
const ofPosts = (id: ProjectId) => sql`post_id IN (${shownIds("posts", id)} UNION ALL ${idsOf("posts_at_rest", id)})`;

/** By table, in the order of the archive. */
const KINDS: Readonly<Record<string, Kind>> = {
  projects: { as: "project", about: "The project: name, time zone, kind", where: (id) => sql`id = ${id}` },
  brandings: {
    as: "branding",
    about: "The look of the pages for your users; the logo is in media/",
    without: ["logo"],
  },
  memberships: { as: "members", about: "Members by the number of the person" },
  invitations: { about: "Open invitations, without their links", without: ["hash"] },
  tokens: {
    about: "Access tokens: names, permissions, lifetimes; never the tokens",
    without: ["hash", "checksum_key"],
  },
  audit_entries: { as: "audit-log", about: "Who did what" },
  channels: { about: "Connected accounts, with the timetables of their queues" },
  grants: {
    as: "channel-permissions",
    about: "What each platform allows on a channel; never the credentials",
    without: ["credentials", "credentials_key", "login", "refresh_due_at", "refresh_lease_until", "refresh_attempts"],
  },
  posts: {
    about: "Posts in every state, drafts included, with the decisions of approvals",
    where: shown,
    without: ["caption_hash", "tie_id", "timeline_page"],
    withoutInside: { approval: ["linkNonce"] },
  },
  series: { about: "Posts that repeat: rules, variants, how far they are" },
  feeds: { about: "RSS and Atom feeds: their templates, which entries have posts", without: ["etag", "last_modified"] },
  posts_at_rest: { as: "old-posts", about: "The same of posts that were archived" },
  publications: {
    about: "What of a post is live at its platform, by the platform's id",
    where: ofPosts,
    without: ["fingerprint"],
  },
  post_costs: { as: "post-costs", about: "What a post has cost at its platform", where: ofPosts },
  post_insights: { as: "post-insights", about: "What posts achieved, by day", where: ofPosts },
  channel_insights: { as: "channel-insights", about: "What accounts achieved, by day" },
  events: {
    as: "timelines",
    about: "What happened to posts, channels, bots, generations, campaigns, comments, conversations and webhooks",
    where: (id) => sql`(subject, subject_id) IN (${subjectsOf(id)})`,
  },
  archive_pages: {
    as: "old-timelines",
    about: "The same of posts that were published more than 14 days ago, as far as it was archived",
  },
  comments: { about: "Comments under posts, of the last 60 days", without: ["urgency"] },
  comment_acts: { as: "comment-acts", about: "What people and programs did with comments" },
  conversations: { about: "Conversations by direct messages, with whom they are assigned to, and notes" },
  direct_messages: { as: "messages", about: "Their messages, of the last 60 days", without: ["is_announced"] },
  automations: { as: "bots", about: "Comment automations", where: shown },
  automation_targets: {
    as: "bot-targets",
    about: "For which posts a bot is; 0: all of the channel",
    where: through("automation_id", "automations"),
  },
  replies: {
    about: "What a bot made of each comment, and why it skipped one",
    where: through("automation_id", "automations"),
  },
  replied_authors: {
    as: "answered-people",
    about: "Whom a bot that answers once has answered",
    where: through("automation_id", "automations"),
  },
  generations: { about: "Generated posts; their files are in media/", where: shown },
  campaigns: { about: "Boost campaigns, with spend and reach", where: shown },
  campaign_days: {
    as: "campaign-days",
    about: "Figures of campaigns by day, as sums since their start",
    where: through("campaign_id", "campaigns"),
  },
  spend_ceilings: { as: "spend-ceilings", about: "Ceilings for campaigns" },
  webhooks: { about: "Webhooks; never their secrets", without: ["secret", "secret_key", "old_secret", "old_until"] },
  webhook_deliveries: {
    as: "webhook-deliveries",
    about: "Deliveries of the last 30 days, with the answers",
    where: (id) => sql`webhook_id IN (SELECT id FROM ${sql.identifier("webhooks")} WHERE project_id = ${id})`,
  },
  usage: { about: "Calls and platform costs by month; amounts in millionths of a dollar" },
  cost_ceilings: { as: "cost-ceilings", about: "The ceiling for platform costs" },
  files: { about: "Uploaded and generated files; those that are complete are in media/", where: filesOf },
};

/** Timelines of what is listed; `usage` events have the project as their subject. */
function subjectsOf(id: ProjectId): SQL {
  const of = (subject: string, table: string, hasMark: boolean) =>
    sql`SELECT ${subject}, id FROM (${hasMark ? shownIds(table, id) : idsOf(table, id)})`;
  const union = (...parts: readonly SQL[]) => sql.join([...parts], sql` UNION ALL `);
  const content = union(
    of("post", "posts", true),
    of("post", "posts_at_rest", false),
    of("channel", "channels", false),
    of("campaign", "campaigns", true),
  );
  const work = union(
    of("automation", "automations", true),
    of("generation", "generations", true),
    of("conversation", "conversations", false),
    // The account's own comments have no timeline.
    sql`SELECT 'comment', id FROM (${idsOf("comments", id, sql`urgency IS NOT NULL`)})`,
  );
  const service = union(of("webhook", "webhooks", false), sql`SELECT 'usage', ${id}`);
  // D1 takes at most five terms in one compound SELECT.
  return sql`WITH content AS MATERIALIZED (${content}), work AS MATERIALIZED (${work}), service AS MATERIALIZED (${service})
    SELECT * FROM content UNION ALL SELECT * FROM work UNION ALL SELECT * FROM service`;
}

/** Files that wait to expire, and those that a post or a generation keeps. Not the copies for platforms. */
function filesOf(id: ProjectId): SQL {
  const uses = sql`SELECT file_id FROM ${sql.identifier("file_uses")} WHERE post_id IN (${shownIds("posts", id)})`;
  const kept = sql`id IN (${uses}) OR generation_id IN (${shownIds("generations", id)})`;
  return sql`project_id = ${id} AND is_copy = 0 AND (forget_at > 0 OR ${kept})`;
}

export const EXPORT_KINDS: readonly ExportKind[] = Object.entries(KINDS).map(([table, kind]) => {
  const stored = TABLES.get(table);
  const where = kind.where ?? (stored && rowsOf(stored));
  if (!stored || !where) throw new Error(`No table ${table} to export.`);
  const { as: name = table, about, without = [], withoutInside = {} } = kind;
  return { name, table: stored, about, where, without, withoutInside };
});

/** Tables of a project that an export does not have, with the reason. */
export const NOT_EXPORTED: Readonly<Record<string, string>> = {
  jobs: "work in progress",
  job_steps: "its journal",
  recurring: "work that comes back",
  rate_waits: "work that waits",
  idempotency_keys: "answers of a day",
  connect_sessions: "15 minutes",
  oauth_states: "15 minutes",
  connect_choices: "15 minutes",
  file_parts: "uploads in progress",
  imports: "files of posts, for a week; their posts are listed",
  import_parts: "the rows of these files",
  file_uses: "which posts keep a file; the posts name it",
  post_counts: "counted from other rows, and how far timelines are archived",
  channel_counts: "counted from other rows",
  automation_counts: "counted from other rows",
  campaign_totals: "counted from other rows",
  file_bytes: "counted from other rows",
  generation_days: "counted from other rows",
  cost_notices: "which notices were sent",
  webhook_keys: "a secret",
  sign_in_links: "an hour",
  access_requests: "10 minutes",
  spending_requests: "what an agent asks for, until it is answered",
};
