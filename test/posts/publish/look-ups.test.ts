import { afterEach, describe, expect, test } from "vitest";
import { z } from "zod";
import { drawn } from "../../contract/sample.ts";
import {
  type Home,
  homeOn,
  isHonestDoubt,
  type Outcome,
  outcomeOf,
  type Sent,
  send,
  settings,
  shapeOf,
} from "../../contract/world.ts";
import { altering, alterJson, answering, quiet, requests } from "../../support/between.ts";
import { advance } from "../../support/clock.ts";
import { cron, queuesIdle } from "../../support/queue.ts";
import { sandbox } from "../../support/sandbox.ts";
import { HOUR } from "../../support/times.ts";
import { HANDLES, PAGES } from "../../support/world.ts";

/**
 * A lost answer, and lists with peculiarities: nothing is published twice, nothing of
 * another author is adopted, and an unknown outcome is reported.
 */
const PLAIN = {
  facebook_text_readback: "exact",
  facebook_video_state: "accurate",
  facebook_video_state_ms: 20_000,
  facebook_vertical_videos: "published",
  facebook_short_pages: false,
  facebook_listing_lag_ms: 1_500,
  twitter_listing_lag_ms: 0,
  processing_ms: 1_500,
};
afterEach(async () => {
  quiet();
  await settings(PLAIN);
  for (const { platform, operation, kind } of FAULTS) await sandbox.fault(platform, operation, kind, 0);
});

const FAULTS = (["facebook", "twitter"] as const).flatMap((platform) =>
  (["accept_then_drop", "accept_then_error", "error"] as const).map((kind) => ({
    platform,
    operation: "publish",
    kind,
  })),
);

async function rest(sent: Sent): Promise<Outcome> {
  for (let hour = 0; hour < 9; hour++) {
    await queuesIdle();
    const outcome = await outcomeOf(sent);
    if (outcome.state !== "processing") return outcome;
    await advance(HOUR / 2);
    await cron();
  }
  return outcomeOf(sent);
}

async function lost(home: Home, shape: string, body: Record<string, unknown> = {}): Promise<Outcome> {
  const name = home.channel.channel_type;
  await sandbox.fault(name, "publish", "accept_then_drop");
  return rest(await send(home, shapeOf(name, shape), body));
}

describe("facebook's texts", () => {
  test.for([
    ["changed white space", "two  spaces\t and\u00a0one\n\n\nmore lines"],
    ["zero-width characters", "a\u200bb \u2060soft\u00adhyphen \ufefflast"],
    ["expanded mentions", "thanks to @[104000000000002] and @[104000000000003:1:Northside Bikes] for the ride"],
  ])("%s: recognised, and live once", async ([, text]) => {
    await settings({ facebook_text_readback: "altered" });
    const home = await homeOn("facebook");
    const mark = crypto.randomUUID();
    const outcome = await lost(home, "a text", { caption_text: `${text} ${mark}` });
    expect(outcome).toMatchObject({ state: "published" });
    // By its end: what shows nothing is cleaned before it is sent.
    expect(await sandbox.postsWith(mark)).toHaveLength(1);
  });

  test("a new post of this service that is only similar leaves it unconfirmed, never a reason to send again", async () => {
    const home = await homeOn("facebook");
    alterJson("/published_posts", (body) => JSON.parse(JSON.stringify(body).replaceAll("garden", "yard")));
    const caption_text = `Come and see our new garden chairs this weekend in the shop ${crypto.randomUUID()}`;
    const outcome = await lost(home, "a text", { caption_text });
    expect(outcome.live).toHaveLength(1);
    expect(outcome).toMatchObject({ state: "failed", error: expect.stringContaining("may have been published") });
  });

  test("links make attachments, which are no files of this service; pages may be short or empty", async () => {
    await settings({ facebook_short_pages: true });
    const home = await homeOn("facebook");
    for (const link of ["https://example.com/a?b=1", "https://www.youtube.com/watch?v=abc"]) {
      const outcome = await lost(home, "a text", { caption_text: `Look ${link} ${crypto.randomUUID()}` });
      expect(outcome.state).toBe("published");
      expect(outcome.live).toHaveLength(1);
    }
  });
});

describe("what others have posted", () => {
  test.for(["hand", "other"])("the same text by %s is never adopted", async (application) => {
    const home = await homeOn("facebook");
    const caption_text = `Same words ${crypto.randomUUID()}`;
    await sandbox.fault("facebook", "publish", "error");
    const sent = await send(home, shapeOf("facebook", "a text"), { caption_text });
    await queuesIdle(1_000);
    const foreign = { platform: "facebook", account_id: PAGES.fern, text: caption_text, application };
    const added = z.object({ id: z.string() }).parse(await sandbox.control("POST", "posts", foreign));
    const outcome = await rest(sent);
    // Facebook refuses a copy of the last post: it stays unconfirmed, or ours is live beside it.
    expect([true, outcome.state === "published"]).toContain(
      outcome.error?.includes("may have been published") ?? false,
    );
    expect(outcome.permalink ?? "").not.toContain(added.id.split("_").at(-1) ?? "-");
  });

  test("a list that was not read to its end proves nothing", async () => {
    const home = await homeOn("facebook");
    alterJson("/published_posts", () => ({
      data: [],
      paging: { cursors: { before: "a", after: "b" }, next: "https://graph.facebook.com/v27.0/next?after=b" },
    }));
    const outcome = await lost(home, "a text");
    expect(outcome.live).toHaveLength(1);
    expect(outcome).toMatchObject({ state: "failed", error: expect.stringContaining("may have been published") });
  });
});

