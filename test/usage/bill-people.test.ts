import { beforeAll, expect, test } from "vitest";
import { sweep } from "../../src/entry/dispatch.ts";
import { type Home, homeOn, plainestOn, send } from "../contract/world.ts";
import { minutes, platformIdOf } from "../support/automations.ts";
import { startClean } from "../support/clean-start.ts";
import { advance } from "../support/clock.ts";
import { collect, commentOf, request } from "../support/comments.ts";
import { costsOf } from "../support/costs.ts";
import { costOfDelivery, expectCounted, measuredOf, meterOf } from "../support/measured.ts";
import { queue, queuesIdle } from "../support/queue.ts";
import { sandbox } from "../support/sandbox.ts";
import { HOUR } from "../support/times.ts";

/** What a person answers by hand, and what feeds bring: the counts of `npm run bill`. */
let home: Home;
beforeAll(async () => {
  await startClean();
  home = await homeOn("facebook", undefined, { isWhole: true });
});

test("a comment that a person answers", async () => {
  const { id } = await send(home, plainestOn("facebook"));
  await queuesIdle();
  await collect(home);
  await advance(3_000);
  await sandbox.comment("facebook", await platformIdOf(id), "How much?", "Ada Reader");
  await minutes(4);
  const { comment_id } = await commentOf(home.project, "How much?");
  queue.loseAll();
  const requested = meterOf(await request(home.project, comment_id, "reply", { text: "Five euros." }));
  expectCounted("answered", measuredOf([requested, await costOfDelivery("comment")]));
});

test("a read of a feed, and an entry that becomes a post", async () => {
  const reach = globalThis.fetch;
  let items = "";
  globalThis.fetch = async (input, init) => {
    if (new URL(new Request(input, init).url).host !== "feeds.example.com") return reach(input, init);
    return new Response(`<rss><channel>${items}</channel></rss>`);
  };
  const content = { ...home.channel, post_type: "post", media_urls: [], caption_text: "{title} {link}" };
  const body = { url: "https://feeds.example.com/news", publish_mode: "draft", posts: [content] };
  expect((await home.project.call("POST", "/social/create-feed", { body })).status).toBe(200);
  await minutes(2);
  const read = async () => {
    await advance(25 * HOUR);
    queue.loseAll();
    await costsOf(sweep);
    return measuredOf([await costOfDelivery("feed")]);
  };
  expectCounted("feedRead", await read());
  items = "<item><guid>1</guid><title>One</title><link>https://blog.example.com/1</link></item>";
  expectCounted("feedEntry", await read());
  globalThis.fetch = reach;
});
