import { test } from "vitest";
import { call, issueToken } from "../support/world.ts";

test.for([
  ["GET", "/social/feed/12", "GET /api/v1/social/get-feed/12"],
  ["GET", "/social/comments", "GET /api/v1/social/get-comments"],
  ["PUT", "/social/comment/7", "PUT /api/v1/social/update-comment/7"],
  ["POST", "/social/channel/3/messages", "PUT /api/v1/social/update-channel/3"],
  ["POST", "/social/comment/7/unhide", "POST /api/v1/social/unhide-comment/7"],
  ["GET", "/social/series", "GET /api/v1/social/get-series"],
  ["DELETE", "/social/approval-link/$1", "DELETE /api/v1/social/delete-approval-link/$1"],
] as const)("%s %s names its new path", async ([method, path, now], { expect }) => {
  const { token } = await issueToken(`renamed ${crypto.randomUUID()}`);
  expect(await call(method, path, { token })).toMatchObject({
    status: 404,
    body: { status: false, code: "not_found", message: `There is nothing at this address. It is ${now} now.` },
  });
});

test("an address that never was one names the documentation", async ({ expect }) => {
  const answer = await call("GET", "/social/feeds/12");
  expect(answer).toMatchObject({ status: 404, body: { message: expect.stringContaining("See /docs") } });
});
