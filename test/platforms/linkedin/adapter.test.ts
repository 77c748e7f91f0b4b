import { describe, expect, test } from "vitest";
import { acts } from "../../../src/platforms/linkedin/comment-acts.ts";
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

describe("a reaction that LinkedIn refuses", () => {
  const ID = "urn:li:comment:(urn:li:activity:1,2)";
  const like = (isOn: boolean, status: number, body: unknown) => {
    const { send } = scriptedSend({ status, body });
    return acts.like(accountContext(send, { id: PAGE }), { id: ID, post: POST }, isOn);
  };
  const own = (status: number, code: string | undefined, message: string, more: object = {}) => ({
    status,
    ...(code === undefined ? {} : { code }),
    message,
    ...more,
  });

  test.for([
    [409, own(409, "CONFLICT", "The member has reacted already")],
    [409, own(409, undefined, "Conflict")],
    [422, own(422, "UNPROCESSABLE_ENTITY", "The reaction already exists")],
    [422, own(422, "DUPLICATE_ENTITY", "Reaction is a duplicate")],
  ] as const)("as a repeat (%i, %j) is done", async ([status, body]) => {
    expect(await like(true, status, body)).toEqual({ kind: "done" });
  });

  test.for([
    [409, "<html>Conflict</html>"],
    [422, null],
    [422, own(422, "INVALID_VALUE", "reactionType MAYBE is invalid")],
    [422, own(422, undefined, "Comments are closed on this post")],
    [400, own(400, "BAD_REQUEST", "Malformed key")],
    [403, own(403, "ACCESS_DENIED", "Not enough permissions to access: reactions.CREATE")],
    [404, own(404, "NOT_FOUND", "Could not find comment")],
    [500, own(500, undefined, "Internal Server Error")],
  ] as const)("for another reason (%i, %j) is not done", async ([status, body]) => {
    expect(await like(true, status, body)).toMatchObject({ kind: "failed" });
  });

  test("is taken back where LinkedIn itself does not find it", async () => {
    expect(await like(false, 404, own(404, "NOT_FOUND", "Could not find reaction"))).toEqual({ kind: "done" });
    expect(await like(false, 404, "<html>Not Found</html>")).toMatchObject({ kind: "failed" });
    expect(await like(false, 409, own(409, "CONFLICT", "Conflict"))).toMatchObject({ kind: "failed" });
  });
});

test.for([
  "Organization permissions must be used when using organization as author",
  "Organization Or Events permissions must be used when using organization as author",
  "Organization permissions must be used when using organization as owner",
])("a token with the permissions of a person only is a missing permission, not a refused post: %s", async (message) => {
  const { send } = scriptedSend({ status: 400, body: { status: 400, code: "ILLEGAL_ARGUMENT", message } });
  const outcome = await posts.commit(accountContext(send, { id: PAGE }), content("post", ["Ours"]), null, {
    index: 0,
    previous: [],
  });
  expect(outcome).toMatchObject({
    kind: "failed",
    reason: "permission_missing",
    message: expect.stringMatching(/w_organization_social.*words: “Organization/),
  });
});
