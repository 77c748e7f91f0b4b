import { env } from "cloudflare:workers";
import { beforeAll, describe, test } from "vitest";
import { z } from "zod";
import { PERMISSIONS, type Permission } from "../../src/core/permissions.ts";
import { randomBase62 } from "../../src/core/tokens.ts";
import { advance } from "../support/clock.ts";
import { type Answer, call, createPost, issueToken, Project, projectWith } from "../support/world.ts";

/** Every operation of the API document is refused alike; a new operation cannot miss these tests. */
const Document = z.object({
  paths: z.record(
    z.string(),
    z.record(
      z.string(),
      z.looseObject({
        operationId: z.string(),
        "x-permission": z.union([z.string(), z.array(z.string())]),
        responses: z.record(z.string(), z.unknown()),
        requestBody: z.object({ content: z.record(z.string(), z.unknown()) }).optional(),
      }),
    ),
  ),
});

interface Operation {
  readonly id: string;
  readonly method: string;
  readonly path: string;
  readonly permissions: readonly Permission[];
  readonly hasBody: boolean;
  /** Whether it takes the bytes of a file instead. */
  readonly takesFile: boolean;
  readonly statuses: readonly string[];
}

/** Spec 5.6: who is refused with what. Everything else is a 403. */
const REFUSAL: Readonly<Record<string, number>> = {
  createPost: 401,
  upcomingPosts: 422,
  createCommentAutomation: 401,
  getCommentAutomations: 401,
  getCommentAutomation: 401,
  updateCommentAutomation: 401,
  deleteCommentAutomation: 401,
  getCommentAutomationReplies: 401,
  testCommentAutomation: 401,
};

const document = Document.parse((await call("GET", "/openapi.json")).body);
const operations: Operation[] = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]): Operation => {
    const named = [operation["x-permission"]].flat();
    return {
      id: operation.operationId,
      method: method.toUpperCase(),
      path: path.replace(/\{\w+\}/, "1"),
      permissions: PERMISSIONS.filter((permission) => named.includes(permission)),
      hasBody: "application/json" in (operation.requestBody?.content ?? {}),
      takesFile: "application/octet-stream" in (operation.requestBody?.content ?? {}),
      statuses: Object.keys(operation.responses),
    };
  }),
);

/** What an address answers, in the order of `Allow`. */
function methodsAt({ path }: Operation): string[] {
  const methods = operations.flatMap((one) => (one.path === path ? [one.method] : []));
  return methods.flatMap((method) => (method === "GET" ? ["GET", "HEAD"] : [method]));
}

const ErrorBody = z.looseObject({
  status: z.literal(false),
  message: z.string().min(10),
  code: z.string().regex(/^[a-z_]+$/),
});

function send(operation: Operation, token: string | null, raw?: string): Promise<Answer> {
  return call(operation.method, operation.path, { token, ...(operation.hasBody ? { raw: raw ?? "{}" } : {}) });
}

const tokens = { expired: "", revoked: "", full: "" };

beforeAll(async () => {
  const project = `refusals ${crypto.randomUUID()}`;
  tokens.full = (await issueToken(project)).token;
  tokens.expired = (await issueToken(project, { expiresAt: "2020-01-01T00:00:00Z" })).token;
  const revoked = await issueToken(project);
  tokens.revoked = revoked.token;
  await call("POST", "/internal/tokens/revoke", {
    headers: { "X-Operator-Key": env.OPERATOR_KEY },
    body: { id: revoked.id },
  });
});

