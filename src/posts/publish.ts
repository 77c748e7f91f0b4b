/**
 * Publishing one post: the job `publish:<post id>` (design.md, Life of a post).
 *
 *   pending / scheduled / queued ──claimed and due──▶ processing ──▶ published | failed (with a reason)
 *
 * Each outside act is a step of the job's journal: media are probed and uploaded in `prepare` steps, every item is made
 * public in a `once` step, so that wherever a delivery dies, the next one goes on and nothing goes out twice. A post that
 * is deleted meanwhile is not sent; one that was on its way is taken down by an `unpublish` job.
 */
import { z } from "zod";
import { type Access, accessChannel, stopChannel } from "../channels/credentials.ts";
import type { Channel } from "../channels/store.ts";
import { MINUTE } from "../core/time.ts";
import type { Deps } from "../deps.ts";
import type { JobHandler } from "../jobs/runner.ts";
import { type Acted, type Found, GiveUp, type Journal } from "../jobs/steps.ts";
import { readRange } from "../media/probe.ts";
import type {
  AccountContext,
  Commit,
  CommitOutcome,
  Content,
  Failure,
  FindOutcome,
  Json,
  Platform,
  PlatformPost,
} from "../platforms/platform.ts";
import { findPlatform } from "../platforms/registry.ts";
import { plannedItems } from "./content.ts";
import { listTaken } from "./list.ts";
import { probeItems } from "./media.ts";
import {
  Committed,
  livePosts,
  PlatformPostShape,
  recordDeleted,
  recordFailure,
  recordPublished,
  recordWait,
} from "./publish-end.ts";
import { findPostOfJob, isDeleted, markProcessing, type Post } from "./store.ts";
import { postEvent } from "./timeline.ts";

const MEDIA_TRIES = 6;
/** With the backoff of core/backoff.ts this is most of a day. */
const DOWN_TRIES = 20;
const BLOCKED_SECONDS = 15 * 60;
const PERMALINK_TRIES = 4;

const MediaShape = z.object({
  url: z.string(),
  kind: z.enum(["image", "gif", "video"]),
  mime: z.string(),
  bytes: z.number(),
  width: z.number().nullable(),
  height: z.number().nullable(),
  durationSeconds: z.number().nullable(),
});
const Items = z.array(z.object({ text: z.string(), media: z.array(MediaShape) }));
const Prepared = z.object({ ready: z.boolean(), progress: z.custom<Json>(() => true) });

export const publishJob: JobHandler = { run, fail: recordFailure, waiting: recordWait };

/** What the steps of one delivery share. */
interface Run {
  readonly deps: Deps;
  readonly journal: Journal;
  readonly post: Post;
  readonly platform: Platform;
  readonly channel: Channel;
  readonly context: AccountContext;
  readonly content: Content;
}

async function run(deps: Deps, journal: Journal): Promise<void> {
  const post = await findPostOfJob(deps.db, journal.job.subjectId);
  if (!post) {
    await journal.finish([]);
    return;
  }
  if (post.state === "deleted" && !journal.isUnsure() && livePosts(journal, post).length === 0) {
    await journal.finish([]);
    return;
  }
  await begin(deps, journal, post);
  const access = await requireAccess(deps, journal, post);
  const platform = findPlatform(post.channelType);
  const rules = platform?.rules(access.channel.attributes)[post.postType];
  if (!platform || !rules) throw new GiveUp(`${post.postType} cannot be posted on ${post.channelType}.`);
  const items = await journal.step("media", Items, async () => {
    const probed = await probeItems(deps, plannedItems(post, post.postType), rules);
    if (probed.kind === "refused") throw new GiveUp(probed.problems.join(" "));
    if (probed.kind === "unreachable") {
      return journal.laterWithBackoff("media", probed.message, { maxTries: MEDIA_TRIES });
    }
    return probed.items.map(({ text, media }) => ({ text, media: [...media] }));
  });
  const content: Content = {
    type: post.postType,
    items,
    read: (media, start, end) => readRange(deps.guardedFetch, media.url, start, end),
  };
  const current: Run = { deps, journal, post, platform, channel: access.channel, context: access.context, content };
  const progress = await prepare(current);
  const live: PlatformPost[] = [];
  for (let index = 0; index < items.length; index++) {
    const committed = await commit(current, progress, { index, previous: live });
    if (committed === "deleted") return recordDeleted(deps, journal, post, live);
    live.push(await confirm(current, progress, index, committed));
  }
  await recordPublished(deps, journal, post, live, await readPermalink(current, live));
}

/** Shows the post as processing, once. */
async function begin(deps: Deps, journal: Journal, post: Post): Promise<void> {
  await journal.step(
    "begin",
    z.literal(true),
    async () => true as const,
    () => [
      markProcessing(deps.db, post.id, Date.now(), journal.held),
      postEvent(deps, journal, "post.processing", "Publishing has begun."),
    ],
  );
}

async function requireAccess(deps: Deps, journal: Journal, post: Post): Promise<Extract<Access, { kind: "ready" }>> {
  const access = await accessChannel(deps, post.channelId);
  if (access.kind === "reconnect_needed") throw new GiveUp(access.reason);
  if (access.kind === "later") return journal.later(access.seconds, access.reason);
  return access;
}

/** Uploads, one bounded act a step; what was reached is stored after each. */
async function prepare(run: Run): Promise<Json> {
  const { journal, platform, context, content } = run;
  let known = journal.read("prepared", Prepared);
  while (!known?.ready) {
    await journal.keepLease();
    const outcome = await platform.posts.prepare(context, content, known?.progress ?? null);
    if (outcome.kind === "failed") return handleFailure(run, outcome, "prepare");
    known = { ready: outcome.kind === "ready", progress: outcome.progress };
    await journal.write("prepared", known);
    if (outcome.kind === "more" && outcome.afterSeconds !== undefined) {
      journal.later(outcome.afterSeconds, outcome.reason ?? "The platform is processing the media.");
    }
  }
  return known.progress;
}

