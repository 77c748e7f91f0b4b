import { test } from "vitest";
import { z } from "zod";
import { media } from "../../contract/world.ts";
import { projectWith } from "../../support/world.ts";

/**
 * What a post will cost at its platform: `cost` of validate-post, and the price list of get-platforms.
 */
const Reason = z.object({ operation: z.string(), title: z.string(), count: z.int(), amount: z.number() });
const Cost = z.object({ amount: z.number(), currency: z.literal("USD"), reasons: z.array(Reason) });

async function costOn(platform: "twitter" | "facebook") {
  const { project, channel } = await projectWith(platform);
  return async (fields: object) => {
    const body = { ...channel, post_type: "post", publish_mode: "now", media_urls: [], caption_text: "x", ...fields };
    const answer = await project.call("POST", "/social/validate-post", { body });
    return z.object({ cost: Cost }).parse(answer.body).cost;
  };
}

test("X: each item, link, alt text and first comment has its price, exact to the cent", async ({ expect }) => {
  const cost = await costOn("twitter");
  const only = async (fields: object) => {
    const { amount, reasons } = await cost(fields);
    return [amount, ...reasons.map(({ operation, count }) => `${count} ${operation}`)];
  };
  expect(await only({ caption_text: "The frames are in." })).toEqual([0.015, "1 post_create"]);
  expect(await only({ caption_text: "See example.com/frames" })).toEqual([0.2, "1 post_create_with_link"]);
  expect(
    await only({
      media_urls: [media("square.jpg"), media("wide.jpg")],
      alt_texts: ["A frame", ""],
      first_comment: "!",
    }),
  ).toEqual([0.035, "2 post_create", "1 media_metadata"]);
  const messages = ["one", "two", "three", "four", "five: https://example.com"];
  const thread = messages.map((message) => ({ message, media_urls: [] }));
  expect(await only({ post_type: "thread", twitter_threads: thread })).toEqual([
    0.26,
    "4 post_create",
    "1 post_create_with_link",
  ]);
});

test("a platform that charges nothing costs nothing", async ({ expect }) => {
  const cost = await costOn("facebook");
  expect(await cost({ caption_text: "See example.com/frames" })).toEqual({ amount: 0, currency: "USD", reasons: [] });
});

test("/social/get-platforms shows the price list with its dates", async ({ expect }) => {
  const { project } = await projectWith("twitter");
  const Price = z.object({
    operation: z.string(),
    amount: z.number(),
    currency: z.string(),
    per: z.string(),
    valid_from: z.string(),
    source: z.string(),
  });
  const Table = z.object({ platforms: z.array(z.object({ channel_type: z.string(), prices: z.array(Price) })) });
  const { platforms } = Table.parse((await project.call("GET", "/social/get-platforms")).body);
  const pricesOf = (name: string) => platforms.find(({ channel_type }) => channel_type === name)?.prices ?? [];
  expect(pricesOf("facebook")).toEqual([]);
  expect(pricesOf("twitter").find(({ operation }) => operation === "post_create_with_link")).toMatchObject({
    amount: 0.2,
    currency: "USD",
    per: "request",
    valid_from: "2026-04-20",
    source: expect.stringContaining("docs.x.com"),
  });
});
