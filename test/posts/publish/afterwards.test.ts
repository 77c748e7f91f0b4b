import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { calm, settings } from "../../contract/world.ts";
import { newAccount } from "../../support/accounts.ts";
import { altering, quiet, requests } from "../../support/between.ts";
import { queuesIdle } from "../../support/queue.ts";
import { eventsOf } from "../../support/queueing.ts";
import { sandbox } from "../../support/sandbox.ts";
import { createPost, findPost, projectWith } from "../../support/world.ts";

/** What follows once a YouTube video is live: a declaration that the upload could not carry, a playlist. */

beforeEach(async () => {
  quiet();
  await calm();
});
afterEach(async () => {
  quiet();
  await settings({ youtube_paid_placement: "taken", youtube_playlist_most: 5000 });
  await calm();
});

async function published(more: (account: string) => Record<string, unknown>) {
  const account = await newAccount("youtube");
  const { project, channel } = await projectWith("youtube", account);
  const caption_text = crypto.randomUUID();
  const id = await createPost(project, channel, {
    caption_text,
    media_urls: [sandbox.media("clip.mp4").replace("http:", "https:")],
    post_extra: { title: "Opening day" },
    ...more(account),
  });
  await queuesIdle();
  expect(await findPost(project, id)).toMatchObject({ STATUS: "published" });
  const [live] = await sandbox.postsWith(caption_text);
  const leftOut = (await eventsOf(project, id)).filter(({ type }) => type === "post.left_out");
  return { live, leftOut, account };
}

describe("a paid partnership that YouTube refuses in new videos", () => {
  const paid = { declared: { paid_partnership: true, made_with_ai: true } };

  test("is declared by an update of the live video", async () => {
    await settings({ youtube_paid_placement: "refused_at_opening" });
    const { live, leftOut } = await published(() => paid);
    expect(live).toMatchObject({ labels: ["containsSyntheticMedia", "hasPaidProductPlacement"] });
    expect(leftOut).toEqual([]);
  });

  test("and in updates, leaves the video live, and says so with what to do", async () => {
    await settings({ youtube_paid_placement: "refused" });
    const { live, leftOut } = await published(() => paid);
    expect(live).toMatchObject({ labels: ["containsSyntheticMedia"] });
    expect(leftOut).toMatchObject([
      {
        message: expect.stringMatching(/live without `declared.paid_partnership`.*Set it in YouTube Studio/),
        detail: { fields: ["declared.paid_partnership"] },
      },
    ]);
  });

  test("is sent with the video elsewhere, without an update", async () => {
    const { live } = await published(() => paid);
    expect(live).toMatchObject({ labels: ["containsSyntheticMedia", "hasPaidProductPlacement"] });
    expect(requests("googleapis.com/youtube/v3/videos?part=paidProductPlacementDetails")).toEqual([]);
  });
});

describe("a playlist", () => {
  const playlistOf = (account: string) => account.replace(/^UC/, "PL");
  const withPlaylist = (playlist_id?: string) =>
    published((account) => ({ options: { playlist_id: playlist_id ?? playlistOf(account) } }));

  test("has the video", async () => {
    const { live, leftOut, account } = await withPlaylist();
    expect(live).toMatchObject({ playlists: [playlistOf(account)] });
    expect(leftOut).toEqual([]);
  });

  test("has it once, although the answer was lost", async () => {
    let isLost = false;
    altering(async ({ method, url }) => {
      if (isLost || method !== "POST" || !url.includes("/playlistItems")) return null;
      isLost = true;
      return new Response(null, { status: 503 });
    });
    const { live, leftOut, account } = await withPlaylist();
    expect(live).toMatchObject({ playlists: [playlistOf(account)] });
    expect([isLost, leftOut]).toEqual([true, []]);
  });

  test("that does not exist, is another channel's or is full leaves the post live", async () => {
    for (const [id, why] of [
      ["PLnone", /does not find the playlist/],
      [playlistOf(await newAccount("youtube")), /does not let this channel add/],
    ] as const) {
      const { live, leftOut } = await withPlaylist(id);
      expect(live).toMatchObject({ playlists: [] });
      expect(leftOut).toMatchObject([
        { message: expect.stringMatching(why), detail: { fields: ["options.playlist_id"] } },
      ]);
    }
    await settings({ youtube_playlist_most: 0 });
    expect((await withPlaylist()).leftOut).toMatchObject([{ message: expect.stringContaining("is full") }]);
  });
});
