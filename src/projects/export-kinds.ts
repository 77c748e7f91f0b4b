import { type SQL, sql } from "drizzle-orm";
import type { ProjectId } from "../core/ids.ts";
import { belongsTo, type StoredTable, TABLES } from "./tables.ts";

/** What an export has: a file of JSON lines for each kind. */
export interface ExportKind {
  /** Of its file: `posts.jsonl`. */
  readonly name: string;
  readonly table: StoredTable;
  /** For people who read the archive. */
  readonly about: string;
  /** A condition on a row at hand. */
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

// Each condition judges the row at hand by look-ups of its own: pages are read by the key (export-rows.ts).

const shown = (projectId: ProjectId) => sql`+project_id = ${projectId} AND deleted_at IS NULL`;

/** The row that this column of the row at hand names is the project's. */
const names = (column: SQL, table: string, projectId: ProjectId, condition = sql`1`) =>
  sql`EXISTS (SELECT 1 FROM ${sql.identifier(table)} AS owner WHERE owner.id = ${column} AND +owner.project_id = ${projectId} AND ${condition})`;

const isShown = sql`owner.deleted_at IS NULL`;

const columnOf = (table: string, column: string): SQL => sql`${sql.identifier(table)}.${sql.identifier(column)}`;

/** Of bots or campaigns that are not deleted. */
const through = (of: string, column: string, table: string) => (projectId: ProjectId) =>
  names(columnOf(of, column), table, projectId, isShown);

/** Of posts that are not deleted. */
const ofPosts = (of: string) => (id: ProjectId) => {
  const postId = columnOf(of, "post_id");
  return sql`(${names(postId, "posts", id, isShown)} OR ${names(postId, "posts_at_rest", id)})`;
};

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
    where: ofPosts("publications"),
    without: ["fingerprint"],
  },
  post_costs: { as: "post-costs", about: "What a post has cost at its platform", where: ofPosts("post_costs") },
  post_insights: { as: "post-insights", about: "What posts achieved, by day", where: ofPosts("post_insights") },
  channel_insights: { as: "channel-insights", about: "What accounts achieved, by day" },
  events: {
    as: "timelines",
    about: "What happened to posts, channels, bots, generations, campaigns, comments, conversations and webhooks",
    where: isTimeline,
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
    where: through("automation_targets", "automation_id", "automations"),
  },
  replies: {
    about: "What a bot made of each comment, and why it skipped one",
    where: through("replies", "automation_id", "automations"),
  },
  replied_authors: {
    as: "answered-people",
    about: "Whom a bot that answers once has answered",
    where: through("replied_authors", "automation_id", "automations"),
  },
  generations: { about: "Generated posts; their files are in media/", where: shown },
  campaigns: { about: "Boost campaigns, with spend and reach", where: shown },
  campaign_days: {
    as: "campaign-days",
    about: "Figures of campaigns by day, as sums since their start",
    where: through("campaign_days", "campaign_id", "campaigns"),
  },
  spend_ceilings: { as: "spend-ceilings", about: "Ceilings for campaigns" },
  webhooks: { about: "Webhooks; never their secrets", without: ["secret", "secret_key", "old_secret", "old_until"] },
  webhook_deliveries: {
    as: "webhook-deliveries",
    about: "Deliveries of the last 30 days, with the answers",
    where: (id) => names(columnOf("webhook_deliveries", "webhook_id"), "webhooks", id),
  },
  usage: { about: "Calls and platform costs by month; amounts in millionths of a dollar" },
  cost_ceilings: { as: "cost-ceilings", about: "The ceiling for platform costs" },
  files: { about: "Uploaded and generated files; those that are complete are in media/", where: filesOf },
};

/** Timelines of what is listed; `usage` events have the project as their subject. */
function isTimeline(id: ProjectId): SQL {
  const subjectId = columnOf("events", "subject_id");
  const of = (subject: string, table: string, condition?: SQL) =>
    sql`WHEN ${subject} THEN ${names(subjectId, table, id, condition)}`;
  const parts = [
    of("post", "posts", isShown),
    of("channel", "channels"),
    of("campaign", "campaigns", isShown),
    of("automation", "automations", isShown),
    of("generation", "generations", isShown),
    of("conversation", "conversations"),
    // The account's own comments have no timeline.
    of("comment", "comments", sql`owner.urgency IS NOT NULL`),
    of("webhook", "webhooks"),
    sql`WHEN 'usage' THEN ${subjectId} = ${id}`,
  ];
  const isAtRest = sql`(${columnOf("events", "subject")} = 'post' AND ${names(subjectId, "posts_at_rest", id)})`;
  return sql`(CASE ${columnOf("events", "subject")} ${sql.join(parts, sql` `)} ELSE 0 END OR ${isAtRest})`;
}

/** Files that wait to expire, and those that a post or a generation keeps. Not the copies for platforms. */
function filesOf(id: ProjectId): SQL {
  const use = sql`EXISTS (SELECT 1 FROM ${sql.identifier("file_uses")} AS used WHERE used.file_id = ${columnOf("files", "id")}
    AND ${names(sql`used.post_id`, "posts", id, isShown)})`;
  const kept = sql`${use} OR ${names(columnOf("files", "generation_id"), "generations", id, isShown)}`;
  return sql`+project_id = ${id} AND is_copy = 0 AND (forget_at > 0 OR ${kept})`;
}

const ownRows = (stored: StoredTable) => (id: ProjectId) => belongsTo(stored, id);

export const EXPORT_KINDS: readonly ExportKind[] = Object.entries(KINDS).map(([table, kind]) => {
  const stored = TABLES.get(table);
  const where = kind.where ?? (stored && ownRows(stored));
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
