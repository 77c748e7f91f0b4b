import { env } from "cloudflare:workers";
import { beforeAll, describe, test } from "vitest";
import { z } from "zod";
import { PLATFORM_FACTS } from "../../src/platforms/facts.ts";
import { findPlatform, platforms } from "../../src/platforms/registry.ts";
import { advance } from "../support/clock.ts";
import { cron, queuesIdle } from "../support/queue.ts";
import { SAMPLES } from "./facts.ts";
import { planOf } from "./plan.ts";
import { isSilent, type Shape } from "./shapes.ts";
import {
  bodyOf,
  contentOf,
  createAnswer,
  flaws,
  Homes,
  liveNow,
  NAMES,
  type Name,
  outcomeOf,
  planFor,
  publish,
  type Sent,
  send,
  shapesOn,
} from "./world.ts";

/** Every adapter of the registry without faults, through the front door. */
const homes = new Homes();
beforeAll(async () => {
  await homes.connect();
});

test("every adapter of the registry is under this contract", ({ expect }) => {
  expect(NAMES).toEqual(Object.keys(platforms));
});

/** The contract of a new group of an adapter comes with a new test. */
const GROUPS = [
  "name",
  "rules",
  "oauth",
  "additionalLogins",
  "grants",
  "capabilities",
  "posts",
  "comments",
  "messages",
  // test/conversations/every-platform.test.ts
  "conversations",
  "ads",
  "insights",
  "webhooks",
  "usedUp",
  "accountKinds",
  "quotas",
  "pricing",
  // test/platforms/list-platforms.test.ts
  "sources",
  // test/consent/
  "deauthorizing",
  "uncheckedDays",
];

describe.for(NAMES)("%s", (name) => {
  const { shapes, absentTypes } = planFor(name);

  test("has no group that the contract does not know", ({ expect }) => {
    expect(Object.keys(platforms[name] ?? {}).filter((group) => !GROUPS.includes(group))).toEqual([]);
  });

  test("does what it can do by a grant that it gives, and requests the scopes", ({ expect }) => {
    const { capabilities, grants, oauth } = platforms[name] ?? { capabilities: {}, grants: {}, oauth: { scopes: [] } };
    const further = findPlatform(name)?.additionalLogins ?? [];
    // A capability is declared with its group of verbs: `publish` with `posts`, `replies` with the reading of
    // comments.
    const { comments, messages, ads, insights } = findPlatform(name) ?? {};
    const groups = Object.entries({ publish: true, comments, replies: comments?.reading, messages, ads, insights });
    expect(Object.keys(capabilities)).toEqual(groups.filter(([, group]) => group).map(([capability]) => capability));
    for (const { grant, scopes } of Object.values(capabilities)) {
      expect(Object.keys(grants)).toContain(grant);
      const login = further.find(({ purpose }) => purpose === grant)?.oauth ?? oauth;
      expect(login.scopes).toEqual(expect.arrayContaining([...scopes]));
    }
  });

  test("declares the post types that the interface promises", ({ expect }) => {
    expect([...new Set(shapes.map(({ type }) => type))].sort()).toEqual([...PLATFORM_FACTS[name].postTypes].sort());
  });

  test("declares for the connected account what the tests read", async ({ expect }) => {
    const { channel_id } = homes.on(name).channel;
    const row = await env.DB.prepare("SELECT attributes FROM channels WHERE id = ?").bind(channel_id).first();
    const attributes = z.record(z.string(), z.json()).parse(JSON.parse(z.string().parse(row?.attributes)));
    const platform = platforms[name];
    const own = platform && planOf({ ...platform, rules: () => platform.rules(attributes) }, SAMPLES);
    expect(own).toEqual(planFor(name));
  });

  test.for(absentTypes)("has no %s, and says which types it has", async (type, { expect }) => {
    const body = { post_type: type, caption_text: "x", twitter_threads: [{ message: "x" }] };
    const answer = await createAnswer(homes.on(name), body);
    expect(answer.status).toBe(422);
    for (const known of PLATFORM_FACTS[name].postTypes) expect(JSON.stringify(answer.body)).toContain(known);
  });
});

