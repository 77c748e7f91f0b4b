import { env } from "cloudflare:workers";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { z } from "zod";
import { withoutContent } from "../../../src/posts/publish/missed-rule.ts";
import { calm, type Home, homeOn, liveNow, outcomeOf, send, settings, shapeOf } from "../../contract/world.ts";
import { startClean } from "../../support/clean-start.ts";
import { advance } from "../../support/clock.ts";
import { queuesIdle } from "../../support/queue.ts";
import { sandbox } from "../../support/sandbox.ts";
import { DAY } from "../../support/times.ts";

/**
 * A refusal that our rules had not foreseen is counted, without anything of the post, and the project hears
 * of it: a rule that changed at a platform is found in a day.
 */
beforeEach(startClean);
afterEach(calm);

const Rows = z.array(
  z.object({
    platform: z.string(),
    operation: z.string(),
    code: z.string(),
    platform_code: z.string(),
    words: z.string(),
    count: z.int(),
    first_at: z.int(),
    last_at: z.int(),
  }),
);
const rows = async () =>
  Rows.parse((await env.DB.prepare("SELECT * FROM missed_rules ORDER BY last_at DESC").all()).results);

const Events = z.object({
  events: z.array(z.object({ type: z.string(), message: z.string(), detail: z.unknown() })),
});
const missedOf = async ({ project }: Home, id: number) => {
  const { events } = Events.parse((await project.call("GET", `/social/get-post-events/${id}`)).body);
  return events.filter(({ type }) => type === "platform.rule_missed");
};

/** A Page whose platform takes smaller pictures than our rules say. */
async function page(): Promise<Home> {
  const home = await homeOn("facebook");
  await settings({ facebook_photo_max_bytes: 1_000 });
  return home;
}

async function refused(home: Home, text: string) {
  const shape = shapeOf("facebook", "an image");
  const sent = await send(home, shape, { caption_text: text });
  await queuesIdle();
  return { id: sent.id, ...(await outcomeOf(sent)) };
}

describe("a picture that is too large for the platform alone", () => {
  test("is counted by call, codes and words, once for each post", async () => {
    const home = await page();
    const first = await refused(home, "Quillwork in the Harbour");
    expect(first.state).toBe("failed");
    await advance(DAY);
    await refused(home, "Another text about 42 swallows");
    const [row, ...others] = await rows();
    expect(others).toEqual([]);
    expect(row).toMatchObject({
      platform: "facebook",
      operation: "POST /{id}/photos",
      code: "media_invalid",
      count: 2,
    });
    expect((row?.last_at ?? 0) - (row?.first_at ?? 0)).toBeGreaterThanOrEqual(DAY);
    expect(row?.platform_code).not.toBe("");
    expect(row?.words).not.toMatch(/Quillwork|Harbour|swallows|\d/);
    expect(row?.words.length).toBeGreaterThan(10);
  });

  test("is an event of the post, with the same words", async () => {
    const home = await page();
    const { id } = await refused(home, "Quillwork in the Harbour");
    const [row] = await rows();
    expect(await missedOf(home, id)).toEqual([
      {
        type: "platform.rule_missed",
        message: `facebook refused what the rules of this service allow: ${row?.words}`,
        detail: expect.objectContaining({
          operation: "POST /{id}/photos",
          error_code: "media_invalid",
          platform_code: row?.platform_code,
          words: row?.words,
        }),
      },
    ]);
  });
});

test("a post that is published, and one that fails for a reason beside the rules, count nothing", async () => {
  const home = await homeOn("facebook");
  const { id } = await refused(home, "A picture that Facebook takes");
  await sandbox.fault("facebook", "publish", "error");
  await refused(home, "A picture while Facebook is down");
  expect((await liveNow(home)).length).toBeGreaterThan(0);
  expect(await rows()).toEqual([]);
  expect(await missedOf(home, id)).toEqual([]);
});

test("of what platforms said, the five hundred that happened last are kept, and none for longer than ninety days", async () => {
  const insert = env.DB.prepare("INSERT INTO missed_rules VALUES ('facebook', ?1, 'media_invalid', '', ?2, 1, ?3, ?3)");
  const now = Date.now();
  const old = Array.from({ length: 510 }, (_, at) =>
    insert.bind("POST /x", `number ${"x".repeat(at + 1)}`, now - 1_000 - at),
  );
  await env.DB.batch([...old, insert.bind("POST /x", "old", now - 91 * DAY)]);
  await refused(await page(), "Quillwork in the Harbour");
  const kept = await rows();
  expect(kept).toHaveLength(500);
  expect(kept[0]).toMatchObject({ count: 1, operation: "POST /{id}/photos" });
  expect(kept.map(({ words }) => words)).not.toContain("old");
});

describe("what is kept of the platform's words", () => {
  const texts = JSON.stringify(["Quillwork opens at noon", ["harbour"], "see https://quill.example/x"]).toLowerCase();
  test.for([
    ['The text "Quillwork opens" is too long, at most 500 characters', "The text … is too long, at most # characters"],
    ["Your hashtag #harbour is not allowed", "Your hashtag … is not allowed"],
    ["The link https://quill.example/x?token=1 is blocked", "The link … is blocked"],
    ["Quillwork may not be mentioned by @ada or ada@quill.example", "… may not be mentioned by … or …"],
    ["noon: invalid", "…: invalid"],
    ["The image is at most 4 MB", "The image is at most # MB"],
  ] as const)("%s", ([words, kept]) => {
    expect(withoutContent(words, texts)).toBe(kept);
  });
});
