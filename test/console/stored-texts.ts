import { env } from "cloudflare:workers";
import { getTableColumns, getTableName, isTable } from "drizzle-orm";
import * as schema from "../../src/db/schema.ts";

/** Which columns of the tables hold texts from outside, by their names: all but these. */

/** Ids, hashes, keys and secrets; words of this service; names of platforms, zones, currencies and days. */
const OWN_WORDS = new RegExp(
  [
    "(^|_)(id|ids|uuid|hash|key|secret|sealed|credentials|challenge|etag|fingerprint|hint|cursor|scopes?)",
    "(state|status|kind|type|code|mode|role|language|zone|currency|month|day|platform|queue|purpose|health|on)",
    "(objective|goal|outcome|step|act|frequency|time|source|action|subject|service|bucket|party|waiter|network)",
    "(counts|lines|gone|remains|stopped|by_login|permissions|requested|declared|attributes|options|made|earlier)",
  ]
    .join("$|(^|_)")
    .concat("$"),
);

/** Other columns that hold no markup, or that no page of the console shows. */
const UNSHOWN = new Set(
  [
    // Checked when they are written: addresses, colours, images, names that this service makes.
    "access_requests.redirect_uri posts.permalink posts.media_urls generations.web_hook brandings.color brandings.logo",
    "generations.origin identities.issuer files.name files.rendition_of files.fitted_from files.fit_rule files.maker_job archive_pages.name job_steps.name",
    "access_requests.created_by replies.reason webhooks.disabled_reason posts.removal webhook_deliveries.about",
    "deauthorizations.app deauthorizations.digest grants.login grants.stored_by jobs.lease_owner sweep_notes.name sign_in_codes.email tokens.via",
    "access_requests.region sign_in_codes.site operator_alerts.way audit_entries.folded imports.encoding",
    // Sentences of this service, which quote no text from outside.
    "series.wait_reason imports.wait",
    // Read by the engine, by connect pages or by the API alone.
    "idempotency_keys.answer events.outbox job_steps.result job_steps.unresolved_reason sweep_notes.value",
    "connect_sessions.connected connect_sessions.message connect_sessions.remaining rate_limits.message",
    "users.email users.name import_parts.rows files.search_text",
    "series.variants series.rule series.next_local feeds.seen feeds.last_modified",
    "comment_acts.text comment_acts.reason comment_acts.message",
    // Numbers, and what only the operator's command shows.
    "imports.failed_rows channels.page_sizes direct_messages.origin channel_insights.numbers project_moves.name project_moves.copied project_moves.found",
  ].flatMap((line) => line.split(" ")),
);

/** `table.column` of each that may hold a text from outside, and in which no row has this mark. */
export async function columnsWithout(mark: string): Promise<readonly string[]> {
  const tables = Object.values(schema).flatMap((one) => (isTable(one) ? [one] : []));
  const found = tables.map(async (one) => {
    const table = getTableName(one);
    const texts = Object.values(getTableColumns(one)).filter(({ columnType, enumValues, name }) => {
      const isOwn = (enumValues?.length ?? 0) > 0 || OWN_WORDS.test(name) || UNSHOWN.has(`${table}.${name}`);
      return columnType.includes("Text") && !isOwn;
    });
    if (texts.length === 0) return [];
    const each = texts.map(({ name }) => `max(instr("${name}", ?1) > 0) AS "${name}"`);
    const row = await env.DB.prepare(`SELECT ${each.join(", ")} FROM "${table}"`)
      .bind(mark)
      .first();
    return texts.filter(({ name }) => row?.[name] !== 1).map(({ name }) => `${table}.${name}`);
  });
  return (await Promise.all(found)).flat();
}
