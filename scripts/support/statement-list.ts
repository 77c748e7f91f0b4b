/** Statements that seem to read more than they need, with their bound and reason (statements.ts). */

export interface Bounded {
  /** A part of the text, with single spaces. */
  readonly text: string | RegExp;
  /** The step of the plan that is meant. */
  readonly step: RegExp;
  /** How many rows at most, or what bounds them. */
  readonly bound: string;
  readonly reason: string;
}

const SORT = /^USE TEMP B-TREE/;
const ANY = /./;

/** How many rows of a query with this LIMIT are sorted. */
const limited = (name: string): RegExp => new RegExp(`^USE TEMP B-TREE FOR ORDER BY over SCAN ${name}\\b`);

export const LISTED: readonly Bounded[] = [
  // Windows.
  {
    text: / LIMIT 10000\) AS | LIMIT 1 OFFSET 9999\b|\/\* the last window \*\//,
    step: /^SCAN |^USE TEMP B-TREE FOR ORDER BY over (SCAN|SEARCH)/,
    bound: "10,000 rows",
    reason: "a window of a table in the order of its primary key (projects/pieces.ts)",
  },
  {
    text: /^delete from "events" where (\(\(subject, subject_id, id\) [<>]=? .* and )*\(?"events"\."created_at" < \?/,
    step: /^SCAN events$/,
    bound: "the rows of a walk of the sweep",
    reason: "the last part of the walk ends with the table: fewer rows are left than one walk has (events/store.ts)",
  },
  {
    text: /from "events" (where .* )?order by "events"\."subject" asc, "events"\."subject_id" asc, "events"\."id" asc limit \? offset \?/,
    step: /^SCAN events$/,
    bound: "the rows of a walk of the sweep",
    reason: "the end of a walk's part, in the order of the primary key",
  },
  // Whether anything is there: the first row ends the search.
  {
    text: /EXISTS \(SELECT 1 FROM (rate_waits|jobs|events|files|webhooks|projects|comments|comment_acts|replies|project_moves|recurring)\b/,
    step: /^SCAN \w+ USING (COVERING )?INDEX (rate_waits_in_turn|jobs_in_flight|jobs_throttled|jobs_failing|events_pending|files_to_forget|webhooks_enabled|projects_to_copy|projects_moving|project_moves_open)$/,
    bound: "one row",
    reason: "EXISTS over a partial index that has only such rows",
  },
  {
    text: /select \(EXISTS \(SELECT 1 FROM rate_waits\)/,
    step: /^SCAN (projects|comments|comment_acts|replies|rate_leases)$/,
    bound: "one row of the oldest ids",
    reason:
      "the sweep asks whether the row with the smallest id is past its lifetime: rows go in the order of their ids",
  },
  { text: /FROM posts LIMIT 1$/, step: /^SCAN posts$/, bound: "one row", reason: "whether the database answers" },
  // Small tables.
  {
    text: /\b(from|FROM) "?sweep_notes"?/,
    step: /^SCAN sweep_notes$/,
    bound: "some ten rows",
    reason: "a row for each kind of note",
  },
  {
    text: 'from "projects" group by',
    step: ANY,
    bound: "one row a project",
    reason: "the operator's doctor, and the choice of a database for a new project",
  },
  {
    text: /^select "id" from "projects"$/,
    step: /^SCAN projects/,
    bound: "one row a project",
    reason: "the sweep goes through the projects of the database, by an index that has nothing else",
  },
  {
    text: /FROM \(SELECT project_id FROM post_counts\)/,
    step: /^SCAN post_counts$/,
    bound: "one row a project, once a day",
    reason: "old numbers of posts are found by an index that begins with the project",
  },
  {
    text: /"(project_deletions|project_moves)"\."name" = \?/,
    step: /^SCAN (project_deletions|project_moves)/,
    bound: "the deletions of 30 days, or one row a moved project",
    reason: "a command of the operator asks by the name",
  },
  {
    text: /"?(sign_in_links|access_requests)"? (WHERE|where) project_id = \?/,
    step: /^SCAN (sign_in_links|access_requests)$/,
    bound: "links of an hour, requests of ten minutes",
    reason: "rows in the directory of a project that is deleted elsewhere",
  },
  {
    text: 'from "tokens" inner join "projects"',
    step: /^SCAN tokens/,
    bound: "its LIMIT",
    reason: "the operator's list of the newest tokens, in the order of the primary key",
  },
  {
    text: /"copy_due" is not null\)/,
    step: /^SCAN projects USING INDEX projects_to_copy/,
    bound: "projects that changed since the last copy",
    reason: "a partial index that has only those",
  },
  {
    text: '"jobs"."waiting_code" = \'unexpected\'',
    step: /^SCAN jobs USING INDEX jobs_failing/,
    bound: "its LIMIT",
    reason: "a partial index of the jobs that fail on our side",
  },
  {
    text: /"outbox" = 'pending' order by/,
    step: /^SCAN events USING (COVERING )?INDEX (events_for_webhooks|events_pending)/,
    bound: "its LIMIT of pending events",
    reason: "pending events are at the end of the index or the only ones in it; dispatched ones go after a day",
  },
  {
    text: 'from "grants" cross join "channels"',
    step: /^SCAN grants USING INDEX grants_of_unknown_login$/,
    bound: "grants whose user is unknown",
    reason: "a partial index that has only those; a login that may be one of theirs is not revoked",
  },
  {
    text: /and 0\b/,
    step: /^SCAN (publications|webhook_deliveries)/,
    bound: "no row",
    reason: "the condition is a constant that is false",
  },
  // Sorts of what a quota bounds.
  {
    text: 'from "tokens" where "tokens"."project_id" = ?',
    step: SORT,
    bound: "the tokens of a project",
    reason: "valid ones first; people create them one by one, at most 100 are shown",
  },
  {
    text: 'from "memberships" inner join "people"',
    step: SORT,
    bound: "the members of a project",
    reason: "by e-mail address; members are invited one by one",
  },
  {
    text: "count(DISTINCT automation_id)",
    step: /^USE TEMP B-TREE FOR count\(DISTINCT\)/,
    bound: "MAX_BOTS_OF_CHANNEL and their posts",
    reason: "the bots that are for a channel",
  },
  {
    text: "count(DISTINCT target.automation_id)",
    step: /^USE TEMP B-TREE FOR count\(DISTINCT\)/,
    bound: "MAX_BOTS_OF_CHANNEL and their posts",
    reason: "the bots that are for a channel",
  },
  {
    text: 'select distinct "post_id" from "file_uses"',
    step: /^USE TEMP B-TREE FOR DISTINCT/,
    bound: "the uses of a file in its forms",
    reason: "a library file names some of its posts; the limit ends it",
  },
  // Sorts of rows that a LIMIT inside has chosen.
  {
    text: /\bAS (walk|walked|seen)\b|\b(walk|walked|seen)\(|\b(walk|walked|seen) AS\b/,
    step: /^USE TEMP B-TREE FOR ORDER BY over SCAN (walk|walked|seen)\b/,
    bound: "one page",
    reason: "a merged list has chosen the entries of a page (db/merge.ts)",
  },
  {
    text: /AS (failed|newest|sought|next)\b/,
    step: /^USE TEMP B-TREE FOR (ORDER|GROUP) BY over SCAN (failed|newest|sought|next)\b/,
    bound: "the LIMIT of the query inside",
    reason: "an index gives the newest rows, which are then ordered for people",
  },
  {
    text: "AS sought cross join",
    step: limited("\\(subquery\\)"),
    bound: "500 names and those chosen",
    reason: "a UNION of two lists with limits",
  },
  {
    text: /json_each\("?(post_costs|usage)"?\."?lines"?\)/,
    step: /^USE TEMP B-TREE FOR GROUP BY over SCAN \(subquery\)/,
    bound: "the lines of two rows",
    reason: "the sums of a row and of what is added to it",
  },
  {
    text: /json_each\("?\w+"?\."?problems"?\)/,
    step: limited("\\(subquery\\)"),
    bound: "the problems that a row keeps",
    reason: "two lists of one row",
  },
  {
    text: "WITH known AS MATERIALIZED",
    step: /^USE TEMP B-TREE FOR GROUP BY over SCAN \(subquery\)/,
    bound: "a share of twenty jobs for each project and queue",
    reason: "what is in flight, counted by queue",
  },
  {
    text: "FROM json_each(?) AS share CROSS JOIN jobs",
    step: /^USE TEMP B-TREE FOR (ORDER BY|RIGHT PART OF ORDER BY) over SCAN share/,
    bound: "a share of twenty jobs for each project and queue",
    reason: "the oldest of what is in flight",
  },
  {
    text: "webhook_deliveries",
    step: /^USE TEMP B-TREE FOR ORDER BY over (SEARCH webhook_deliveries USING INDEX webhook_deliveries_about|SCAN delivery |SCAN \(subquery\))/,
    bound: "deliveries of a message, of an event, or those that are sent together",
    reason: "the order in which they are sent",
  },
  {
    text: "SELECT name FROM d1_migrations ORDER BY id",
    step: /^SCAN d1_migrations$/,
    bound: "the migrations",
    reason: "the operator's doctor reads all of them",
  },
  {
    text: "FROM campaigns INDEXED BY campaigns_listed WHERE project_id = ? AND deleted_at IS NULL ORDER BY id DESC LIMIT ?",
    step: /^SEARCH campaigns USING INDEX campaigns_listed \(project_id=\?\), although ids are listed$|^USE TEMP B-TREE FOR ORDER BY over SCAN \(subquery\)/,
    bound: "the newest campaigns of a project up to the LIMIT, and the ids that a form has chosen",
    reason: "the choice of campaigns in a form: the newest of a project, by their index, beside those that are listed",
  },
  {
    text: 'from "spending_requests" where ("spending_requests"."project_id" = ?',
    step: /^USE TEMP B-TREE FOR ORDER BY over SEARCH spending_requests USING INDEX spending_requests_open /,
    bound: "the open requests of a project, until they expire",
    reason: "the newest first",
  },
  {
    text: 'from "projects" where "projects"."copy_due" is not null order by "projects"."id" asc limit ?',
    step: /^SCAN projects USING INDEX projects_to_copy$/,
    bound: "the LIMIT",
    reason: "a partial index holds only the projects that are to be copied",
  },
  {
    text: 'from "projects" inner join "users" on "users"."id" = "projects"."user_id" order by "projects"."id" desc limit ?',
    step: /^SCAN projects$/,
    bound: "the LIMIT",
    reason: "the operator's list of the newest projects, in the order of the primary key",
  },
  {
    text: 'from "operator_alerts" where way = ? AND due_at <= ?',
    step: /^USE TEMP B-TREE FOR ORDER BY over SEARCH operator_alerts USING INDEX operator_alerts_due /,
    bound: "the kinds of alerts and their subjects: platforms, kinds of messages, parts of the sweep",
    reason: "what is due, in the order in which it began",
  },
  {
    text: "FROM campaigns WHERE campaigns.channel_id = ? AND campaigns.ended_at IS NULL ORDER BY isDeleted",
    step: /^USE TEMP B-TREE FOR ORDER BY over SEARCH campaigns USING INDEX campaigns_open /,
    bound: "the campaigns of a channel that have not ended, which cost money",
    reason: "ten of them are named when a channel cannot be disconnected, those that spend first",
  },
  {
    text: 'delete from "missed_rules" where',
    step: /^SCAN missed_rules USING COVERING INDEX missed_rules_last$/,
    bound: "MAX_MISSED_RULES, by the OFFSET",
    reason: "finds the time before which a row is one too many",
  },
];