describe("facebook's videos", () => {
  const SHAPES = ["a video", "a reel", "a video story"];
  const STATES = ["not_started", "upload_complete", "ready_unpublished"];

  test.for(SHAPES.flatMap((shape) => drawn(shape, STATES, 1).map((state) => [shape, state] as const)))(
    "%s whose finish was lost and that shows as %s for a while is live once",
    async ([shape, state]) => {
      await settings({ facebook_video_state: state, facebook_video_state_ms: 10 * 60_000 });
      const outcome = await lost(await homeOn("facebook"), shape);
      expect(outcome.live).toHaveLength(1);
      expect(outcome.state).toBe("published");
    },
  );

  test("a vertical video that facebook keeps as a draft is reported, not waited for", async () => {
    await settings({ facebook_vertical_videos: "draft" });
    const home = await homeOn("facebook");
    const sent = await send(home, { name: "vertical", type: "post", items: [["reel.mp4"]] });
    await queuesIdle();
    expect(await outcomeOf(sent)).toMatchObject({ state: "failed", error: expect.stringContaining("draft") });
  });
});

describe("X", () => {
  test.for([
    ["a link to a photo", "look x.com/acmebikes/status/20/photo/1", "a text"],
    ["a whole link to a photo", "see https://x.com/acmebikes/status/2094364576052150272/photo/1", "a text"],
    ["pic.x.com", "at pic.x.com/abcDEF123", "a text"],
    ["a t.co link beside an image", "more at https://t.co/Ab1Cd2Ef3G", "an image"],
    ["a link at the end beside an image", "more at https://example.com/page", "an image"],
  ])("text with %s is recognised", async ([, text, shape]) => {
    const outcome = await lost(await homeOn("twitter"), shape ?? "", {
      caption_text: `${crypto.randomUUID()} ${text}`,
    });
    expect(outcome.state).toBe("published");
    expect(outcome.live).toHaveLength(1);
  });

  test("duplicate refusals are evidence: looked up, not tried again, and reported as unconfirmed", async () => {
    const home = await homeOn("twitter");
    alterJson("/tweets?", () => ({ meta: { result_count: 0 } }));
    const before = requests("POST").length;
    const outcome = await lost(home, "a text");
    expect(outcome.live).toHaveLength(1);
    expect(outcome).toMatchObject({ state: "failed", error: expect.stringContaining("may have been published") });
    const posts = requests("POST")
      .slice(before)
      .filter((request) => request.endsWith("/2/tweets"));
    expect(posts).toHaveLength(2);
  });

  test("items of a thread that have no references stay unconfirmed", async () => {
    await settings({ twitter_listing_lag_ms: 0 });
    const home = await homeOn("twitter");
    const strip = (body: unknown) =>
      JSON.parse(
        JSON.stringify(body).replace(/"(referenced_posts|conversation_id)":("[^"]*"|\[[^\]]*\]),?/g, ""),
      ) as unknown;
    alterJson("/tweets?", (body) => strip(body));
    const sent = await send(home, shapeOf("twitter", "a thread"));
    let posts = 0;
    altering((request, answer) => {
      if (request.method !== "POST" || !request.url.endsWith("/2/tweets")) return null;
      posts += 1;
      return posts === 2 ? new Response("", { status: 503 }) : answer;
    });
    const outcome = await rest(sent);
    expect(outcome.live).toHaveLength(2);
    expect(outcome).toMatchObject({ state: "failed", error: expect.stringContaining("may have been published") });
  });

  test("a look-up that is refused in every spelling ends with the honest sentence", async () => {
    const home = await homeOn("twitter");
    answering((request) =>
      request.method === "GET" && request.url.includes(`/users/${HANDLES.bikes}/tweets`)
        ? Response.json({ title: "Forbidden", status: 403, detail: "No.", type: "about:blank" }, { status: 403 })
        : null,
    );
    const sent = await send(home, shapeOf("twitter", "an image"));
    await sandbox.fault("twitter", "publish", "accept_then_drop");
    await queuesIdle(2 * HOUR);
    const outcome = await outcomeOf(sent);
    expect(outcome).toMatchObject({ state: "failed", error: expect.stringContaining("may have been published") });
    expect(isHonestDoubt({ ...outcome, live: [] })).toBe(true);
  });
});
