import { env } from "cloudflare:workers";
import { describe, test } from "vitest";
import { z } from "zod";
import { YOUTUBE_CHANNELS } from "../../support/person.ts";
import { send } from "../../support/platform.ts";
import { sandbox } from "../../support/sandbox.ts";
import {
  googleLogin,
  later,
  listed,
  loginAs,
  METADATA,
  reasonOf,
  simulated,
  upload,
  youtubeApi,
} from "../../support/youtube.ts";

/** What the simulated YouTube promises of reading, and of comments. */
const yt = simulated();

describe("reading", () => {
  test("parameters of lists come repeated or with commas; unknown ids leave nothing", async ({ expect }) => {
    const [one, two] = [await upload(), await upload()];
    expect(await listed(`videos?part=id,snippet&id=${one},${two}`)).toHaveLength(2);
    expect(await listed(`videos?part=id&part=snippet&id=${one}&id=${two}&id=none`)).toHaveLength(2);
    expect(await listed("videos?part=id&id=none")).toEqual([]);
    expect(reasonOf(await youtubeApi("GET", "/youtube/v3/videos?part=id", yt.token))).toBe(
      "400 incompatibleParameters",
    );
    expect(reasonOf(await youtubeApi("GET", "/youtube/v3/videos?part=all&id=x", yt.token))).toBe("400 unknownPart");
  });

  test("the uploads come newest first, late, page by page; what is private its owner alone sees", async ({
    expect,
  }) => {
    const account = await sandbox.addAccount("youtube", "With Uploads");
    await loginAs(account);
    const [channel] = await listed("channels?part=contentDetails&mine=true");
    const Details = z.looseObject({
      contentDetails: z.object({ relatedPlaylists: z.looseObject({ uploads: z.string() }) }),
    });
    const list = Details.parse(channel).contentDetails.relatedPlaylists.uploads;
    expect(list).toBe(account.replace("UC", "UU"));
    const secret = { ...METADATA, status: { privacyStatus: "private" } };
    const ids = [await upload(), await upload(secret), await upload()];
    const items = z.object({
      nextPageToken: z.string().optional(),
      items: z.array(z.object({ contentDetails: z.object({ videoId: z.string() }) })),
    });
    const page = async (login: string, more = "") => {
      const path = `/youtube/v3/playlistItems?part=contentDetails&playlistId=${list}&maxResults=2${more}`;
      return items.parse((await youtubeApi("GET", path, login)).json);
    };
    const idsOf = ({ items: all }: z.infer<typeof items>) => all.map(({ contentDetails }) => contentDetails.videoId);
    const first = await page(yt.token);
    const second = await page(yt.token, `&pageToken=${first.nextPageToken}`);
    expect([...idsOf(first), ...idsOf(second)]).toEqual(ids.toReversed());
    expect(second.nextPageToken).toBeUndefined();
    const stranger = (await googleLogin({ account: YOUTUBE_CHANNELS.fern })).access_token;
    expect(idsOf(await page(stranger))).toEqual([ids[2], ids[0]]);
    expect(reasonOf(await youtubeApi("GET", `/youtube/v3/videos?part=fileDetails&id=${ids[0]}`, stranger))).toBe(
      "403 forbidden",
    );
    await sandbox.settings({ youtube_listing_lag_ms: 3_600_000 });
    expect(idsOf(await page(yt.token))).toEqual([]);
    const broken = `/youtube/v3/playlistItems?part=id&playlistId=${list}&pageToken=nonsense`;
    expect(reasonOf(await youtubeApi("GET", broken, yt.token))).toBe("400 invalidPageToken");
    await loginAs(YOUTUBE_CHANNELS.bakery);
  });

  test("file details come late, and names of files not at all when a setting says so", async ({ expect }) => {
    await sandbox.settings({ youtube_file_details_ms: 60_000, youtube_file_names: false });
    const id = await upload();
    const path = `videos?part=fileDetails,processingDetails&id=${id}`;
    expect(await listed(path)).toMatchObject([
      { fileDetails: {}, processingDetails: { fileDetailsAvailability: "inProgress" } },
    ]);
    await later(60_000);
    const [video] = await listed(path);
    expect(video).toMatchObject({ fileDetails: { fileSize: String(yt.clip.length) } });
    expect(video).not.toHaveProperty("fileDetails.fileName");
  });

  test("categories tell which of them take videos", async ({ expect }) => {
    const categories = await listed("videoCategories?part=snippet&regionCode=FR");
    const takes = (id: string) => categories.find((one) => one.id === id)?.snippet;
    expect([takes("22"), takes("30")]).toMatchObject([{ assignable: true }, { assignable: false }]);
  });

  test("a thumbnail is a picture by its bytes", async ({ expect }) => {
    const id = await upload();
    const set = async (file: string) =>
      send(`https://www.googleapis.com/upload/youtube/v3/thumbnails/set?videoId=${id}&uploadType=media`, {
        method: "POST",
        headers: { Authorization: `Bearer ${yt.token}`, "Content-Type": "image/png" },
        body: await (await env.SANDBOX.fetch(sandbox.media(file))).arrayBuffer(),
      });
    expect((await set("square.png")).json).toMatchObject({
      items: [{ default: { url: expect.stringContaining("/_blob/") } }],
    });
    expect(reasonOf(await set("photo.webp"))).toBe("400 invalidImage");
  });
});

