import type { Channel } from "../../channels/store.ts";
import type { Caller } from "../../core/caller.ts";
import { AppError } from "../../core/errors.ts";
import type { EventOf } from "../../events/store.ts";
import type { Deps } from "../../service/deps.ts";
import { createStep, isPassing } from "../create/create-step.ts";
import { entryPosts } from "./entry-posts.ts";
import { entryValues } from "./entry-values.ts";
import type { FEED_EVENTS } from "./events.ts";
import type { FeedProblem } from "./feed-problems.ts";
import type { KeyedEntry } from "./fetch-feed.ts";
import { keysOf, MAX_IN_A_ROW, remember } from "./journal.ts";
import { aboutFeed, type Feed, moveOn, selectJournal, stopping } from "./store.ts";

interface Reading {
  readonly deps: Deps;
  readonly caller: Caller;
  readonly channels: ReadonlyMap<unknown, Channel>;
  /** All entries of the document. */
  readonly entries: readonly KeyedEntry[];
}

type Handled =
  | { readonly kind: "done"; readonly feed: Feed }
  | { readonly kind: "waits"; readonly problem: FeedProblem }
  | { readonly kind: "done_before" };

/** A refusal that passes: the entry keeps its turn. */
class Waits extends Error {
  readonly problem: FeedProblem;
  constructor(refusal: AppError) {
    super(refusal.message);
    this.problem = problemOf(refusal);
  }
}

const problemOf = ({ code, message }: AppError): FeedProblem => ({ kind: "refused", code, message });

/**
 * Creates the posts of an entry and puts it into the journal, in one transaction. A post that create-post
 * refuses is left out for good, with an event; a refusal that passes leaves the whole entry for later.
 */
export async function postEntry(reading: Reading, feed: Feed, entry: KeyedEntry): Promise<Handled> {
  const { deps, caller, channels, entries } = reading;
  const values = entryValues(entry, feed.url);
  const bodies = entryPosts(feed, values, channels);
  let refused: readonly AppError[] = [];
  const note = (planned: readonly unknown[]) => {
    refused = planned.filter((one) => one instanceof AppError);
    const passing = refused.find(isPassing);
    if (passing) throw new Waits(passing);
    return {};
  };
  const seen = remember(feed.seen ?? [], keysOf(entry), entries);
  const next = () => afterEntry(feed, { seen, refused, posts: bodies.length, ...values });
  const end = () => moveOn(deps.db, feed, next().changes, next().events);
  try {
    const outcome = await createStep(
      { deps, caller, bodies, answerOf: note, onRefused: note },
      {
        read: selectJournal(deps.db, feed.id),
        isNext: (row) => row?.revision === feed.revision && row?.state === "active",
        end,
        endRefused: end,
      },
    );
    if (outcome === "done_before") return { kind: outcome };
    return { kind: "done", feed: { ...feed, ...next().changes, revision: feed.revision + 1 } };
  } catch (error) {
    if (error instanceof Waits) return { kind: "waits", problem: error.problem };
    throw error;
  }
}

interface Done {
  readonly seen: readonly string[];
  readonly refused: readonly AppError[];
  readonly posts: number;
  readonly title: string;
  readonly link: string;
}

/** The feed after an entry, and what is reported. */
function afterEntry(feed: Feed, { seen, refused, posts, title, link }: Done) {
  const [first] = refused;
  const now = Date.now();
  if (!first) return { changes: { seen, posted: feed.posted + 1, refusals: 0, updatedAt: now }, events: [] };
  const detail = { ...aboutFeed(feed), title, link, refused: refused.length, posts, error_code: first.code };
  const event = { type: "feed.entry_refused", message: first.message, detail } as const;
  const events: EventOf<typeof FEED_EVENTS>[] = [event];
  if (refused.length < posts) {
    return { changes: { seen, posted: feed.posted + 1, refusals: 0, updatedAt: now }, events };
  }
  const refusals = feed.refusals + 1;
  const changes = { seen, refused: feed.refused + 1, refusals, updatedAt: now };
  if (refusals < MAX_IN_A_ROW) return { changes, events };
  const stopped = stopping(feed, "refused", { unit: "entries", count: refusals, last: problemOf(first) });
  return { changes: { ...changes, ...stopped.changes }, events: [...events, stopped.event] };
}