test("the document has the operations of the specification and the named extensions", ({ expect }) => {
  expect(operations.map((operation) => operation.id).sort()).toEqual(
    [
      "approvePost",
      "createUpload",
      "deleteUpload",
      "getCommentEvents",
      "deleteComment",
      "hideComment",
      "likeComment",
      "replyToComment",
      "unhideComment",
      "unlikeComment",
      "updateChannel",
      "getConversationEvents",
      "getConversation",
      "getConversations",
      "getMessages",
      "sendMessage",
      "updateConversation",
      "completeUpload",
      "connectChannel",
      "connectStatus",
      "createApprovalLink",
      "createCampaign",
      "createCommentAutomation",
      "createFeed",
      "createPost",
      "createPostGeneration",
      "createPosts",
      "createSeries",
      "createWebhook",
      "deleteCampaign",
      "deleteChannel",
      "deleteCommentAutomation",
      "deleteFeed",
      "deleteImport",
      "deleteMedia",
      "deletePost",
      "deletePostGeneration",
      "deleteSeries",
      "deleteWebhook",
      "explainPost",
      "exportInsights",
      "getFeedEvents",
      "findPost",
      "getAdAccounts",
      "getBestTimes",
      "getCampaign",
      "getCampaigns",
      "getChannelInsights",
      "getChannels",
      "getComment",
      "getCommentAutomation",
      "getCommentAutomationReplies",
      "getCommentAutomations",
      "getComments",
      "getCountries",
      "getFeed",
      "getFeeds",
      "getInstagramPostEligibility",
      "getMedia",
      "getPostGeneration",
      "getPostGenerations",
      "getPostInsights",
      "getPostingOptions",
      "getPosts",
      "getReachEstimate",
      "getSeries",
      "getChannelTimetable",
      "getTopPosts",
      "getUpload",
      "getImport",
      "getDelivery",
      "getToken",
      "getTokens",
      "retryPost",
      "getUsage",
      "getWebhook",
      "getWebhookDeliveries",
      "getWebhooks",
      "importPosts",
      "updateMedia",
      "getApprovals",
      "listMedia",
      "getPlatforms",
      "listSeries",
      "getPostEvents",
      "proposePost",
      "replayDelivery",
      "replayWebhook",
      "requestApproval",
      "deleteApprovalLink",
      "rotateGenerationSecret",
      "rotateWebhookSecret",
      "searchInterests",
      "sendBackPost",
      "getSeriesEvents",
      "startImport",
      "testCommentAutomation",
      "testWebhook",
      "upcomingPosts",
      "updateCampaign",
      "updateComment",
      "updateCommentAutomation",
      "updateFeed",
      "updatePost",
      "updateSeries",
      "updateChannelTimetable",
      "updateWebhook",
      "uploadMedia",
      "uploadPart",
      "validateBudget",
      "validatePost",
      "validatePosts",
    ].sort(),
  );
});

