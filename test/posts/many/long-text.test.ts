import { beforeAll, describe, test } from "vitest";
import { z } from "zod";
import { queuesIdle } from "../../support/queue.ts";
import { sandbox } from "../../support/sandbox.ts";
import { DAY } from "../../support/times.ts";
import { type Project, projectWith } from "../../support/world.ts";

/** A text that only one channel refuses: create-posts offers a thread, and makes one. */

let project: Project;
let posts: readonly { readonly channel_type: string; readonly channel_id: number }[];
beforeAll(async () => {
  const home = await projectWith("facebook");
  project = home.project;
  const [twitter = 0] = await project.connect("twitter", [await firstAccount()]);
  posts = [home.channel, { channel_type: "twitter", channel_id: twitter }];
});

async function firstAccount(): Promise<string> {
  const { accountId } = await projectWith("twitter");
  return accountId ?? "";
}

const LINK = "https://example.com/a/very/long/path/to/the/new/frames?utm_source=newsletter";
const text = (mark: string) =>
  `${mark} ${"The new frames are in, and they are lighter than all before. ".repeat(4)}See ${LINK} with @alice. ${"Come and see. ".repeat(10)}`;

const create = (fields: object) =>
  project.call("POST", "/social/create-posts", {
    body: {
      defaults: { post_type: "post", media_urls: [], publish_mode: "now" },
      posts: posts.map((channel) => ({
        ...channel,
        ...(channel.channel_type === "twitter" ? { post_type: "tweet" } : {}),
      })),
      ...fields,
    },
  });

const Results = z.object({
  results: z.array(
    z.looseObject({ status: z.boolean(), errors: z.record(z.string(), z.array(z.string())).optional() }),
  ),
});

describe("a text that is too long for one channel", () => {
  test("is refused with the offer of a thread", async ({ expect }) => {
    const caption_text = text(crypto.randomUUID());
    const answer = await create({
      mode: "each",
      defaults: { post_type: "post", media_urls: [], publish_mode: "draft", caption_text },
    });
    const [facebook, twitter] = Results.parse(answer.body).results;
    expect([facebook?.status, twitter?.errors?.caption_text]).toEqual([
      true,
      [
        expect.stringContaining("at most 280 characters as X counts them"),
        "caption_text fits a thread of 2 items: send long_text thread, or numbered_thread.",
      ],
    ]);
  });

  test("is offered no thread where the platform has none, or the text fits none", async ({ expect }) => {
    const caption_text = "x".repeat(70_000);
    const answer = await create({
      mode: "each",
      defaults: { post_type: "post", media_urls: [], publish_mode: "draft", caption_text },
    });
    for (const { errors } of Results.parse(answer.body).results)
      expect(JSON.stringify(errors)).not.toContain("thread of");
  });

  test("becomes a thread there and a post elsewhere, numbered, with whole links", async ({ expect }) => {
    const mark = crypto.randomUUID();
    const answer = await create({
      long_text: "numbered_thread",
      defaults: {
        post_type: "post",
        media_urls: [],
        publish_mode: "now",
        caption_text: text(mark),
        hash_tags: "frames",
      },
    });
    expect(answer.status).toBe(200);
    await queuesIdle(DAY);
    const live = await sandbox.posts();
    const ours = live.filter(
      ({ platform, text: shown }) => (platform === "twitter" && /\(\d\/\d\)/.test(shown)) || shown.includes(mark),
    );
    expect(ours.filter(({ platform }) => platform === "facebook")).toHaveLength(1);
    const items = ours.filter(({ platform }) => platform === "twitter").map(({ text: shown }) => shown);
    expect(items.some((item) => item.includes(LINK) || /https:\/\/t\.co\/\w+/.test(item))).toBe(true);
    expect(items.filter((item) => item.includes("#frames"))).toHaveLength(1);
    expect(items.length).toBeGreaterThan(1);
  });

  test("is shown as it would be published", async ({ expect }) => {
    const answer = await project.call("POST", "/social/validate-posts", {
      body: {
        long_text: "thread",
        posts: [
          {
            ...posts[1],
            post_type: "tweet",
            media_urls: [],
            publish_mode: "now",
            caption_text: text(crypto.randomUUID()),
          },
        ],
      },
    });
    const { results } = z
      .object({ results: z.array(z.object({ items: z.array(z.object({ text: z.string() })) })) })
      .parse(answer.body);
    expect(
      results[0]?.items
        .map(({ text: shown }) => shown)
        .join(" ")
        .match(/@alice/g),
    ).toHaveLength(1);
    expect(results[0]?.items.length).toBe(2);
  });
});
