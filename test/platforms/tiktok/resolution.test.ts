import { describe, expect, test } from "vitest";
import { fileProblems } from "../../../src/media/check.ts";
import { tiktok } from "../../../src/platforms/tiktok/index.ts";
import { accountContext, content, image, NOW, scriptedSend, video } from "../../scripted-send.ts";

/** TikTok ends a post with `picture_size_check_failed` for its resolution: checked before, and reported. */

const files = tiktok.rules({}).post?.files ?? {};

describe("a file", () => {
  test.for([
    ["picture", 359, 640],
    ["picture", 640, 359],
    ["video", 359, 640],
    ["video", 640, 359],
  ] as const)("with a side below 360 pixels is refused before it is posted (%s, %i×%i)", ([kind, width, height]) => {
    const file = { ...(kind === "picture" ? image("a.jpg") : video("a.mp4")), width, height };
    const [problem, ...others] = fileProblems(files, file);
    expect(others).toEqual([]);
    expect(problem?.message).toMatch(/360×360/);
    expect(fileProblems(files, { ...file, width: 360, height: 640 })).toEqual([]);
  });
});

test.for([video("a.mp4"), image("a.jpg")])("TikTok's own check is reported with both limits ($kind)", async (file) => {
  const status = { status: "FAILED", fail_reason: "picture_size_check_failed" };
  const { send } = scriptedSend({ body: { data: status, error: { code: "ok", message: "" } } });
  const publishId = file.kind === "video" ? "v_pub_file~v2.1" : "p_pub_url~v2.1";
  const accepted = { index: 0, post: { id: publishId, secondaryId: null, permalink: null }, since: NOW };
  const outcome = await tiktok.posts.confirm(accountContext(send), content("post", ["Ours", file]), null, accepted);
  expect(outcome).toMatchObject({
    kind: "broken",
    code: "media_invalid",
    message: expect.stringMatching(/at least 360 pixels.*1080p/),
  });
});