describe.each(operations)("$id", (operation) => {
  test.for([
    { name: "no token", token: () => null },
    { name: "a malformed token", token: () => "hunter2" },
    { name: "a token that nobody issued", token: () => `blf_${randomBase62(42)}` },
    { name: "a mistyped token", token: () => tokens.full.replace(/.$/, (last) => (last === "a" ? "b" : "a")) },
    { name: "an expired token", token: () => tokens.expired },
    { name: "a revoked token", token: () => tokens.revoked },
  ])("$name is a 401 and costs no D1 call", async ({ token }, { expect }) => {
    const answer = await send(operation, token());
    expect(answer.status).toBe(401);
    ErrorBody.parse(answer.body);
    expect(answer.headers.get("X-Request-Id")).toMatch(/^[0-9a-f-]{36}$/);
    expect(answer.headers.get("Server-Timing")).toContain('d1;desc="calls=0');
    if (operation.id === "upcomingPosts") expect(answer.body).toMatchObject({ up_coming: [] });
  });

  test("each wrong permission is refused with the specified status, naming what is missing", async ({ expect }) => {
    const others = PERMISSIONS.filter((permission) => !operation.permissions.includes(permission));
    const { token } = await issueToken(`refusals ${crypto.randomUUID()}`, { permissions: others });
    const answer = await send(operation, token);
    if (operation.permissions.length === 0) {
      expect(answer.status).not.toBe(403);
      return;
    }
    expect(answer.status).toBe(REFUSAL[operation.id] ?? 403);
    expect(ErrorBody.parse(answer.body).message).toContain(operation.permissions[0]);
    expect(operation.statuses).toContain(String(answer.status));
  });

  test("a body that is no JSON object is a 422", async ({ expect }) => {
    if (!operation.hasBody) {
      expect(operation.statuses.includes("413")).toBe(operation.takesFile);
      return;
    }
    // A token of its own: all operations together exceed the rate limit of one.
    const { token } = await issueToken(`refusals ${crypto.randomUUID()}`);
    for (const raw of ["{", "", "[]", "null", "12", '"text"']) {
      const answer = await send(operation, token, raw);
      expect([raw, answer.status]).toEqual([raw, 422]);
      ErrorBody.parse(answer.body);
    }
    const typed = await call(operation.method, operation.path, {
      token: tokens.full,
      raw: "{}",
      headers: { "Content-Type": "text/plain" },
    });
    expect(typed.status).toBe(422);
    const large = await send(operation, tokens.full, JSON.stringify({ filler: "x".repeat(1024 * 1024) }));
    expect(large.status).toBe(413);
  });

  test("a body that is no file is a 422, and one that is too long a 413", async ({ expect }) => {
    if (!operation.takesFile) return expect(operation.hasBody || operation.statuses.length > 0).toBe(true);
    const file = (type: string, bytes: number) =>
      call(operation.method, `${operation.path}?part_number=1`, {
        token: tokens.full,
        raw: "x",
        headers: { "Content-Type": type, "Content-Length": String(bytes) },
      });
    for (const type of ["application/json", "text/plain", "application/x-www-form-urlencoded"]) {
      expect(await file(type, 1)).toMatchObject({ status: 422, body: { code: "unsupported_content_type" } });
    }
    const bytes = "application/octet-stream";
    expect(await file(bytes, 0)).toMatchObject({ status: 422, body: { code: "invalid_request" } });
    expect(await file(bytes, 1e9)).toMatchObject({ status: 413, body: { code: "body_too_large" } });
  });

  test("another method is a 405 that names the right ones", async ({ expect }) => {
    const answer = await call("PATCH", operation.path, { token: tokens.full });
    expect(answer.status).toBe(405);
    const methods = methodsAt(operation);
    expect(answer.headers.get("Allow")).toBe(methods.join(", "));
    expect(answer.headers.get("X-Request-Id")).not.toBeNull();
    const { code, message } = ErrorBody.parse(answer.body);
    expect({ code, message }).toEqual({
      code: "method_not_allowed",
      message: `PATCH is not supported here. Use ${methods.join(" or ")}.`,
    });
  });

  test("HEAD is answered where GET is, and nowhere else", async ({ expect }) => {
    const answer = await call("HEAD", operation.path, { token: tokens.full });
    if (!methodsAt(operation).includes("GET")) expect(answer.status).toBe(405);
    else if (operation.method !== "GET") expect(answer.status).not.toBe(405);
    else expect(answer.status).toBe((await send(operation, tokens.full)).status);
  });
});

test("an unknown address is a 404, whatever the method", async ({ expect }) => {
  for (const method of ["GET", "POST", "PATCH", "DELETE"]) {
    for (const path of ["/social/nothing", "/social/post/1/nothing", "/social"]) {
      const answer = await call(method, path, { token: tokens.full });
      expect([path, answer.status]).toEqual([path, 404]);
      expect(answer.headers.get("Allow")).toBeNull();
      expect(ErrorBody.parse(answer.body).code).toBe("not_found");
    }
  }
});

