/** What became of one post, from our own answer and from the platforms' record. */
export const VERDICTS = {
  once: { holds: true, means: "published, live exactly once" },
  failed: { holds: true, means: "failed with a reason, nothing live" },
  doubt: { holds: true, means: 'failed as "may have been published", live at most once' },
  partial: { holds: true, means: "a thread that failed part-way and says so, no item twice" },
  twice: { holds: false, means: "live more than once" },
  missing: { holds: false, means: "published, but not (wholly) live" },
  hidden: { holds: false, means: "failed, but live" },
  disorder: { holds: false, means: "a thread out of order" },
  unended: { holds: false, means: "neither published nor failed at the end" },
};

/** `post` is find-post's answer; `live` everything that the sandbox shows. */
export function judge(plan, post, live) {
  const found = plan.items.map(({ text }) => live.filter((item) => item.text.includes(text)));
  const liveItems = found.flat().length;
  const verdict = verdictOf(plan, post, found);
  return { verdict, liveItems };
}

function verdictOf(plan, post, found) {
  if (found.some((matches) => matches.length > 1)) return "twice";
  if (!inOrder(found)) return "disorder";
  const isAllLive = found.every((matches) => matches.length === 1);
  const isNothingLive = found.every((matches) => matches.length === 0);
  switch (post.STATUS) {
    case "published":
      return isAllLive ? "once" : "missing";
    case "failed":
      if (/may have been published/i.test(post.error)) return "doubt";
      if (isNothingLive) return "failed";
      return plan.items.length > 1 && /item|thread|part/i.test(post.error) ? "partial" : "hidden";
    default:
      return "unended";
  }
}

/** Items of a thread stand one below the other, from the first on. */
function inOrder(found) {
  return found.every(([item], at) => {
    if (!item || at === 0) return true;
    return item.reply_to !== null && item.reply_to === found[at - 1][0]?.id;
  });
}
