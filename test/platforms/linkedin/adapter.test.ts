import { describe, expect, test } from "vitest";
import { linkedin } from "../../../src/platforms/linkedin/index.ts";
import { accountContext, content, NOW, scriptedSend } from "../../scripted-send.ts";
import { MINUTE } from "../../support/times.ts";

/** What depends on numbers, beside the recorded exchanges. */

const { comments, posts } = linkedin;
const PAGE = "urn:li:organization:9001";
const POST = { id: "urn:li:share:7500130261401600000", secondaryId: null, permalink: null };

describe("a look-up of a text", () => {
  const list = (from: number) => {
    const elements = Array.from({ length: 50 }, (_, at) => {
      const createdAt = from - at;
      const id = `urn:li:share:${BigInt(createdAt) << 22n}`;
      return { id, author: PAGE, commentary: `Other ${at}`, createdAt, content: {} };
    });
    return { body: { elements } };
  };
  const find = async (...pages: readonly ReturnType<typeof list>[]) => {
    const { send, calls } = scriptedSend(...pages);
    const context = accountContext(send, { id: PAGE });
    const credentials = { ...context.credentials, scopes: ["r_organization_social"] };
    const request = { index: 0, previous: [], since: NOW, taken: new Set<string>() };
    const outcome = await posts.find({ ...context, credentials }, content("post", ["Ours"]), null, request);
    return { outcome, starts: calls.map(({ query }) => query?.start) };
  };

  test("reads page by page, as far back as the attempt", async () => {
    const { outcome, starts } = await find(list(NOW + 5000), list(NOW - MINUTE + 10));
    expect(outcome).toEqual({ kind: "absent" });
    expect(starts).toEqual([0, 50]);
  });

  test("says nothing where the page has more new posts than it reads", async () => {
    const { outcome } = await find(...Array.from({ length: 10 }, () => list(NOW + 5000)));
    expect(outcome).toMatchObject({ kind: "unknown" });
  });
});

describe("a list of comments", () => {
  const comment = (id: string, more: object = {}) => ({
    id,
    actor: "urn:li:person:a",
    message: { text: "x" },
    ...more,
  });
  const list = (elements: readonly object[], cursor: string | null = null) => {
    const { send, calls } = scriptedSend({ body: { elements } });
    const page = comments.reading?.list(accountContext(send, { id: PAGE }), [POST], { cursor, since: 0 });
    return { calls, page };
  };

  test("steps back a little from page to page, for what was deleted in between", async () => {
    const full = Array.from({ length: 50 }, (_, at) => comment(String(100 + at)));
    expect(await list(full).page).toMatchObject({ next: "45" });
    const { page, calls } = list(full, "45");
    expect(await page).toMatchObject({ next: "90" });
    expect(calls[0]?.query).toMatchObject({ start: 45 });
  });

  test("has a time in each number, and the post in place of an object", async () => {
    const id = String(BigInt(NOW) << 22n);
    expect(await list([comment(id)]).page).toMatchObject({
      comments: [{ id: `urn:li:comment:(${POST.id},${id})`, createdAt: NOW }],
    });
  });

  test("is impossible for a person, whatever they allow", () => {
    const { impossible } = linkedin.capabilities.replies;
    expect(impossible({ id: "urn:li:person:a" })).toContain("LinkedIn allows comments to be read");
    expect(impossible({ id: PAGE })).toBeNull();
  });
});