describe("another project's things do not exist", () => {
  test("posts and channels answer exactly like ones that are not there", async ({ expect }) => {
    const { project: owner, channel } = await projectWith("twitter");
    const postId = await createPost(owner, channel, { caption_text: "mine" });
    const stranger = await Project.create();
    for (const [method, path, absent, body] of [
      ["GET", `/social/post/${postId}`, "/social/post/999999", undefined],
      ["GET", `/social/get-post-events/${postId}`, "/social/get-post-events/999999", undefined],
      ["DELETE", `/social/delete-post/${postId}`, "/social/delete-post/999999", undefined],
      ["PUT", `/social/update-post/${postId}`, "/social/update-post/999999", { caption_text: "theirs" }],
      ["DELETE", `/social/delete-channel/${channel.channel_id}`, "/social/delete-channel/999999", undefined],
    ] as const) {
      const theirs = await stranger.call(method, path, { body });
      const nothing = await stranger.call(method, absent, { body });
      expect([path, theirs.status]).toEqual([path, 404]);
      const anonymous = (answer: Answer) => JSON.stringify(answer.body).replace(/\d+/g, "N");
      expect(anonymous(theirs)).toBe(anonymous(nothing));
    }
    expect((await owner.call("GET", `/social/post/${postId}`)).status).toBe(200);
  });

  test("a channel that a body names is a 422 on its field, whether it is absent, another's or of another type", async ({
    expect,
  }) => {
    const { project: owner, channel } = await projectWith("twitter");
    const stranger = await Project.create();
    for (const path of ["/social/create-post", "/social/validate-post"]) {
      const send = (project: Project, channel_id: number, channel_type = "twitter") =>
        project.call("POST", path, {
          body: { channel_type, channel_id, post_type: "post", publish_mode: "now", caption_text: "x", media_urls: [] },
        });
      const answers = await Promise.all([
        send(stranger, channel.channel_id),
        send(stranger, 999_999),
        send(stranger, channel.channel_id, "facebook"),
      ]);
      for (const answer of answers) expect([path, answer.status]).toEqual([path, 422]);
      const anonymous = answers.map((answer) => JSON.stringify(answer.body).replace(/\d+/g, "N"));
      expect(new Set(anonymous).size).toBe(1);
      expect(answers[0]?.body).toMatchObject({
        errors: {
          channel_id: [
            `channel_id must be a connected channel of this project, not ${channel.channel_id}: get-channels lists them, connect-channel connects one.`,
          ],
        },
      });
      expect(await send(owner, channel.channel_id, "facebook")).toMatchObject({
        status: 422,
        body: { errors: { channel_id: [expect.stringContaining("which is a twitter channel")] } },
      });
      // The shape comes first.
      const shape = await stranger.call("POST", path, { body: { channel_id: channel.channel_id } });
      expect(shape).toMatchObject({ status: 422, body: { errors: { post_type: expect.anything() } } });
      expect(JSON.stringify(shape.body)).not.toContain("get-channels");
    }
    expect((await owner.call("DELETE", `/social/delete-channel/${channel.channel_id}`)).status).toBe(200);
    const gone = await owner.call("POST", "/social/create-post", {
      body: { ...channel, post_type: "post", publish_mode: "now", caption_text: "x", media_urls: [] },
    });
    expect(gone).toMatchObject({ status: 422, body: { errors: { channel_id: expect.anything() } } });
  });

  test("ids that cannot be are a 404, not a 500", async ({ expect }) => {
    const project = await Project.create();
    for (const id of ["0", "-1", "1.5", "abc", "9007199254740993", "99999999999999999999", "1e3", "%00", "1%20"]) {
      for (const path of [`/social/post/${id}`, `/social/get-post-events/${id}`]) {
        expect([id, (await project.call("GET", path)).status]).toEqual([id, 404]);
      }
      expect([id, (await project.call("DELETE", `/social/delete-post/${id}`)).status]).toEqual([id, 404]);
    }
  });
});

test("a revoked token is refused within two seconds, in an isolate that knew it", async ({ expect }) => {
  const name = `revoke ${crypto.randomUUID()}`;
  const { id, token } = await issueToken(name);
  expect((await call("GET", "/social/upcoming-posts", { token })).status).toBe(200);
  await call("POST", "/internal/tokens/revoke", { headers: { "X-Operator-Key": env.OPERATOR_KEY }, body: { id } });
  await advance(2000);
  const answer = await call("GET", "/social/upcoming-posts", { token });
  expect(answer.status).toBe(401);
  expect(answer.body).toMatchObject({ code: "token_revoked" });
});