/** Makes one item public, at most once. */
async function commit(run: Run, progress: Json, item: Commit): Promise<Committed | "deleted"> {
  const { deps, journal, post, platform, context, content } = run;
  const outcome = await journal.once<Committed, Failure>(`commit:${item.index}`, {
    schema: Committed,
    unless: isDeleted(post.id),
    act: async () => toActed(await platform.posts.commit(context, content, progress, item)),
    find: async (since) => {
      const taken = await listTaken(deps.db, post, since - 10 * MINUTE);
      for (const earlier of item.previous) taken.add(earlier.id);
      return toFound(await platform.posts.find(context, content, progress, { ...item, since, taken }), run);
    },
  });
  switch (outcome.kind) {
    case "done":
      return outcome.value;
    case "forbidden":
      return "deleted";
    case "refused":
      return handleFailure(run, outcome.failure, `commit:${item.index}`);
  }
}

function toActed(outcome: CommitOutcome): Acted<Committed, Failure> {
  switch (outcome.kind) {
    case "published":
      return { kind: "done", value: { post: outcome.post, confirmAfterSeconds: null } };
    case "accepted":
      return { kind: "done", value: { post: outcome.post, confirmAfterSeconds: outcome.afterSeconds } };
    case "unknown":
    case "duplicate":
      return { kind: "unsure", message: outcome.message };
    case "failed":
      return { kind: "refused", failure: outcome };
  }
}

async function toFound(outcome: FindOutcome, run: Run): Promise<Found<Committed>> {
  switch (outcome.kind) {
    case "found":
      return { kind: "found", value: { post: outcome.post, confirmAfterSeconds: 0 } };
    case "absent":
      return { kind: "absent" };
    case "unknown":
      return { kind: "unsure", message: outcome.message };
    case "failed":
      if (outcome.reason === "token_expired") return handleFailure(run, outcome, "find");
      if (outcome.reason === "disconnected") {
        await stopChannel(run.deps, run.channel, outcome.message);
        throw new GiveUp(outcome.message);
      }
      return outcome.retryAfterSeconds === undefined
        ? { kind: "unsure", message: outcome.message }
        : { kind: "unsure", message: outcome.message, retryAfterSeconds: outcome.retryAfterSeconds };
  }
}

/** Waits until an accepted item is live. */
async function confirm(run: Run, progress: Json, index: number, committed: Committed): Promise<PlatformPost> {
  const { journal, platform, context, content } = run;
  if (committed.confirmAfterSeconds === null) return committed.post;
  const name = `live:${index}`;
  const known = journal.read(name, PlatformPostShape);
  if (known) return known;
  await journal.keepLease();
  const accepted = { index, post: committed.post, since: journal.begunAt(`commit:${index}`) };
  const outcome = await platform.posts.confirm(context, content, progress, accepted);
  if (outcome.kind === "broken") {
    await journal.write(`broken:${index}`, true);
    throw new GiveUp(outcome.message);
  }
  if (outcome.kind === "failed") return handleFailure(run, outcome, name);
  if (outcome.kind === "processing") {
    return journal.later(outcome.afterSeconds, "The platform has accepted it and is still processing.");
  }
  await journal.write(name, outcome.post);
  return outcome.post;
}

/** Sorts a platform's refusal: come back later, renew the credentials, or end here. */
async function handleFailure(run: Run, failure: Failure, at: string): Promise<never> {
  const { deps, journal, channel } = run;
  const retry = failure.retryAfterSeconds === undefined ? {} : { retryAfterSeconds: failure.retryAfterSeconds };
  switch (failure.reason) {
    case "rejected":
      throw new GiveUp(failure.message);
    case "throttled":
      return journal.laterWithBackoff(at, failure.message, retry);
    case "down":
      return journal.laterWithBackoff(at, failure.message, { ...retry, maxTries: DOWN_TRIES });
    case "blocked":
      return journal.later(failure.retryAfterSeconds ?? BLOCKED_SECONDS, failure.message);
    case "disconnected":
      throw new GiveUp(await stopChannel(deps, channel, failure.message));
    case "token_expired": {
      // Nothing to renew with, or renewed already: the platform's word stands.
      if (!run.platform.oauth.refresh || journal.read("renewed", z.literal(true))) {
        throw new GiveUp(await stopChannel(deps, channel, failure.message));
      }
      const access = await accessChannel(deps, channel.id, true);
      if (access.kind === "reconnect_needed") throw new GiveUp(access.reason);
      if (access.kind === "later") return journal.later(access.seconds, access.reason);
      await journal.write("renewed", true);
      return journal.later(0, "The channel's credentials were renewed.");
    }
  }
}

/** The address of the first item. Asked a few times where the platform is slow to tell it; a post may do without. */
async function readPermalink(
  { journal, platform, context }: Run,
  live: readonly PlatformPost[],
): Promise<string | null> {
  const [first] = live;
  if (!first || first.permalink !== null) return first?.permalink ?? null;
  const permalink = await platform.posts.permalink(context, first);
  const tries = (journal.read("permalink", z.number()) ?? 0) + 1;
  if (permalink !== null || tries >= PERMALINK_TRIES) return permalink;
  await journal.write("permalink", tries);
  return journal.later(5 * tries, "It is live; the platform does not tell its address yet.");
}
