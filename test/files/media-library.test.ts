import { env } from "cloudflare:workers";
import { beforeAll, describe, expect, test } from "vitest";
import { z } from "zod";
import { advance } from "../support/clock.ts";
import { cron } from "../support/queue.ts";
import { DAY, HOUR, wallClock } from "../support/times.ts";
import { isServed, sample, uploadFile } from "../support/uploads.ts";
import { type ChannelRef, createPost, Project, projectWith } from "../support/world.ts";

/** The media library: files that are kept, described, found, and deleted when no post needs them. */

const LIBRARY = "/social/get-media";
const File = z.looseObject({ media_id: z.string(), url: z.string(), expires_at: z.string().nullable() });
const Page = z.looseObject({ media: z.array(File), next_cursor: z.string().nullable() });

let project: Project;
let channel: ChannelRef;
beforeAll(async () => {
  ({ project, channel } = await projectWith("twitter"));
});

async function upload(owner = project) {
  const answer = await uploadFile(owner, await sample("square.png"));
  return z.looseObject({ data: File }).parse(answer.body).data;
}

const keep = (id: string, body: Record<string, unknown>, owner = project) =>
  owner.call("PUT", `/social/update-media/${id}`, { body });
const list = async (query: string) => Page.parse((await project.call("GET", `${LIBRARY}?${query}`)).body);
const idsOf = ({ media }: z.output<typeof Page>) => media.map(({ media_id }) => media_id);

async function altTextsOf(id: number) {
  const answer = await project.call("GET", `/social/post/${id}?include=content`);
  return z.looseObject({ post: z.looseObject({ alt_texts: z.array(z.string().nullable()) }) }).parse(answer.body).post
    .alt_texts;
}

describe("the media library", () => {
  test("keeps a file for good, with its description, and finds it by words and tags", async () => {
    const [bun, bike, other] = [await upload(), await upload(), await upload()];
    const kept = await keep(bun.media_id, {
      title: "Saffron BÜNS",
      alt_text: "Buns on a table",
      tags: ["food", "food"],
    });
    expect(kept).toMatchObject({
      status: 200,
      body: { media: { title: "Saffron BÜNS", tags: ["food"], in_library: true, in_use: false, expires_at: null } },
    });
    await keep(bike.media_id, { title: "A bicycle", tags: ["outside"] });
    expect(idsOf(await list(""))).toEqual([bike.media_id, bun.media_id]);
    expect(idsOf(await list("search=saffron%20b%C3%BCn"))).toEqual([bun.media_id]);
    expect(idsOf(await list("tag=outside"))).toEqual([bike.media_id]);
    expect(idsOf(await list("tag=out"))).toEqual([]);
    expect(idsOf(await list("kind=image"))).toEqual([bike.media_id, bun.media_id]);
    expect(idsOf(await list("kind=video"))).toEqual([]);
    const first = await list("limit=1");
    expect(idsOf(first)).toEqual([bike.media_id]);
    expect(idsOf(await list(`limit=1&cursor=${first.next_cursor}`))).toEqual([bun.media_id]);

    await advance(9 * DAY);
    await cron();
    expect([await isServed(bun.url), await isServed(other.url)]).toEqual([true, false]);
    expect(await project.call("GET", `${LIBRARY}/${other.media_id}`)).toMatchObject({ status: 404 });
  });

  test("gives posts its alternative text, names them, and deletes no file that they need", async () => {
    const file = await upload();
    await keep(file.media_id, { alt_text: "A blue square" });
    const planned = (fields: Record<string, unknown>) =>
      createPost(project, channel, {
        caption_text: "Look",
        media_urls: [file.url],
        publish_mode: "scheduled",
        schedule_time: wallClock(Date.now() + 3 * HOUR),
        time_zone: "UTC",
        ...fields,
      });
    const post = await planned({});
    expect(await altTextsOf(post)).toEqual(["A blue square"]);
    const own = await planned({ alt_texts: ["Mine"] });
    expect(await altTextsOf(own)).toEqual(["Mine"]);

    const found = await project.call("GET", `${LIBRARY}/${file.media_id}`);
    expect(found.body).toMatchObject({ media: { in_use: true, post_ids: [post, own] } });
    const refused = await project.call("DELETE", `/social/delete-media/${file.media_id}`);
    expect(refused).toMatchObject({ status: 422, body: { code: "not_changeable" } });
    expect(refused.body).toMatchObject({ message: expect.stringContaining(String(post)) });
    for (const id of [post, own]) await project.call("DELETE", `/social/delete-post/${id}`);
    await advance(9 * DAY);
    await cron();
    expect(await isServed(file.url)).toBe(true);
    expect(await project.call("DELETE", `/social/delete-media/${file.media_id}`)).toMatchObject({ status: 200 });
    expect(await isServed(file.url)).toBe(false);
    expect(await env.FILES.head(file.media_id)).toBeNull();
    expect(await project.call("DELETE", `/social/delete-media/${file.media_id}`)).toMatchObject({ status: 404 });
  });

  test("has nothing of another project", async () => {
    const stranger = await Project.create();
    const file = await upload();
    expect(await keep(file.media_id, {}, stranger)).toMatchObject({ status: 404 });
    expect(await stranger.call("GET", `${LIBRARY}/${file.media_id}`)).toMatchObject({ status: 404 });
    expect(await stranger.call("DELETE", `/social/delete-media/${file.media_id}`)).toMatchObject({ status: 404 });
    expect(await isServed(file.url)).toBe(true);
  });
});
