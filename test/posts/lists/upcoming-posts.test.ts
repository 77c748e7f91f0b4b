import { describe, expect, test } from "vitest";
import { z } from "zod";
import { accountsOf } from "../../support/accounts.ts";
import { type ChannelRef, createPost, Project } from "../../support/world.ts";

const Upcoming = z.object({ up_coming: z.array(z.object({ post_id: z.number() })) });

async function twoChannels() {
  const project = await Project.create();
  const accounts = (await accountsOf("facebook")).slice(0, 2);
  const [a = 0, b = 0] = await project.connect("facebook", accounts);
  const at = (channel_id: number, schedule_time: string) => {
    const channel: ChannelRef = { channel_type: "facebook", channel_id };
    const body = {
      caption_text: `${channel_id} ${schedule_time}`,
      publish_mode: "scheduled",
      schedule_time,
      time_zone: "UTC",
    };
    return createPost(project, channel, body);
  };
  const ids = {
    march: await at(a, "2030-03-05 10:00"),
    april: await at(b, "2030-04-05 10:00"),
    may: await at(a, "2030-05-05 10:00"),
  };
  const idsOf = async (query: string) => {
    const { body } = await project.call("GET", `/social/upcoming-posts${query}`);
    return Upcoming.parse(body).up_coming.map(({ post_id }) => post_id);
  };
  return { project, a, b, ids, idsOf };
}

describe("upcoming-posts", () => {
  test("is filtered by time, both ends included, and by channel; without filters it is as ever", async () => {
    const { ids, idsOf, a, b } = await twoChannels();
    const { march, april, may } = ids;
    const cases: readonly (readonly [string, readonly number[]])[] = [
      ["", [march, april, may]],
      ["?from=2030-03-05T10:00:00Z", [march, april, may]],
      ["?from=2030-03-05T10:00:01Z", [april, may]],
      ["?to=2030-04-05T10:00:00Z", [march, april]],
      ["?from=2030-04-01&to=2030-04-30", [april]],
      ["?from=2031-01-01", []],
      [`?channel_id=${a}`, [march, may]],
      [`?channel_id=${b}`, [april]],
      [`?channel_id=${a}&from=2030-04-01`, [may]],
      [`?channel_id=${a}&limit=1`, [march]],
      ["?from=2030-04-01&limit=1", [april]],
    ];
    for (const [query, expected] of cases) expect([query, await idsOf(query)]).toEqual([query, expected]);
  });

  test("another project's channel has nothing, and impossible filters are refused by name", async () => {
    const { project, a } = await twoChannels();
    const stranger = await Project.create();
    expect((await stranger.call("GET", `/social/upcoming-posts?channel_id=${a}`)).body).toEqual({ up_coming: [] });
    for (const [query, field] of [
      ["from=tomorrow", "from"],
      ["to=2030-03-05T10:00", "to"],
      ["channel_id=x", "channel_id"],
      ["from=2030-05-01&to=2030-04-01", "from"],
    ] as const) {
      const { status, body } = await project.call("GET", `/social/upcoming-posts?${query}`);
      expect([query, status, body]).toMatchObject([query, 422, { errors: { [field]: [expect.any(String)] } }]);
    }
  });
});
