// X's till: what each app owes for its calls, by the price list of 2026-08-13 (dollars of 2026-04-20).
// Written from X's documentation, not from the service that it checks.

import type { MiddlewareHandler } from "hono";
import { z } from "zod";
import type { Till } from "../platform";
import type { Sandbox } from "../sandbox";
import { PROBLEMS, Problem, type TwitterContext, type TwitterEnv } from "./api";
import { findPost, findUser } from "./store";
import { findUrls, mentions } from "./text";

export const TILL_TABLES = `
  CREATE TABLE IF NOT EXISTS twitter_till (
    app TEXT NOT NULL, operation TEXT NOT NULL, count INTEGER NOT NULL, tenth_cents INTEGER NOT NULL,
    repeated_tenth_cents INTEGER NOT NULL, PRIMARY KEY (app, operation));
  CREATE TABLE IF NOT EXISTS twitter_till_reads (
    app TEXT NOT NULL, day TEXT NOT NULL, kind TEXT NOT NULL, id TEXT NOT NULL,
    PRIMARY KEY (app, day, kind, id));
`;

/** In tenths of a cent. */
const PRICES = {
  "Post: Create": 15,
  "Post: Create (with URL)": 200,
  "Post: Create (summoned)": 10,
  "DM Interaction: Create": 15,
  "Interaction: Delete": 10,
  "Content: Manage": 5,
  "Media Metadata": 5,
  "Posts: Read": 5,
  "User: Read": 10,
  "DM Event: Read": 10,
} as const;
type Line = keyof typeof PRICES;

/** Reads of the app owner's own posts and followers, per object. */
const OWNED_READ = 1;

type Row = { operation: string; count: number; tenth_cents: number; repeated_tenth_cents: number };

/** What an app owes so far; `without_dedup_usd` as if each read of the same object were charged again. */
export function readTill(sandbox: Sandbox, app: string): Till {
  const rows = sandbox.db.all<Row>(
    "SELECT operation, count, tenth_cents, repeated_tenth_cents FROM twitter_till WHERE app = ? ORDER BY operation",
    app,
  );
  const sum = (of: (row: Row) => number) => rows.reduce((total, row) => total + of(row), 0);
  const usd = (tenthCents: number) => tenthCents / 1000;
  const owed = sum((row) => row.tenth_cents);
  const credits = sandbox.settings.all.twitter_credits_usd;
  return {
    platform: "twitter",
    app,
    spent_usd: usd(owed),
    without_dedup_usd: usd(owed + sum((row) => row.repeated_tenth_cents)),
    balance_usd: credits === null ? null : usd(Math.round(credits * 1000) - owed),
    lines: rows.map(({ operation, count, tenth_cents }) => ({ operation, count, usd: usd(tenth_cents) })),
  };
}

/** Around every handler with a bearer of an account: refuses at a balance of zero, and charges. */
export function charging(sandbox: Sandbox, app: string, name: string): MiddlewareHandler<TwitterEnv> {
  return async (c, next) => {
    const line = await writeLine(sandbox, c, name);
    const kind = line === null ? readKind(name) : null;
    if (line === null && kind === null) return next();
    const balance = readTill(sandbox, app).balance_usd;
    if (balance !== null && balance <= 0) {
      throw new Problem(402, "Payment Required", "credits depleted", { type: `${PROBLEMS}credits-depleted` });
    }
    // A write is charged per request, whatever becomes of it.
    if (line) add(sandbox, app, line, { owed: PRICES[line], repeated: 0 });
    await next();
    // A read is charged for what it returns: nothing, if the answer is replaced by an error on its way out.
    if (kind && c.res.status === 200 && c.env.call.fault?.kind !== "accept_then_error")
      await chargeRead(sandbox, c, app, kind);
  };
}

const Sent = z.object({
  text: z.string().catch(""),
  reply: z.object({ in_reply_to_tweet_id: z.string() }).optional().catch(undefined),
});

