import { describe, test } from "vitest";
import { z } from "zod";
import { createPost, projectWith } from "../../support/world.ts";

describe("get-posts", () => {
  test("has the keys of the specification in their order, and page addresses that keep the query", async ({
    expect,
  }) => {
    const { project, channel } = await projectWith("twitter");
    const ids: number[] = [];
    for (let i = 0; i < 3; i++) {
      ids.unshift(await createPost(project, channel, { caption_text: `p${i}`, publish_mode: "queued" }));
    }
    const answer = await project.call("GET", "/social/get-posts?channels=twitter,facebook&limit=2&status=queued");
    const path = "https://belfry.test/api/v1/social/get-posts";
    const page = (number: number) => `${path}?channels=twitter%2Cfacebook&limit=2&status=queued&page=${number}`;
    expect(answer.body).toEqual({
      posts: {
        current_page: 1,
        data: ids.slice(0, 2).map((id) => ({
          post_id: id,
          channel_type: "twitter",
          channel_id: String(channel.channel_id),
          STATUS: "queued",
        })),
        first_page_url: page(1),
        from: 1,
        last_page: 2,
        last_page_url: page(2),
        next_page_url: page(2),
        path,
        per_page: 2,
        prev_page_url: null,
        to: 2,
        total: 3,
      },
      status: true,
    });
    expect(Object.keys(z.object({ posts: z.looseObject({}) }).parse(answer.body).posts)).toEqual([
      "current_page",
      "data",
      "first_page_url",
      "from",
      "last_page",
      "last_page_url",
      "next_page_url",
      "path",
      "per_page",
      "prev_page_url",
      "to",
      "total",
    ]);
    const past = await project.call("GET", "/social/get-posts?channels=twitter&limit=2&page=9");
    expect(past.body).toMatchObject({ posts: { current_page: 9, data: [], total: 3, from: 0, to: 0 } });
    const empty = await project.call("GET", "/social/get-posts?channels=tiktok");
    expect(empty.body).toMatchObject({
      posts: { total: 0, last_page: 1, from: 0, to: 0, data: [], next_page_url: null },
    });
  });

  test("finds a Threads post by channel_id and by channel_type, whatever channels names", async ({ expect }) => {
    const { project, channel } = await projectWith("threads");
    const id = await createPost(project, channel, { caption_text: "on Threads", publish_mode: "queued" });
    const own = `channel_id=${channel.channel_id}`;
    for (const query of [
      own,
      `${own}&channels=facebook`,
      `${own}&status=queued`,
      "channel_type=threads",
      "channel_type=twitter,threads&channels=facebook",
      `${own}&channel_type=threads`,
    ]) {
      for (const place of ["", "&cursor="]) {
        const answer = await project.call("GET", `/social/get-posts?${query}${place}`);
        expect([query, answer.body]).toMatchObject([
          query,
          { posts: { data: [{ post_id: id, channel_type: "threads" }] } },
        ]);
      }
    }
    for (const query of ["channel_type=twitter", `${own}&channel_type=twitter`, "channels=twitter"]) {
      expect((await project.call("GET", `/social/get-posts?${query}`)).body).toMatchObject({
        posts: { total: 0, data: [] },
      });
    }
    const refused = await project.call("GET", "/social/get-posts?channels=threads");
    expect(refused).toMatchObject({ status: 422, body: { errors: { channels: [expect.any(String)] } } });
    const lacking = await project.call("GET", "/social/get-posts?status=queued");
    expect(lacking).toMatchObject({
      status: 422,
      body: { errors: { channels: [expect.stringContaining("required")] } },
    });
  });

  test.for([
    "",
    "channels=",
    "channels=threads",
    "channels=myspace",
    "channels=twitter&status=pending",
    "channels=twitter&limit=0",
    "channels=twitter&limit=101",
    "channels=twitter&limit=1.5",
    "channels=twitter&limit=abc",
    "channels=twitter&page=0",
    "channels=twitter&page=-1",
    "channels=twitter&limit=5&limit=6",
  ])("refuses ?%s", async (query, { expect }) => {
    const { project } = await projectWith("twitter");
    const answer = await project.call("GET", `/social/get-posts?${query}`);
    expect(answer.status).toBe(422);
    expect(answer.body).toMatchObject({ status: false, message: expect.any(String), errors: expect.any(Object) });
  });
});
