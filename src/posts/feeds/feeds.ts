import { sql } from "drizzle-orm";
import type { Caller } from "../../core/caller.ts";
import { said } from "../../core/checks.ts";
import { AppError, absent, invalid, invalidFields } from "../../core/errors.ts";
import { type FeedId, idOf } from "../../core/ids.ts";
import { type IdempotencyRecord, readTogether, retryOnConflict, writeTogether } from "../../db/client.ts";
import { keepFiles } from "../../files/library.ts";
import { scheduleTask, scheduleTaskOf } from "../../jobs/recurring-store.ts";
import { checkAddress } from "../../media/address.ts";
import type { Deps } from "../../service/deps.ts";
import { filesOf } from "../content/template-files.ts";
import { requireAccepted } from "../create/create.ts";
import { channelsOf, entryPosts } from "./entry-posts.ts";
import type { EntryValues } from "./entry-values.ts";
import { FEED, INTERVAL } from "./feed-task.ts";
import { crowdedField, MAX_IN_POST, MAX_IN_TEXT } from "./fill-template.ts";
import {
  aboutFeed,
  changeFeed,
  countFeeds,
  deleteFeed,
  type Feed,
  findFeed,
  insertFeed,
  newestFeedId,
} from "./store.ts";
import type { FeedMode, Template } from "./table.ts";

export interface WantedFeed {
  readonly name: string;
  readonly url: string;
  readonly publishMode: FeedMode;
  readonly posts: readonly Template[];
  readonly includeExisting: number;
}

export const MAX_FEEDS = 50;

/**
 * Creates a feed, which is read within a minute. Its templates are checked as create-post would check the
 * posts of a short entry; uploaded files in them are kept in the media library. Errors: a 422 on `url`, and
 * those of create-post; `quota_exceeded`.
 */
export async function createFeed(
  deps: Deps,
  caller: Caller,
  wanted: WantedFeed,
  idempotency: IdempotencyRecord | null,
): Promise<FeedId> {
  const { db } = deps;
  const { projectId } = caller;
  const { counts, record } = await readTogether(db, {
    counts: countFeeds(db, projectId),
    record: idempotency?.read ?? null,
  });
  idempotency?.check(record);
  requireAddress(deps, wanted.url);
  if ((counts[0]?.count ?? 0) >= MAX_FEEDS) {
    throw new AppError("quota_exceeded", `A project has at most ${MAX_FEEDS} feeds. Delete some.`, {
      retryAfterSeconds: 3600,
    });
  }
  const files = await checkTemplates(deps, caller, wanted);
  const now = Date.now();
  const feed = { ...wanted, projectId, state: "active" as const, createdAt: now, updatedAt: now };
  const { made } = await writeTogether(db, {
    made: insertFeed(db, feed),
    task: scheduleTaskOf(db, { kind: FEED, subject: newestFeedId, dueAt: now, intervalMs: INTERVAL.minMs, now }),
    files: keepFiles(db, projectId, files, wanted.name),
    record: idempotency?.write(sql`CAST(${newestFeedId} AS TEXT)`) ?? null,
  });
  const [stored] = made;
  if (!stored) throw new Error("The feed was not stored.");
  return stored.id;
}

function requireAddress({ config }: Pick<Deps, "config">, url: string): void {
  const problem = checkAddress(url, config.allowLoopback);
  if (problem !== null) throw invalid({ url: [problem.startsWith("The ") ? problem : `url ${problem}`] });
}

/** A short entry with everything. */
const SAMPLE: EntryValues = {
  title: "Title",
  link: "https://www.example.com/entry",
  summary: "Summary",
  author: "Author",
  image: "https://www.example.com/picture.jpg",
};

/** The names of our files in the templates, which every post needs. */
async function checkTemplates(deps: Deps, caller: Caller, feed: Pick<Feed, "posts" | "publishMode">) {
  requireFew(feed.posts);
  const channels = await channelsOf(deps.db, caller.projectId, feed.posts);
  const bodies = entryPosts(feed, SAMPLE, channels);
  await requireAccepted(deps, caller, bodies);
  return filesOf(bodies);
}

