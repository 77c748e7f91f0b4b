import { describe, test } from "vitest";
import type { AccountContext } from "../../src/platforms/context.ts";
import { linkedin } from "../../src/platforms/linkedin/index.ts";
import { accountContext, content, image, NO_PROGRESS, NOW, type Scripted, scriptedSend } from "../scripted-send.ts";

/** What LinkedIn's answers to publishing mean. */

const { posts } = linkedin;
const PAGE = "urn:li:organization:9001";
const FIRST = { index: 0, previous: [] };
const NO_MEDIA = { uploads: [] };
const DAY = 86_400_000;

interface As {
  readonly id?: string;
  readonly scopes?: readonly string[];
  readonly role?: string;
  readonly expiresAt?: number | null;
}

function contextOf(
  send: AccountContext["send"],
  { id = PAGE, scopes, role, expiresAt = null }: As = {},
): AccountContext {
  const context = accountContext(send, { id, attributes: role === undefined ? {} : { role } });
  const credentials = { ...context.credentials, scopes: scopes ?? ["r_organization_social"], expiresAt };
  return { ...context, credentials };
}

function problem(status: number, more: object): Scripted {
  return { status, body: { status, ...more } };
}

const commitText = (answer: Scripted | "lost", as: As = {}) =>
  posts.commit(contextOf(scriptedSend(answer).send, as), content("post", ["hello (world)"]), NO_MEDIA, FIRST);

const DUPLICATE = {
  message: "Content is a duplicate of urn:li:share:7500130261401600000",
  errorDetails: { inputErrors: [{ code: "DUPLICATE_POST", description: "Content is a duplicate", input: {} }] },
};

test.for([
  ["an expired token", problem(401, { serviceErrorCode: 65602, code: "EXPIRED_ACCESS_TOKEN" }), "token_expired"],
  ["a revoked token", problem(401, { serviceErrorCode: 65601, code: "REVOKED_ACCESS_TOKEN" }), "token_expired"],
  ["an invalid token", { status: 401, body: { serviceErrorCode: 65600 } }, "token_expired"],
  ["an empty token", problem(401, { code: "EMPTY_ACCESS_TOKEN", serviceErrorCode: 401 }), "token_expired"],
  ["a scope that is missing", problem(403, { code: "ACCESS_DENIED", serviceErrorCode: 100 }), "permission_missing"],
  ["a role that is missing", problem(403, { message: "… while processing fields [/author]" }), "permission_missing"],
  ["a version that is over", problem(426, { code: "NONEXISTENT_VERSION" }), "blocked"],
  ["a version that was not sent", problem(400, { code: "VERSION_MISSING" }), "blocked"],
  ["too many calls", problem(429, { code: "TOO_MANY_REQUESTS", serviceErrorCode: 101 }), "throttled"],
  ["a gateway's 429", { status: 429 }, "throttled"],
  ["a conflict", problem(409, { code: "CONFLICT" }), "down"],
  ["a file that is not ready", problem(400, { code: "MEDIA_ASSET_WAITING_UPLOAD" }), "down"],
  ["a file that is still processed", problem(400, { code: "MEDIA_ASSET_PROCESSING" }), "down"],
  ["a file that could not be processed", problem(400, { code: "MEDIA_ASSET_PROCESSING_FAILED" }), "rejected"],
  [
    "a file that is another's",
    problem(400, { message: "One or more of the assets is not owned by the author" }),
    "rejected",
  ],
  [
    "a text that is too long",
    problem(422, { errorDetails: { inputErrors: [{ code: "FIELD_LENGTH_TOO_LONG" }] }, code: "x" }),
    "rejected",
  ],
  ["a field that is missing", problem(400, { code: "MISSING_FIELD", message: "/visibility" }), "rejected"],
] as const)("%s is a failure", async ([, answer, reason], { expect }) => {
  expect(await commitText(answer)).toMatchObject({ kind: "failed", reason });
});

test.for([
  ["no answer", "lost"],
  ["a gateway's 502", { status: 502, body: "<html>" }],
  ["a gateway's 403", { status: 403, body: "<html>" }],
  ["JSON of somebody else", { status: 401, body: { message: "Unauthorized" } }],
  ["an error of which only the message is there", problem(400, { message: "No." })],
  ["a redirect", problem(302, { message: "Elsewhere" })],
  ["a 500 with the code of a missing permission", problem(500, { code: "ACCESS_DENIED", serviceErrorCode: 65_600 })],
  ["LinkedIn's own 500", problem(500, { message: "Internal Server Error" })],
  ["LinkedIn's own 504", problem(504, { code: "GATEWAY_TIMEOUT" })],
  ["a 408", problem(408, { message: "Request Timeout" })],
  ["a success without an id", { status: 201 }],
  ["a success with something else for an id", { status: 201, headers: { "x-restli-id": "true" } }],
] as const)("after %s nobody knows whether the post is there", async ([, answer], { expect }) => {
  expect(await commitText(answer)).toMatchObject({ kind: "unknown" });
});

