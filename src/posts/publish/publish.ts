/**
 * Publishing one post: the job `publish:<post id>` (docs/architecture.md, The life of a post).
 *
 *   pending / scheduled / queued ──claimed and due──▶ processing ──▶ published | failed (with a reason)
 *
 * Each outside act is a step of the job's journal. Media are probed and uploaded in steps that may be
 * repeated. Every item is made public in a `once` step (commit.ts). So after a delivery dies, the next one
 * resumes and nothing is published twice. If the post is deleted meanwhile, nothing more is sent. Items that
 * may be live are looked up, and an `unpublish` job deletes them.
 */
import { type SQL, sql } from "drizzle-orm";
import { actAs, handleFailure } from "../../acting/acting.ts";
import { callPlatform } from "../../acting/call-platform.ts";
import { takePreparationTurn } from "../../acting/paced-act.ts";
import { PREPARED, prepare } from "../../acting/prepared.ts";
import { activeLimit, waitForLimit } from "../../channels/rate-limits.ts";
import { type Actor, selectActor, toActor } from "../../channels/store.ts";
import { isQueuePaused } from "../../channels/timetable.ts";
import { idOf, type PostId } from "../../core/ids.ts";
import { MAX_PART_BYTES } from "../../core/max-part-bytes.ts";
import { runBatch, writeTogether } from "../../db/client.ts";
import type { JobHandler } from "../../jobs/handler.ts";
import type { Journal } from "../../jobs/journal.ts";
import { JobFailed, LeaseLost } from "../../jobs/outcomes.ts";
import { NEVER, releaseUnstarted } from "../../jobs/reschedule.ts";
import { createReader } from "../../media/reader.ts";
import type { Json } from "../../platforms/context.ts";
import { codeOf } from "../../platforms/outcomes.ts";
import type { Commit, Content, PlatformPost } from "../../platforms/publishing.ts";
import { findPlatform } from "../../platforms/registry.ts";
import type { Deps } from "../../service/deps.ts";
import { plannedItems } from "../content/content.ts";
import { coverRules, plannedCover } from "../content/cover.ts";
import { withDocumentTitle } from "../content/document-title.ts";
import { kindsOf } from "../content/file-kinds.ts";
import { sentSettings, settingsLeftOut } from "../content/settings.ts";
import { postEvent, waitEvent } from "../events.ts";
import { channelOf } from "../fragments.ts";
import { PUBLISH, publishLimitMs } from "../jobs.ts";
import { isNotItsTime, isWaiting, markProcessing } from "../states.ts";
import { type Post, selectPostOfJob } from "../store.ts";
import { applyAfterwards } from "./afterwards.ts";
import { withAlternativeFormats } from "./alternative-formats.ts";
import { commit, type Run } from "./commit.ts";
import { fitDocument } from "./fit-document.ts";
import { previewLink } from "./link-preview.ts";
import { mirrorMedia, UPLOAD_WAIT_MS } from "./mirror-media.ts";
import { type BeginsWithPost, deletedMeanwhile, publication, publishFailure, unreadableFailure } from "./outcome.ts";
import { settlePublication } from "./publications.ts";
import {
  type Committed,
  commitStep,
  FORM,
  livePosts,
  markBroken,
  readCommitted,
  readLive,
  readPermalinkTries,
  writeLive,
  writePermalinkTries,
} from "./publish-journal.ts";
import { readyFiles } from "./ready-files.ts";
import { unspentCost } from "./reserved-cost.ts";

const CONFIRM_TRIES = 20;
const PERMALINK_TRIES = 4;

/** `begins`: what starts when a post goes live. */
export function publishJob(begins: BeginsWithPost): JobHandler<Deps> {
  return {
    ...FORM,
    kind: PUBLISH,
    queues: ["publish", "media"],
    limitMs: publishLimitMs,
    run: (deps, journal) => run(deps, journal, begins),
    failed: (deps, job, end, journal) =>
      journal ? publishFailure(deps, journal, end, begins) : unreadableFailure(deps, job, end),
    waiting: waitEvent,
  };
}