async function writeLine(sandbox: Sandbox, c: TwitterContext, name: string): Promise<Line | null> {
  switch (name) {
    case "POST /2/tweets":
      return postLine(sandbox, c, Sent.safeParse(await c.req.json().catch(() => null)).data);
    case "DELETE /2/tweets/:id":
    case "DELETE /2/dm_events/:id":
      return "Interaction: Delete";
    case "PUT /2/tweets/:id/hidden":
      return "Content: Manage";
    case "POST /2/media/metadata":
      return "Media Metadata";
    case "send a direct message":
      return "DM Interaction: Create";
    default:
      return null;
  }
}

function postLine(sandbox: Sandbox, c: TwitterContext, sent: z.output<typeof Sent> | undefined): Line {
  if (findUrls(sent?.text ?? "").length > 0) return "Post: Create (with URL)";
  const parent = sent?.reply && findPost(sandbox, sent.reply.in_reply_to_tweet_id);
  const me = findUser(sandbox, c.var.caller.userId);
  if (!parent || !me || parent.author_id === me.id) return "Post: Create";
  const hasMentioned =
    parent.in_reply_to_user_id === me.id || mentions(parent.text).includes(me.username.toLowerCase());
  return hasMentioned ? "Post: Create (summoned)" : "Post: Create";
}

type Kind = "posts" | "users" | "messages";

function readKind(name: string): Kind | null {
  if (/^GET \/2\/(tweets|users\/:id\/(tweets|mentions))/.test(name)) return "posts";
  if (/^GET \/2\/users/.test(name)) return "users";
  return /^GET \/2\/dm_/.test(name) ? "messages" : null;
}

const LINES: Readonly<Record<Kind, Line>> = {
  posts: "Posts: Read",
  users: "User: Read",
  messages: "DM Event: Read",
};

const Thing = z.object({ id: z.string() });
const Things = z.array(Thing).catch([]);
const Answer = z.object({
  data: z.union([z.array(Thing), Thing.transform((one) => [one])]).catch([]),
  includes: z.object({ posts: Things, tweets: Things, users: Things }).partial().catch({}),
});

async function chargeRead(sandbox: Sandbox, c: TwitterContext, app: string, kind: Kind): Promise<void> {
  const { data, includes = {} } = Answer.parse(await c.res.clone().json());
  const { posts = [], tweets = [], users = [] } = includes;
  chargeObjects(sandbox, app, kind, data);
  chargeObjects(sandbox, app, "posts", [...posts, ...tweets]);
  chargeObjects(sandbox, app, "users", users);
}

/** The same object costs once per UTC day, unless the setting says otherwise. */
function chargeObjects(sandbox: Sandbox, app: string, kind: Kind, objects: readonly { id: string }[]): void {
  const { twitter_daily_dedup: isDeduplicated, twitter_app_owner: isOwner } = sandbox.settings.all;
  const price = isOwner ? OWNED_READ : PRICES[LINES[kind]];
  const day = sandbox.iso().slice(0, 10);
  for (const { id } of objects) {
    const isKnown = sandbox.db.first(
      "SELECT id FROM twitter_till_reads WHERE app = ? AND day = ? AND kind = ? AND id = ?",
      app,
      day,
      kind,
      id,
    );
    sandbox.db.replace("twitter_till_reads", { app, day, kind, id });
    const isFree = isKnown !== null && isDeduplicated;
    add(sandbox, app, LINES[kind], isFree ? { owed: 0, repeated: price } : { owed: price, repeated: 0 });
  }
}

/**
 * `repeated` is what the object would have cost if it had not been read on the same day. In tenths of a cent.
 */
function add(sandbox: Sandbox, app: string, line: Line, { owed, repeated }: { owed: number; repeated: number }): void {
  sandbox.db.run(
    `INSERT INTO twitter_till (app, operation, count, tenth_cents, repeated_tenth_cents) VALUES (?1, ?2, 1, ?3, ?4)
     ON CONFLICT (app, operation) DO UPDATE SET count = count + 1, tenth_cents = tenth_cents + ?3,
       repeated_tenth_cents = repeated_tenth_cents + ?4`,
    app,
    line,
    owed,
    repeated,
  );
}
