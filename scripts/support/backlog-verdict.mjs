/**
 * What became of one project's posts. `plans` are `{ id, text }`, `posts` what get-posts tells, `live` what the sandbox
 * shows. `broken` are those that are not published and live exactly once, with a reason.
 */
export function verdictOf(plans, posts, live) {
  const itemsByText = Map.groupBy(live, ({ text }) => text);
  const postsById = new Map(posts.map((post) => [post.post_id, post]));
  const broken = [];
  const times = [];
  let published = 0;
  for (const { id, text } of plans) {
    const items = itemsByText.get(text) ?? [];
    const post = postsById.get(id);
    if (post?.STATUS === "published") published++;
    times.push(...items.map((item) => Date.parse(item.created_at)));
    const says = trouble(post, items.length);
    if (says !== null) broken.push({ id, says });
  }
  times.sort((a, b) => a - b);
  const after = (time, dueAt) => (time === undefined ? null : time - dueAt);
  return {
    published,
    live: times.length,
    broken,
    /** How long after their time the first, the middle and the last went live; null when none did. */
    liveAfter: (dueAt) => ({
      first: after(times[0], dueAt),
      median: after(times[times.length >> 1], dueAt),
      last: after(times.at(-1), dueAt),
    }),
  };
}

function trouble(post, liveItems) {
  if (!post) return "it is not listed";
  if (liveItems > 1) return `${liveItems} times live (${post.STATUS})`;
  if (post.STATUS === "failed") return `failed: ${post.error ?? "no reason given"}`;
  if (post.STATUS !== "published") return `it has not ended (${post.STATUS})`;
  return liveItems === 0 ? "published, but not live" : null;
}
