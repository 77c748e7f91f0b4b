import { test } from "vitest";
import { queuesIdle } from "./support/queue.ts";
import { sandbox } from "./support/sandbox.ts";
import { createPost, findPost, projectWith } from "./support/world.ts";

test("a tweet goes out", async ({ expect }) => {
  const { project, channel } = await projectWith("twitter");
  const mark = crypto.randomUUID();
  const id = await createPost(project, channel, { caption_text: `hello ${mark}` });
  expect(await findPost(project, id)).toMatchObject({ STATUS: "pending" });
  await queuesIdle();
  expect(await findPost(project, id)).toMatchObject({ STATUS: "published" });
  expect(await sandbox.postsWith(mark)).toHaveLength(1);
});