test.for([
  ["by its code", problem(422, DUPLICATE)],
  ["by its words", problem(422, { message: DUPLICATE.message })],
] as const)("a duplicate, %s, is evidence and no refusal", async ([, answer], { expect }) => {
  expect(await commitText(answer)).toMatchObject({ kind: "duplicate" });
});

test("a limit of a day ends at midnight UTC, others after minutes", async ({ expect }) => {
  const daily = problem(429, {
    message: "Resource level throttle MEMBER DAY limit for calls to this resource is reached.",
  });
  expect(await commitText(daily)).toMatchObject({ reason: "throttled", retryAfterSeconds: 12 * 3600 });
  const burst = problem(429, { message: "Too many requests" });
  expect(await commitText(burst)).toMatchObject({ reason: "throttled", retryAfterSeconds: 300 });
  const comment = problem(429, { message: "Comment create throttled: creation rate limit exceeded for member" });
  expect(await commitText(comment)).toMatchObject({ reason: "throttled", retryAfterSeconds: 75 });
});

test("a token that was given this minute and is called revoked is only not in effect yet", async ({ expect }) => {
  const revoked = problem(401, { serviceErrorCode: 65601 });
  const given = (ms: number) => ({ expiresAt: NOW + 60 * DAY - ms });
  expect(await commitText(revoked, given(30_000))).toMatchObject({ reason: "down", retryAfterSeconds: 5 });
  expect(await commitText(revoked, given(61_000))).toMatchObject({ reason: "token_expired" });
});

test("the sentence says what to do, quotes LinkedIn, and has the reference that its support asks for", async ({
  expect,
}) => {
  const message = "Not enough permissions to access: partnerApiPosts.CREATE.20260901";
  const denied = { ...problem(403, { code: "ACCESS_DENIED", message }), headers: { "x-li-uuid": "AAX1" } };
  const outcome = await commitText(denied);
  if (outcome.kind !== "failed") throw new Error(outcome.kind);
  expect(outcome.message).toContain(`LinkedIn's words: “${message}” (403, ACCESS_DENIED, reference AAX1)`);
});

const URN = "urn:li:ugcPost:7500130261401600000";
const ENCODED = encodeURIComponent(URN);

test.for([
  ["in the header", { "x-restli-id": URN }],
  ["in the header, encoded", { "X-RestLi-Id": ENCODED }],
  ["in the header of older notes", { "x-linkedin-id": URN }],
  ["in the location", { location: `/posts/${ENCODED}` }],
] as const)("the id of a new post is read %s", async ([, headers], { expect }) => {
  const permalink = `https://www.linkedin.com/feed/update/${URN}/`;
  for (const status of [200, 201]) {
    const outcome = await commitText({ status, headers });
    expect(outcome).toEqual({ kind: "published", post: { id: URN, secondaryId: null, permalink } });
  }
});

const done = (id: string) => ({ state: "done", id, parts: [], token: "", expiresAt: 0, at: 0, restarts: 0 });
const CREATED = { status: 201, headers: { "x-restli-id": URN } };

test("a post is public, its text escaped, its alt texts not, its files in order", async ({ expect }) => {
  const { send, calls } = scriptedSend(CREATED, CREATED, CREATED);
  const described = { ...image("a.jpg"), altText: "A (red) quay" };
  const commit = (what: ReturnType<typeof content>, ...ids: readonly string[]) =>
    posts.commit(contextOf(send), what, { uploads: ids.map(done) }, FIRST);
  await commit(content("post", ["New (frames) #bikes"]));
  await commit(content("post", ["x", described]), "urn:li:image:1");
  await commit(content("post", ["x", image("b.jpg"), described]), "urn:li:image:2", "urn:li:image:1");
  expect(calls[0]).toMatchObject({
    url: "https://api.linkedin.com/rest/posts",
    headers: { authorization: "Bearer TOKEN", "linkedin-version": "202609", "x-restli-protocol-version": "2.0.0" },
    json: {
      author: PAGE,
      commentary: "New \\(frames\\) #bikes",
      visibility: "PUBLIC",
      distribution: { feedDistribution: "MAIN_FEED", targetEntities: [], thirdPartyDistributionChannels: [] },
      lifecycleState: "PUBLISHED",
    },
  });
  expect(calls[0]?.json).not.toHaveProperty("content");
  expect(calls[1]?.json).toMatchObject({ content: { media: { id: "urn:li:image:1", altText: "A (red) quay" } } });
  expect(calls[2]?.json).toMatchObject({
    content: { multiImage: { images: [{ id: "urn:li:image:2" }, { id: "urn:li:image:1", altText: "A (red) quay" }] } },
  });
});

test("the version is the operator's where they have set one", async ({ expect }) => {
  const { send, calls } = scriptedSend(CREATED);
  const context = contextOf(send);
  const app = { ...context.app, options: { version: "202702" } };
  await posts.commit({ ...context, app }, content("post", ["x"]), NO_MEDIA, FIRST);
  expect(calls[0]?.headers).toMatchObject({ "linkedin-version": "202702" });
});

