import { env } from "cloudflare:workers";
import { beforeAll, beforeEach, describe, expect, test } from "vitest";
import { callsTo, homeOn } from "../contract/world.ts";
import { makeBot, minutes } from "../support/automations.ts";
import { startClean } from "../support/clean-start.ts";
import { advance } from "../support/clock.ts";
import { collect, commentOf, commentPage, livePost, READING, textsOf } from "../support/comments.ts";
import { costOf } from "../support/costs.ts";
import { sandbox } from "../support/sandbox.ts";
import { projectWith } from "../support/world.ts";

/** The list of comments, for people and bots, and when comments are read without a bot. */

describe.for(READING)("%s", (name) => {
  beforeEach(startClean);

  test("a comment is read without a bot once its channel collects comments, and not before", async () => {
    const live = await livePost(name);
    await sandbox.comment(name, live.platformId, "Too early");
    await minutes(2);
    const before = (await callsTo(name)).at(-1)?.id ?? 0;
    await minutes(2);
    const reads = (await callsTo(name)).filter(({ id, operation }) => id > before && operation === "comments");
    expect(reads).toEqual([]);
    expect(await textsOf(live.project)).toEqual([]);
    const { body, status } = await collect(live);
    expect(status).toBe(200);
    const price = name === "twitter" ? { per_comment: 0.005, currency: "USD" } : null;
    expect(body).toMatchObject({ comments: { channel_id: live.channel.channel_id, collects: true, price } });
    await advance(3_000);
    const platformId = await sandbox.comment(name, live.platformId, "How much is it?", "Ada Reader");
    await minutes(4);
    expect(await commentPage(live.project)).toMatchObject({
      data: [
        {
          post_id: live.id,
          channel_type: name,
          platform_id: expect.stringContaining(platformId),
          is_reply: false,
          state: "unanswered",
        },
      ],
      next_cursor: null,
    });
    await collect(live, false);
    await minutes(2);
    await sandbox.comment(name, live.platformId, "Too late");
    await minutes(3);
    expect(await textsOf(live.project)).toEqual(["How much is it?"]);
  });
});

describe("on a channel", () => {
  let live: Awaited<ReturnType<typeof livePost>>;
  beforeAll(async () => {
    await startClean();
    live = await livePost("facebook");
  });

  test("what a bot answers is in the same list, as answered, behind what waits", async () => {
    await makeBot(live.project, [live.channel], { trigger_type: "keywords", keywords: ["price"] });
    await sandbox.comment("facebook", live.platformId, "What is the price?");
    await advance(1_000);
    await sandbox.comment("facebook", live.platformId, "Lovely");
    await minutes(3);
    expect(await textsOf(live.project)).toEqual(["Lovely", "What is the price?"]);
    const answered = await commentOf(live.project, "What is the price?");
    expect(answered).toMatchObject({ state: "answered", answered_at: expect.any(String) });
    expect(await textsOf(live.project, "state=answered")).toEqual(["What is the price?"]);
    expect(await textsOf(live.project, "state=unanswered")).toEqual(["Lovely"]);
    expect(await textsOf(live.project, `post_id=${live.id}`)).toHaveLength(2);
    expect(await textsOf(live.project, `channel_id=${live.channel.channel_id}`)).toHaveLength(2);
    expect(await textsOf(live.project, "post_id=999999")).toEqual([]);
    const one = await live.project.call("GET", `/social/get-comment/${answered.comment_id}`);
    expect(one.body).toMatchObject({ comment: { text: "What is the price?", author: expect.any(String) } });
  });

  test("another project sees none of it", async () => {
    const other = await homeOn("threads");
    const { comment_id } = await commentOf(live.project, "Lovely");
    expect((await other.project.call("GET", `/social/get-comment/${comment_id}`)).status).toBe(404);
    expect(await textsOf(other.project, `post_id=${live.id}`)).toEqual([]);
    expect(await textsOf(other.project, `channel_id=${live.channel.channel_id}`)).toEqual([]);
    expect((await collect({ ...other, channel: live.channel })).status).toBe(404);
  });

  test("a page of 20,000 comments costs what it shows, by every filter", async () => {
    const own = await projectWith("facebook", await sandbox.addAccount("facebook", "Loud"));
    const [project] = (
      await env.DB.prepare("SELECT project_id AS id FROM channels WHERE id = ?")
        .bind(own.channel.channel_id)
        .all<{ id: number }>()
    ).results;
    await env.DB.prepare(
      `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 20000)
       INSERT INTO comments (project_id, channel_id, post_id, comment_id, text, created_at, seen_at, urgency)
       SELECT ?1, ?2, 900000 + i % 2, 'loud-' || i, 'Comment ' || i, i, ?3, i % 3 FROM n`,
    )
      .bind(project?.id, own.channel.channel_id, Date.now())
      .run();
    const seen: string[] = [];
    for (const filter of ["", `channel_id=${own.channel.channel_id}&`, "post_id=900001&", "state=answered&"]) {
      let cursor: string | null = "";
      for (let pages = 0; pages < 3 && cursor !== null; pages++) {
        await advance(1_000);
        const answer = await own.project.call("GET", `/social/get-comments?${filter}limit=20&cursor=${cursor}`);
        const cost = costOf(answer);
        // Of each its index entry and its row, and of its channel the same; a page may be of two ranges.
        expect(cost.rowsRead).toBeLessThanOrEqual(2 * 21 * 4);
        expect(cost.calls).toBe(1);
        const page = await commentPage(own.project, `${filter}limit=20&cursor=${cursor}`);
        if (filter === "") seen.push(...page.data.map(({ text }) => text));
        cursor = page.next_cursor;
      }
    }
    expect(new Set(seen).size).toBe(60);
    expect(seen[0]).toBe("Comment 20000");
  });

  test.for([
    ["post_id=1&channel_id=2", "channel_id"],
    ["state=lost", "state"],
    ["cursor=9-1", "cursor"],
    ["post_id=0", "post_id"],
  ])("%s is refused by its name", async ([query, field = ""]) => {
    const { status, body } = await live.project.call("GET", `/social/get-comments?${query}`);
    expect(status).toBe(422);
    expect(body).toMatchObject({ errors: { [field]: [expect.any(String)] } });
  });
});