describe("comments", () => {
  const Thread = z.looseObject({
    id: z.string(),
    snippet: z.looseObject({ totalReplyCount: z.number() }),
    replies: z.object({ comments: z.array(z.looseObject({ id: z.string() })) }).optional(),
  });
  const reply = (parentId: string, textOriginal: string) =>
    youtubeApi("POST", "/youtube/v3/comments?part=snippet", yt.token, { snippet: { parentId, textOriginal } });
  const Id = z.looseObject({ id: z.string() });
  const threads = async (videoId: string, more = "") => {
    const items = await listed(`commentThreads?part=snippet,replies&videoId=${videoId}&textFormat=plainText${more}`);
    return items.map((item) => Thread.parse(item));
  };
  const write = (post_id: string, text: string, author = "Lea") =>
    sandbox.control("POST", "comments", { platform: "youtube", post_id, author, text });

  test("a thread comes with some of its replies; the others page by page", async ({ expect }) => {
    const video = await upload();
    const top = Id.parse(await write(video, "Great bread")).id;
    const replies: string[] = [];
    for (let count = 1; count <= 7; count++) replies.push(Id.parse((await reply(top, `Thanks ${count}`)).json).id);
    expect(replies.every((id) => id.startsWith(`${top}.`))).toBe(true);
    const [thread] = await threads(video);
    expect([thread?.id, thread?.snippet.totalReplyCount, thread?.replies?.comments.length]).toEqual([top, 7, 5]);
    const all = await listed(`comments?part=id,snippet&parentId=${top}&maxResults=100`);
    expect(all.map(({ id }) => id)).toEqual(replies.toReversed());
    // Another person's original words are shown to their author only.
    expect(thread?.snippet.topLevelComment).not.toHaveProperty("snippet.textOriginal");
    expect(thread?.snippet.topLevelComment).toMatchObject({ snippet: { textDisplay: "Great bread" } });
  });

  test("a reply goes to a top comment that exists, with a text", async ({ expect }) => {
    const video = await upload();
    const top = Id.parse(await write(video, "Hello")).id;
    const first = Id.parse((await reply(top, "Hi")).json).id;
    expect(reasonOf(await reply(first, "Hi again"))).toBe("400 operationNotSupported");
    expect(reasonOf(await reply("none", "Hi"))).toBe("404 parentCommentNotFound");
    expect(reasonOf(await reply(top, " "))).toBe("400 commentTextRequired");
    expect(reasonOf(await reply(top, "x".repeat(10_001)))).toBe("400 commentTextTooLong");
  });

  test("what is held back only its owner's question shows", async ({ expect }) => {
    const video = await upload();
    await write(video, "fine");
    await write(video, "buy this [held]");
    const texts = (all: Awaited<ReturnType<typeof threads>>) =>
      all.map(({ snippet }) => JSON.stringify(snippet.topLevelComment));
    expect(texts(await threads(video))).toEqual([expect.stringContaining("fine")]);
    const [held] = await threads(video, "&moderationStatus=heldForReview");
    expect(held?.snippet).toMatchObject({ isPublic: false });
    const set = `/youtube/v3/comments/setModerationStatus?id=${held?.id}&moderationStatus=published`;
    expect((await youtubeApi("POST", set, yt.token)).status).toBe(204);
    expect(await threads(video)).toHaveLength(2);
    const stranger = (await googleLogin({ account: YOUTUBE_CHANNELS.fern })).access_token;
    const path = `/youtube/v3/commentThreads?part=id&videoId=${video}&moderationStatus=heldForReview`;
    expect(reasonOf(await youtubeApi("GET", path, stranger))).toBe("403 forbidden");
  });

  test("one filter, no more; who is banned is not heard again", async ({ expect }) => {
    const video = await upload();
    const two = `/youtube/v3/commentThreads?part=id&videoId=${video}&id=x`;
    expect(reasonOf(await youtubeApi("GET", two, yt.token))).toBe("400 incompatibleParameters");
    const rude = Id.parse(await write(video, "rude", "Troll")).id;
    const moderate = (query: string) =>
      youtubeApi("POST", `/youtube/v3/comments/setModerationStatus?id=${rude}&${query}`, yt.token);
    expect(reasonOf(await moderate("moderationStatus=published&banAuthor=true"))).toBe("400 banWithoutReject");
    expect((await moderate("moderationStatus=rejected&banAuthor=true")).status).toBe(204);
    await write(video, "rude again", "Troll");
    expect(await threads(video)).toEqual([]);
  });
});