async function run(deps: Deps, journal: Journal, begins: BeginsWithPost): Promise<void> {
  const { post, actor } = await begin(deps, journal);
  if (!post) return journal.finish();
  const planned = plannedItems(post, post.postType);
  const isDeleted = post.state === "deleted";
  if (isDeleted && !journal.hasUnconfirmed() && livePosts(journal, planned.length).length === 0) {
    return journal.finish({ writes: unspentCost(deps.db, journal, post) });
  }
  // For a deleted post, the job only looks up what may be live: that waits for the channel.
  const acting = await actAs({ deps, journal, isPatient: isDeleted, postId: post.id }, actor, "publish");
  const platform = findPlatform(post.channelType);
  const rules = platform?.rules(acting.channel.attributes)[post.postType];
  if (!platform || !rules) {
    throw new JobFailed("unsupported_by_platform", `${post.postType} cannot be posted on ${post.channelType}.`);
  }
  const taken = await withAlternativeFormats(deps.db, planned, rules);
  const { items: probed, leftOut: textsLeftOut } = await readyFiles({ deps, journal, post }, taken, rules);
  const { postType: type, extra } = post;
  const { channel } = acting;
  const sent = sentSettings(post, channel, type);
  const fitted = await fitDocument({ deps, journal, post }, sent.options, rules, probed);
  const items = await mirrorMedia({ ...acting, post }, rules, fitted);
  const reader = createReader(deps.guardedFetch, { isCareful: journal.retriesOf("prepared") > 0 });
  const wanted = await withAlternativeFormats(deps.db, plannedCover(sent.options), coverRules(rules));
  const covers = await readyFiles({ deps, journal, post }, wanted, coverRules(rules));
  const cover = covers.items[0]?.media[0] ?? null;
  const preview = (url: string) => previewLink(deps, url);
  const options = await withDocumentTitle(deps, post, sent.options, items);
  const content: Content = { type, items, extra, ...sent, options, cover, read: reader.read, preview };
  const leftOut = [...textsLeftOut, ...settingsLeftOut(post, channel, type, kindsOf(probed))];
  const current: Run = { ...acting, post, platform, content, reader };
  let progress = await prepareContent(current);
  const live: PlatformPost[] = [];
  for (let index = 0; index < items.length; index++) {
    progress = await stage(current, progress, { index, previous: live });
    const committed = await commit(current, progress, { index, previous: live });
    if (committed === "deleted") return journal.finish(deletedMeanwhile(deps, journal, post, live));
    live.push(await confirm(current, progress, index, committed));
  }
  const permalink = await readPermalink(current, live);
  const unapplied = await applyAfterwards(current, live, progress);
  const published = { live, permalink, leftOut: [...leftOut, ...unapplied], begins };
  await journal.finish(publication(deps, journal, post, published));
}

/**
 * Marks a waiting post as processing and reads what the delivery needs, in one D1 call. A queued post does
 * not begin if it was moved, or its queue paused, after the claim. The transaction that commits first wins.
 */
async function begin(deps: Deps, journal: Journal): Promise<{ post: Post | null; actor: Actor | null }> {
  const { db } = deps;
  const id = idOf<PostId>(journal.job.subjectId);
  const now = Date.now();
  const { posts, ...actor } = await writeTogether(db, {
    event: postEvent(
      deps,
      journal,
      { type: "post.processing", message: "Publishing has begun.", detail: {} },
      isWaiting(id, now),
    ),
    begun: markProcessing(db, id, now, journal.hasLease),
    put: releaseUnstarted(
      db,
      journal.job.key,
      { runAt: dueAgain(id), deadlineMs: publishLimitMs(deps.config) },
      sql`${journal.hasLease} AND ${isNotItsTime(id, now)}`,
    ),
    posts: selectPostOfJob(db, id),
    ...selectActor(db, channelOf(id)),
  });
  const read = { post: posts[0] ?? null, actor: toActor(actor) };
  const { post } = read;
  if (!post || post.state === "deleted" || post.processingAt !== null) return read;
  // Rate limited: the post keeps its state and can still be changed.
  const limit = activeLimit(actor.limits, "publish", now);
  if (limit) waitForLimit(journal, limit);
  if (post.state === "queued") throw new LeaseLost(journal.job.key);
  return read;
}

/** The current due time of a queued post's job. */
function dueAgain(id: PostId): SQL<number> {
  const rests = isQueuePaused(sql`posts.channel_id`);
  return sql`(SELECT CASE WHEN ${rests} THEN ${NEVER} ELSE publish_at END FROM posts WHERE posts.id = ${id})`;
}