/** An entry's summary is long, and each placeholder stands for all of it. */
function requireFew(posts: readonly Template[]): void {
  for (const [index, template] of posts.entries()) {
    const crowded = crowdedField(template);
    if (crowded === null) continue;
    const [field, most] = crowded === "" ? [`posts.${index}`, MAX_IN_POST] : [`posts.${index}.${crowded}`, MAX_IN_TEXT];
    const sentence = `${field} must have at most ${most} placeholders such as {title}.`;
    throw invalidFields([{ field, code: "invalid_request", ...said(sentence, "placeholders", most) }]);
  }
}

export function recallFeed(stored: string): FeedId {
  return idOf<FeedId>(Number(stored));
}

export async function getFeed(deps: Deps, { projectId }: Pick<Caller, "projectId">, id: FeedId): Promise<Feed> {
  const found = await findFeed(deps.db, projectId, id);
  if (!found) throw absent("feed", id);
  return found;
}

export interface FeedChanges {
  readonly name?: string | undefined;
  readonly url?: string | undefined;
  readonly includeExisting?: number | undefined;
  readonly state?: "active" | "paused" | undefined;
  readonly publishMode?: FeedMode | undefined;
  readonly posts?: readonly Template[] | undefined;
}

/**
 * Changes a feed. A continued one is read within a minute: its newest entries that have no posts, at most 20,
 * become posts. A new address is read within a minute like that of a new feed; the journal stays, so no entry
 * has posts twice. Errors: `not_found`, a 422 on `url`, and those of create-post for new templates.
 */
export async function updateFeed(deps: Deps, caller: Caller, id: FeedId, changes: FeedChanges): Promise<Feed> {
  return retryOnConflict(() => tryUpdate(deps, caller, id, changes), `Feed ${id} is being read.`);
}

async function tryUpdate(deps: Deps, caller: Caller, id: FeedId, changes: FeedChanges): Promise<Feed | null> {
  const { db } = deps;
  const found = await getFeed(deps, caller, id);
  const { name = found.name, state = found.state, publishMode = found.publishMode, posts = found.posts } = changes;
  const { url = found.url, includeExisting = 0 } = changes;
  const isMoved = url !== found.url;
  if (isMoved) requireAddress(deps, url);
  const isChecked = changes.posts !== undefined || changes.publishMode !== undefined;
  const files = isChecked ? await checkTemplates(deps, caller, { posts, publishMode }) : [];
  const now = Date.now();
  const isSame = state === found.state;
  const isResumed = !isSame && state === "active";
  const detail = aboutFeed({ ...found, name, url });
  const event = isResumed
    ? ({ type: "feed.resumed", message: "The feed continues.", detail } as const)
    : ({ type: "feed.paused", message: "The feed was paused by a request.", detail } as const);
  const fields = { name, url, state, publishMode, posts, updatedAt: now };
  const fresh = {
    ...(isMoved ? { includeExisting, etag: null, lastModified: null, problem: null, failures: 0 } : {}),
    ...(isResumed ? { stopReason: null, problem: null, failures: 0, refusals: 0 } : {}),
  };
  const task = { key: `${FEED}:${id}`, dueAt: now, intervalMs: INTERVAL.minMs, now };
  const { changed } = await writeTogether(db, {
    ...changeFeed(db, found, { ...fields, ...fresh }, isSame ? null : event),
    task: isResumed || (isMoved && state === "active") ? scheduleTask(db, task) : null,
    files: keepFiles(db, caller.projectId, files, name),
  });
  return changed[0] ?? null;
}

/** Deletes the feed; its task ends at its next run. Posts that exist stay. Errors: `not_found`. */
export async function removeFeed({ db }: Deps, { projectId }: Pick<Caller, "projectId">, id: FeedId): Promise<void> {
  const deleted = await deleteFeed(db, projectId, id);
  if (deleted.length === 0) throw absent("feed", id);
}
