import { beforeAll, describe, test } from "vitest";
import { POST_TYPES, POST_TYPES_OF } from "../src/platforms/names.ts";
import { platforms } from "../src/platforms/registry.ts";
import {
  contentOf,
  createAnswer,
  EVERY,
  flaws,
  Homes,
  liveNow,
  NAMES,
  outcomeOf,
  publish,
  SHAPES,
  send,
  shapeOf,
} from "./contract-world.ts";
import { queuesIdle } from "./support/queue.ts";

/** Every adapter of the registry in good weather, through the front door. */
const homes = new Homes();
beforeAll(async () => {
  await homes.connect();
});

test("every adapter of the registry is under this contract", ({ expect }) => {
  expect(NAMES).toEqual(Object.keys(platforms));
});

/** Groups beyond publishing that an adapter has; the contract of a new group comes with a new test. */
test.for([
  ["facebook", []],
  ["twitter", []],
] as const)("%s has these further groups and no other: %j", ([name, groups], { expect }) => {
  const known = ["name", "rules", "oauth", "grants", "capabilities", "posts"];
  expect(Object.keys(platforms[name] ?? {}).filter((group) => !known.includes(group))).toEqual(groups);
});

test.for(NAMES)("%s: what it can do, it does by a grant that it gives, and asks for the scopes", (name, { expect }) => {
  const { capabilities, grants, oauth } = platforms[name] ?? { capabilities: {}, grants: {}, oauth: { scopes: [] } };
  // A capability is declared with its group of verbs: with publishing alone, that is `posts`.
  expect(Object.keys(capabilities)).toEqual(["publish"]);
  for (const { grant, scopes } of Object.values(capabilities)) {
    expect(Object.keys(grants)).toContain(grant);
    expect(oauth.scopes).toEqual(expect.arrayContaining([...scopes]));
  }
});

test.for(NAMES)("%s has shapes for every post type it knows", (name, { expect }) => {
  expect([...new Set(SHAPES[name].map((shape) => shape.type))].sort()).toEqual([...POST_TYPES_OF[name]].sort());
});

test.for(
  NAMES.flatMap((name) =>
    POST_TYPES.filter((type) => !POST_TYPES_OF[name].includes(type)).map((type) => [name, type] as const),
  ),
)("%s has no %s, and says which types it has", async ([name, type], { expect }) => {
  const home = homes.on(name);
  const body = { post_type: type, caption_text: "x", twitter_threads: [{ message: "x" }] };
  const answer = await createAnswer(home, body);
  expect(answer.status).toBe(422);
  for (const known of POST_TYPES_OF[name]) expect(JSON.stringify(answer.body)).toContain(known);
});

describe.for(EVERY.map(([name, shape]) => [name, shape.name, shape] as const))("%s: %s", ([name, , shape]) => {
  test("is live once, with its text, its files in order and its permalink, and can be taken down", async ({
    expect,
  }) => {
    const home = homes.on(name);
    const sent = await send(home, shape);
    await queuesIdle();
    const outcome = await outcomeOf(sent);
    expect(outcome.error).toBeUndefined();
    expect(flaws(sent, outcome)).toEqual([]);
    expect(outcome.state).toBe("published");
    expect(outcome.permalink?.replace(/\/$/, "")).toBe(outcome.live[0]?.permalink);
    outcome.live.forEach((post, index) => {
      expect(post.text).toBe(shape.isSilent ? "" : `Item ${index + 1} of ${sent.mark}`);
    });
    const shown = await Promise.all(outcome.live.map((post) => Promise.all(post.media.map(contentOf))));
    const given = await Promise.all(shape.items.map((files) => Promise.all(files.map(contentOf))));
    expect(shown).toEqual(given);

    const deleted = await home.project.call("DELETE", `/social/delete-post/${sent.id}`);
    expect(deleted.status).toBe(200);
    await queuesIdle();
    const ids = new Set((await liveNow(home)).map((post) => post.id));
    expect(outcome.live.filter((post) => ids.has(post.id))).toEqual([]);
  });
});

test.for(NAMES)("%s: hashtags stand after a blank line, once", async (name, { expect }) => {
  const { live, state } = await publish(homes.on(name), shapeOf(name, "a text"), { hash_tags: "bikes, #Launch bikes" });
  expect(state).toBe("published");
  expect(live.map((post) => post.text)).toEqual([expect.stringMatching(/^Item 1 of [0-9a-f-]{36}\n\n#bikes #Launch$/)]);
});

test("the hashtags of a thread stand in its first item", async ({ expect }) => {
  const { live } = await publish(homes.on("twitter"), shapeOf("twitter", "a thread"), { hash_tags: "bikes" });
  expect(live.map((post) => post.text.includes("#bikes"))).toEqual([true, false, false]);
});

test.for(NAMES)("%s: links, emoji and markup arrive as they were written", async (name, { expect }) => {
  const text = `<b>Rock & roll</b> 👩‍👩‍👧 https://example.com/?a=1&b=2 “ok” ${crypto.randomUUID()}`;
  const { live, state } = await publish(homes.on(name), shapeOf(name, "a text"), { caption_text: text });
  expect(state).toBe("published");
  expect(live).toHaveLength(1);
  // X shortens links; what stands around them is the text.
  const [before = "", after = ""] = text.split("https://example.com/?a=1&b=2");
  const shown = live[0]?.text.replaceAll("&lt;", "<").replaceAll("&gt;", ">").replaceAll("&amp;", "&") ?? "";
  expect([shown.startsWith(before), shown.endsWith(after)]).toEqual([true, true]);
});