test.for(shapesOn(({ shapes }) => shapes))(
  "%s, %s: is live once, with its text, its files in order and its permalink, and can be deleted where that is declared",
  async ([name, , shape], { expect }) => {
    const sent = await send(homes.on(name), shape);
    await queuesIdle();
    const outcome = await outcomeOf(sent);
    expect(outcome.error).toBeUndefined();
    expect(flaws(sent, outcome)).toEqual([]);
    expect(outcome.state).toBe("published");
    const permalink = (await permalinkOf(sent))?.replace(/\/$/, "");
    if (permalink !== undefined || planFor(name).permalinkSeconds !== null) {
      expect(permalink).toBe(outcome.live[0]?.permalink);
    }
    outcome.live.forEach((post, index) => {
      expect(post.text).toBe(isSilent(shape) ? "" : `Item ${index + 1} of ${sent.mark}`);
    });
    const shown = await Promise.all(outcome.live.map((post) => Promise.all(post.media.map(contentOf))));
    const given = await Promise.all(shape.items.map((files) => Promise.all(files.map(contentOf))));
    expect(shown).toEqual(given);
    if (!planFor(name).isRemovable) return;

    const deleted = await homes.on(name).project.call("DELETE", `/social/delete-post/${sent.id}`);
    expect(deleted.status).toBe(200);
    await queuesIdle();
    const ids = new Set((await liveNow(homes.on(name))).map((post) => post.id));
    expect(outcome.live.filter((post) => ids.has(post.id))).toEqual([]);
  },
);

/** What find-post must show in the end; undefined where it may be absent. */
async function permalinkOf(sent: Sent): Promise<string | undefined> {
  const { permalinkSeconds } = planFor(sent.home.channel.channel_type);
  const end = Date.now() + (permalinkSeconds ?? 0) * 1000;
  for (let hours = 1; ; hours *= 2) {
    const { permalink } = await outcomeOf(sent);
    if (permalink !== undefined || Date.now() >= end) return permalink;
    await advance(hours * 3_600_000);
    await cron();
    await queuesIdle();
  }
}

/** The plainest post that shows its text, and the plainest thread where there are any. */
const PLAIN = shapesOn(({ shapes }) => shapes.filter((shape) => !isSilent(shape)).slice(0, 1));
const THREADS = shapesOn(({ shapes }) => shapes.filter(({ items }) => items.length > 1).slice(0, 1));

test.for(PLAIN)("%s, %s: hashtags stand after a blank line, once", async ([name, , shape], { expect }) => {
  const { live, state } = await publish(homes.on(name), shape, { hash_tags: "bikes, #Launch bikes" });
  expect(state).toBe("published");
  expect(live.map((post) => post.text)).toEqual([expect.stringMatching(/^Item 1 of [0-9a-f-]{36}\n\n#bikes #Launch$/)]);
});

test.for(THREADS)("%s, %s: its hashtags stand in the first item", async ([name, , shape], { expect }) => {
  const { live } = await publish(homes.on(name), shape, { hash_tags: "bikes" });
  expect(live.map((post) => post.text.includes("#bikes"))).toEqual(shape.items.map((_, index) => index === 0));
});

const TEXT = "<b>Rock & roll</b> 👩‍👩‍👧 https://example.com/?a=1&b=2 “ok”";

/** What the adapter declares against the text of a shape. */
function problemsOf(name: Name, { type }: Shape, text: string): readonly string[] {
  return (platforms[name]?.rules({})[type]?.text.problems?.(text) ?? []).map(({ message }) => message);
}

const MARKLESS = PLAIN.filter(([name, , shape]) => problemsOf(name, shape, TEXT).length > 0);

test.for(MARKLESS)("%s, %s: markup that is not taken there is refused at once", async ([name, , shape], { expect }) => {
  const answer = await createAnswer(homes.on(name), { ...bodyOf(shape, "markup"), caption_text: TEXT });
  expect(answer.status).toBe(422);
  for (const problem of problemsOf(name, shape, TEXT)) expect(JSON.stringify(answer.body)).toContain(problem);
});

test.for(PLAIN)("%s, %s: links, emoji and markup arrive as they were written", async ([name, , shape], { expect }) => {
  const isTaken = problemsOf(name, shape, TEXT).length === 0;
  const text = `${isTaken ? TEXT : TEXT.replace(/<.*?>/g, "")} ${crypto.randomUUID()}`;
  const { live, state } = await publish(homes.on(name), shape, { caption_text: text });
  expect(state).toBe("published");
  expect(live).toHaveLength(1);
  // A platform may shorten links; what is around them is the text.
  const [before = "", after = ""] = text.split("https://example.com/?a=1&b=2");
  const shown = live[0]?.text.replaceAll("&lt;", "<").replaceAll("&gt;", ">").replaceAll("&amp;", "&") ?? "";
  expect([shown.startsWith(before), shown.endsWith(after)]).toEqual([true, true]);
});

test.for(PLAIN)("%s, %s: a longer text than is declared is refused at once", async ([name, , shape], { expect }) => {
  const text = platforms[name]?.rules({})[shape.type]?.text;
  const caption_text = "a".repeat((text?.max ?? 0) + 1);
  const answer = await createAnswer(homes.on(name), { post_type: shape.type, caption_text });
  expect(answer.status).toBe(422);
  expect(JSON.stringify(answer.body)).toContain(text?.unit);
});