/** Uploads the files. */
async function prepareContent(run: Run): Promise<Json> {
  const { deps, journal, platform, content } = run;
  const { preparations } = platform.posts;
  const largest = Math.max(0, ...content.items.flatMap(({ media }) => media.map(({ bytes }) => bytes)));
  // Without files nothing was uploaded, so the next delivery computes the same result.
  const hasFiles = content.items.some(({ media }) => media.length > 0);
  const slot = deps.uploads.slot();
  try {
    return await prepare(run, {
      step: PREPARED,
      waitsFor: "The platform is processing the media.",
      async next(context, progress) {
        if (preparations?.isCounted(content, progress)) {
          await takePreparationTurn(run, preparations.pace, `post:${run.post.id}`);
        }
        if (!(await slot.take(Math.min(largest, MAX_PART_BYTES), UPLOAD_WAIT_MS))) {
          journal.retryLater(1, "Other files are being uploaded.", null);
        }
        const outcome = await platform.posts.prepare(context, content, progress);
        if (!run.reader.isHolding) slot.release();
        return outcome;
      },
      isStored: ({ ready }) => hasFiles || !ready,
    });
  } finally {
    slot.release();
  }
}

/**
 * Prepares an item before its commit. Returns the progress unchanged if the item is live, may be live, or is
 * not to be published any more.
 */
async function stage(run: Run, prepared: Json, item: Commit): Promise<Json> {
  const { journal, content, post } = run;
  const { posts } = run.platform;
  const isSettled = readCommitted(journal, item.index) !== null || journal.hasUnconfirmed() || post.state === "deleted";
  if (!posts.stage || isSettled) return prepared;
  return prepare(run, {
    step: PREPARED,
    resumes: { from: prepared, retriesAs: `stage:${item.index}` },
    waitsFor: "The platform is processing the media.",
    next: async (context, progress) =>
      (await posts.stage?.(context, content, progress, item)) ?? { kind: "ready", progress },
    isStored: ({ progress }, before) => progress !== before,
  });
}

/** Some platforms report only now the id that their lists show. Look-ups of other posts must exclude it. */
async function keepId({ deps, journal, post, channel }: Run, item: number, before: PlatformPost, now: PlatformPost) {
  if (now.id === before.id) return;
  const { platform } = channel;
  await runBatch(deps.db, settlePublication(deps.db, { platform, postId: post.id, item }, now.id, journal.hasLease));
}

/** Waits until an accepted item is live. Only a broken item fails; a failed read is retried. */
async function confirm(run: Run, progress: Json, index: number, committed: Committed): Promise<PlatformPost> {
  const { journal, platform, content } = run;
  if (committed.confirmAfterSeconds === null) return committed.post;
  const known = readLive(journal, index);
  if (known) return known;
  await journal.checkpoint();
  const accepted = { index, post: committed.post, since: journal.begunAt(commitStep(index)) };
  const outcome = await callPlatform(run, (context) => platform.posts.confirm(context, content, progress, accepted));
  switch (outcome.kind) {
    case "live":
      await keepId(run, index, committed.post, outcome.post);
      writeLive(journal, index, outcome.post);
      return outcome.post;
    case "processing":
      return journal.retryLater(outcome.afterSeconds, "The platform has accepted the post and is processing it.", null);
    case "broken":
      await markBroken(journal, index);
      throw new JobFailed(outcome.code, outcome.message, outcome.answer);
    case "failed": {
      const name = `live:${index}`;
      if (outcome.reason !== "rejected") return handleFailure(run, outcome, name);
      const { message, answer } = outcome;
      return journal.retryWithBackoff(name, { code: codeOf(outcome), message, answer }, { maxRetries: CONFIRM_TRIES });
    }
  }
}

/**
 * The address of the first item. Read a few times if the platform reports it at once; a post may have none.
 * An address that is reported later does not delay the post.
 */
async function readPermalink(
  { journal, platform, context }: Run,
  live: readonly PlatformPost[],
): Promise<string | null> {
  const [first] = live;
  const { permalink } = platform.posts;
  if (!first || first.permalink !== null || permalink.shown !== "at_once") return first?.permalink ?? null;
  const outcome = await permalink.read(context, first);
  if (outcome.kind === "found") return outcome.post.permalink;
  const tries = readPermalinkTries(journal) + 1;
  if (tries >= PERMALINK_TRIES) return null;
  await writePermalinkTries(journal, tries);
  return journal.retryLater(5 * tries, "The post is live. The platform has not returned its permalink yet.", null);
}
