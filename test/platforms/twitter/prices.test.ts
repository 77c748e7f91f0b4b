import { expect, test } from "vitest";
import { addedUp, type Charge, microsOf } from "../../../src/platforms/pricing.ts";
import type { CallRequest } from "../../../src/platforms/request.ts";
import { twitter } from "../../../src/platforms/twitter/index.ts";

const { pricing } = twitter;
const URL = "https://api.x.com/2/";

const cost = (items: readonly { text: string; altTexts?: number }[], firstComment: string | null = null) => {
  const priced = items.map(({ text, altTexts = 0 }) => ({ text, altTexts }));
  return microsOf(pricing.costOf({ items: priced, firstComment }));
};
const called = (call: Pick<CallRequest, "method"> & { path: string } & Partial<CallRequest>): CallRequest => {
  const { path, ...rest } = call;
  return { ...rest, url: `${URL}${path}` };
};
const shown = (charges: readonly Charge[]) => addedUp(charges).map(({ operation, units }) => `${units} ${operation}`);

test("the examples of X's own list are met to the cent", () => {
  expect(cost([{ text: "The frames are in." }])).toBe(15_000);
  expect(cost([{ text: "The frames are in: https://example.com/frames" }])).toBe(200_000);
  expect(cost([{ text: "one" }, { text: "two" }, { text: "three" }, { text: "four" }, { text: "example.com" }])).toBe(
    260_000,
  );
  expect(cost([{ text: "A frame", altTexts: 1 }])).toBe(20_000);
});

test("a link is what the weighted length counts as one, in any item and in the first comment", () => {
  for (const text of ["example.com", "co.jp", "Go to example.com.", "日本語 https://example.com"]) {
    expect(cost([{ text }]), text).toBe(200_000);
  }
  for (const text of ["x.y", "me@example.com", "3.5", "…", "a.b.c"]) expect(cost([{ text }]), text).toBe(15_000);
  expect(cost([{ text: "hello" }], "more at example.com")).toBe(215_000);
  expect(cost([{ text: "hello" }], "more later")).toBe(30_000);
});

test("each paid call has its line, and the answer never costs more than was expected", () => {
  const posts = (length: number) => Array.from({ length }, (_, id) => ({ id: String(id) }));
  const timeline = called({
    method: "GET",
    path: "users/7/tweets",
    query: { max_results: 100, expansions: "referenced_posts" },
  });
  const search = called({
    method: "GET",
    path: "tweets/search/recent",
    query: { max_results: 100, expansions: "author_id" },
  });
  expect(shown(pricing.mostOf(timeline))).toEqual(["200 post_read"]);
  expect(shown(pricing.mostOf(search))).toEqual(["100 post_read", "100 user_read"]);
  const paid = (call: CallRequest, body: unknown, status = 200) => shown(pricing.chargesOf(call, { status, body }));
  expect(paid(timeline, { data: posts(3), includes: { posts: posts(2) } })).toEqual(["5 post_read"]);
  expect(paid(search, { data: posts(4), includes: { users: posts(2) } })).toEqual(["4 post_read", "2 user_read"]);
  expect(paid(search, { data: posts(999), includes: { users: posts(999) } })).toEqual([
    "100 post_read",
    "100 user_read",
  ]);
  for (const body of [{ meta: { result_count: 0 } }, null, "<html>", { data: "odd" }]) {
    expect(paid(search, body)).toEqual([]);
  }
  expect(paid(called({ method: "GET", path: "users/me" }), { data: { id: "7" } })).toEqual(["1 user_read"]);
  expect(shown(pricing.mostOf(called({ method: "POST", path: "media/metadata", json: {} })))).toEqual([
    "1 media_metadata",
  ]);
  expect(shown(pricing.mostOf(called({ method: "DELETE", path: "tweets/1" })))).toEqual(["1 post_delete"]);
  expect(shown(pricing.mostOf(called({ method: "POST", path: "dm_conversations/with/9/messages" })))).toEqual([
    "1 message_create",
  ]);
  for (const path of ["media/upload", "media/upload/initialize", "media/upload/7/append", "oauth2/token", "webhooks"]) {
    expect(pricing.mostOf(called({ method: "POST", path })), path).toEqual([]);
  }
});

test("a refused write counts, one that X stops at its door does not", () => {
  const write = called({ method: "POST", path: "tweets", json: { text: "hello" } });
  for (const status of [201, 400, 403, 500, 503]) {
    expect(microsOf(pricing.chargesOf(write, { status, body: null })), String(status)).toBe(15_000);
  }
  for (const status of [401, 402, 429]) expect(pricing.chargesOf(write, { status, body: null })).toEqual([]);
});

test("every line names its page and its date", () => {
  for (const { operation, micros, validFrom, source, title } of pricing.prices) {
    expect(Number.isSafeInteger(micros) && micros > 0, operation).toBe(true);
    expect(validFrom).toMatch(/^\d{4}-\d{2}-\d{2}$/);
    expect(source).toMatch(/^https:\/\/\S+, text of \d{4}-\d{2}-\d{2}$/);
    expect(title).not.toBe("");
  }
});
