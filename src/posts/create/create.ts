import type { Caller } from "../../core/caller.ts";
import { AppError } from "../../core/errors.ts";
import { type IdempotencyRecord, retryOnConflict } from "../../db/client.ts";
import type { Deps } from "../../service/deps.ts";
import { isOutdated } from "../outdated.ts";
import { slotAnswer } from "../timetable/due-time.ts";
import type { Created } from "./created.ts";
import type { LongText } from "./long-text.ts";
import { type NewPost, type Plan, planPosts } from "./plan.ts";
import { type Hashed, isBody, readFirst, withHash } from "./read-first.ts";
import { storePosts } from "./store-posts.ts";

/** Several posts that one transaction creates. */
export interface Creation {
  readonly deps: Deps;
  readonly caller: Caller;
  /** A body, or why it is refused. */
  readonly bodies: readonly (NewPost | AppError)[];
  readonly idempotency: IdempotencyRecord | null;
  readonly longText?: LongText | undefined;
  /** What the record stores, beside `post_id`: the id of the last post. */
  readonly answerOf: (planned: readonly (Planned | AppError)[]) => object;
  /** Called if a body is refused, before anything is written: throws if nothing may be written then. */
  readonly onRefused: (planned: readonly (Planned | AppError)[]) => void;
}

/** What is known of a post before it is stored. */
export type Planned = Omit<Created, "id">;

/**
 * Accepts a post (spec 4.4): two D1 calls and at most one queue send. Errors: 422 codes (core/errors.ts) for
 * a channel that the project does not have, and for anything that the channel, the platform or the timetable
 * does not allow; `quota_exceeded`.
 */
export async function createPost(
  deps: Deps,
  caller: Caller,
  body: NewPost,
  idempotency: IdempotencyRecord | null,
): Promise<Created> {
  const throwFirst = ([first]: readonly (Planned | AppError)[]) => {
    if (first instanceof AppError) throw first;
  };
  const answerOf = ([first]: readonly (Planned | AppError)[]) => first ?? {};
  const [created] = await createTogether({
    deps,
    caller,
    bodies: [body],
    idempotency,
    answerOf,
    onRefused: throwFirst,
  });
  if (!created || created instanceof AppError) throw created ?? new Error("The post was not stored.");
  return created;
}

/**
 * The same for several posts, in their order: two D1 calls, however many. All posts that are accepted are
 * written in one transaction with the record.
 */
export async function createTogether(creation: Creation): Promise<readonly (Created | AppError)[]> {
  const hashed = await Promise.all(creation.bodies.map(withHash));
  // Other requests may take the same slot, or change the timetable.
  return retryOnConflict(() => tryCreate(creation, hashed), busy(creation), isOutdated);
}

function busy({ bodies }: Creation): string {
  const ids = bodies.flatMap((body) => (body instanceof AppError ? [] : [body.channel_id]));
  const [first] = ids;
  return new Set(ids).size === 1
    ? `The queue of channel ${first} is being changed by other requests.`
    : "The queues of these channels are being changed by other requests.";
}

/** Throws an error for which `isOutdated` is true if a queue or a timetable changed since it was read. */
async function tryCreate(
  { deps, caller, idempotency, longText, answerOf, onRefused }: Creation,
  bodies: readonly (Hashed<NewPost> | AppError)[],
): Promise<readonly (Created | AppError)[]> {
  const now = Date.now();
  const read = await readFirst(deps, caller, bodies.filter(isBody), { now, isWrite: true, idempotency });
  const { posts, rooms } = await planPosts({ deps, caller, read, now, longText }, bodies);
  const planned = posts.map((post) => (post instanceof AppError ? post : toPlanned(post)));
  if (planned.some((post) => post instanceof AppError)) onRefused(planned);
  const plans = posts.filter(isPlan);
  // Without a post, a repeated request is checked again.
  if (plans.length === 0) return posts.filter((post) => post instanceof AppError);
  const stored = await storePosts({ deps, caller, plans, rooms, now, idempotency, answer: answerOf(planned) });
  const ids = stored.values();
  return planned.map((post) => {
    if (post instanceof AppError) return post;
    const { value: id } = ids.next();
    if (id === undefined) throw new Error("A post was not stored.");
    return { id, ...post };
  });
}

/**
 * The checks of `createTogether` alone, for a project that has so many more waiting posts: one D1 call.
 */
export async function checkTogether(
  deps: Deps,
  caller: Caller,
  bodies: readonly (NewPost | AppError)[],
  waiting: number,
): Promise<readonly (Planned | AppError)[]> {
  const now = Date.now();
  const hashed = await Promise.all(bodies.map(withHash));
  const read = await readFirst(deps, caller, hashed.filter(isBody), { now, isWrite: true });
  const usage = { ...read.usage, waitingPosts: read.usage.waitingPosts + waiting };
  const { posts } = await planPosts({ deps, caller, read: { ...read, usage }, now }, hashed);
  return posts.map((post) => (post instanceof AppError ? post : toPlanned(post)));
}

/** The same for posts of which none may be refused: throws the first refusal. */
export async function requireAccepted(
  deps: Deps,
  caller: Caller,
  bodies: readonly (NewPost | AppError)[],
): Promise<void> {
  const checked = await checkTogether(deps, caller, bodies, 0);
  const refused = checked.find((one) => one instanceof AppError);
  if (refused) throw refused;
}

const isPlan = (post: Plan | AppError): post is Plan => !(post instanceof AppError);

function toPlanned({ timing: { placement }, warnings }: Plan): Planned {
  return { slot: placement && slotAnswer(placement), warnings: warnings.map(({ message }) => message) };
}