test("a post with files is only accepted where it can be read, and nothing is sent without them", async ({
  expect,
}) => {
  const what = content("post", ["x", image("a.jpg")]);
  const commit = (as: As, progress = { uploads: [done("urn:li:image:1")] }) =>
    posts.commit(contextOf(scriptedSend(CREATED).send, as), what, progress, FIRST);
  expect(await commit({})).toMatchObject({ kind: "accepted", post: { id: URN } });
  expect(await commit({ id: "urn:li:person:a", scopes: ["w_member_social"] })).toMatchObject({ kind: "published" });
  expect(await commit({}, { uploads: [] })).toMatchObject({ kind: "failed", reason: "rejected" });
});

describe("a video that a content administrator may not post", () => {
  const denied = problem(403, { code: "ACCESS_DENIED", message: "… processing fields [/author]" });
  const commit = (role: string, kind: "video" | "image") => {
    const what = content("post", ["x", { ...image("a"), kind }]);
    return posts.commit(
      contextOf(scriptedSend(denied).send, { role }),
      what,
      { uploads: [done("urn:li:video:1")] },
      FIRST,
    );
  };

  test.for(["CONTENT_ADMINISTRATOR", "CONTENT_ADMIN"])("fails alone: %s", async (role, { expect }) => {
    const outcome = await commit(role, "video");
    expect(outcome).toMatchObject({ reason: "rejected", message: expect.stringContaining("administrators only") });
  });

  test("of others, or of another file, the permission is missing", async ({ expect }) => {
    expect(await commit("ADMINISTRATOR", "video")).toMatchObject({ reason: "permission_missing" });
    expect(await commit("CONTENT_ADMIN", "image")).toMatchObject({ reason: "permission_missing" });
  });
});

const ACCEPTED = { index: 0, post: { id: URN, secondaryId: null, permalink: null }, since: NOW };
const WITH_FILE = content("post", ["x", image("a.jpg")]);

test.for([
  ["is published", { body: { lifecycleState: "PUBLISHED" } }, { kind: "live" }],
  ["is still in the making", { body: { lifecycleState: "PUBLISH_REQUESTED" } }, { kind: "processing" }],
  ["could not be published", { body: { lifecycleState: "PUBLISH_FAILED" } }, { kind: "broken" }],
  ["is a draft", { body: { lifecycleState: "DRAFT" } }, { kind: "broken" }],
  ["is not shown yet", problem(404, { code: "NOT_FOUND" }), { kind: "processing" }],
  ["may not be read", problem(403, { code: "ACCESS_DENIED" }), { kind: "live" }],
  ["cannot be read now", "lost", { kind: "failed", reason: "down" }],
  ["is behind a gateway that fails", { status: 404, body: "<html>" }, { kind: "failed", reason: "down" }],
] as const)("an accepted post that %s", async ([, answer, outcome], { expect }) => {
  const { send, calls } = scriptedSend(answer);
  expect(await posts.confirm(contextOf(send), WITH_FILE, null, ACCEPTED)).toMatchObject(outcome);
  expect(calls[0]).toMatchObject({
    url: `https://api.linkedin.com/rest/posts/${ENCODED}`,
    query: { viewContext: "AUTHOR" },
  });
});

test.for([
  ["of a person", { id: "urn:li:person:a", scopes: [] }, WITH_FILE],
  ["of a text", {}, content("post", ["x"])],
] as const)("an accepted post %s is live: nobody needs to be asked", async ([, as, what], { expect }) => {
  const { send, calls } = scriptedSend();
  expect(await posts.confirm(contextOf(send, as), what, null, ACCEPTED)).toMatchObject({ kind: "live" });
  expect(calls).toEqual([]);
});

test.for([
  ["deleted", { status: 204 }, { kind: "removed" }],
  ["gone already", problem(404, { code: "NOT_FOUND" }), { kind: "removed" }],
  ["behind a gateway", { status: 404, body: "<html>" }, { kind: "failed", reason: "down" }],
  ["refused", problem(403, { code: "ACCESS_DENIED" }), { kind: "failed", reason: "permission_missing" }],
  ["of unknown fate", "lost", { kind: "failed", reason: "down" }],
] as const)("a post to be deleted is %s", async ([, answer, outcome], { expect }) => {
  const { send, calls } = scriptedSend(answer);
  expect(await posts.remove?.(contextOf(send), "post", ACCEPTED.post)).toMatchObject(outcome);
  expect(calls[0]).toMatchObject({ method: "DELETE", headers: { "x-restli-method": "DELETE" } });
});

test("the address of a post follows from its URN", async ({ expect }) => {
  const { permalink } = posts;
  if (permalink.told !== "at_once") throw new Error(permalink.told);
  const told = await permalink.read(contextOf(scriptedSend().send), ACCEPTED.post);
  expect(told).toMatchObject({ post: { permalink: `https://www.linkedin.com/feed/update/${URN}/` } });
});

test("a text needs no preparation", async ({ expect }) => {
  const { send } = scriptedSend();
  const outcome = await posts.prepare(contextOf(send), content("post", ["x"]), NO_PROGRESS);
  expect(outcome).toEqual({ kind: "ready", progress: { uploads: [] } });
});
