import type { LivePost } from "../../test/support/control.ts";
import type { Post } from "./api.ts";

export interface ExpectedOutcome {
  /** Whether the promise is kept: published exactly once, or a clear error. */
  readonly holds: boolean;
  readonly means: string;
}

/** The outcome of a post, from our API and the platforms' records. */
export const OUTCOMES = {
  once: { holds: true, means: "published, live exactly once" },
  failed: { holds: true, means: "failed with a reason, nothing live" },
  doubt: { holds: true, means: 'failed as "may have been published", live at most once' },
  partial: { holds: true, means: "a thread that failed in part and reports it, no item twice" },
  twice: { holds: false, means: "live more than once" },
  missing: { holds: false, means: "published, but not completely live" },
  hidden: { holds: false, means: "failed, but live" },
  unexplained: { holds: false, means: "failed without a reason" },
  disorder: { holds: false, means: "a thread out of order" },
  unended: { holds: false, means: "neither published nor failed at the end" },
  unknown: { holds: false, means: "no longer known to the service" },
} satisfies Readonly<Record<string, ExpectedOutcome>>;

/** The expected live items of a post; each item has a unique text that identifies it. */
export interface Plan {
  readonly items: readonly { readonly text: string }[];
}

export interface Result<P extends Plan> {
  readonly plan: P;
  /** The service's view of it. */
  readonly post: Post | undefined;
  readonly verdict: ExpectedOutcome;
  readonly live: readonly LivePost[];
}

/** Judges every planned post by the service's posts and all live posts of the sandbox. */
export function judgeAll<P extends Plan & { readonly id: number }>(
  plans: readonly P[],
  posts: ReadonlyMap<number, Post>,
  live: readonly LivePost[],
): readonly Result<P>[] {
  const found = Map.groupBy(live, ({ text }) => text);
  return plans.map((plan) => {
    const post = posts.get(plan.id);
    const items = plan.items.map(({ text }) => found.get(text) ?? []);
    return { plan, post, verdict: outcomeOf(post, items), live: items.flat() };
  });
}

/** An error message about a post. */
export const sentenceOf = ({ plan, post }: Result<Plan & { readonly id: number }>, problem: string): string =>
  `post ${plan.id}: ${problem}${post?.error ? `: ${post.error}` : ""}`;

function outcomeOf(post: Post | undefined, found: readonly (readonly LivePost[])[]): ExpectedOutcome {
  if (found.some((matches) => matches.length > 1)) return OUTCOMES.twice;
  if (!post) return OUTCOMES.unknown;
  if (!isInOrder(found)) return OUTCOMES.disorder;
  switch (post.STATUS) {
    case "published":
      return found.every((matches) => matches.length === 1) ? OUTCOMES.once : OUTCOMES.missing;
    case "failed":
      return outcomeOfFailed(post.error ?? "", found);
    default:
      return OUTCOMES.unended;
  }
}

function outcomeOfFailed(reason: string, found: readonly (readonly LivePost[])[]): ExpectedOutcome {
  if (reason === "") return OUTCOMES.unexplained;
  if (/may have been published/i.test(reason)) return OUTCOMES.doubt;
  if (found.every((matches) => matches.length === 0)) return OUTCOMES.failed;
  return found.length > 1 && /item|thread|part/i.test(reason) ? OUTCOMES.partial : OUTCOMES.hidden;
}

/** The items of a thread reply to each other, starting with the first. */
function isInOrder(found: readonly (readonly LivePost[])[]): boolean {
  return found.every(([item], at) => {
    const [before] = found[at - 1] ?? [];
    return !item || at === 0 || (item.reply_to !== null && item.reply_to === before?.id);
  });
}
