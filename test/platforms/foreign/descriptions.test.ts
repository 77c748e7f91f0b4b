import { describe, expect, test } from "vitest";
import { claimsOf, findFlaws, findNeedless, isListed } from "../../../scripts/support/foreign/check.ts";
import { EXCEPTIONS } from "../../../scripts/support/foreign/exceptions.ts";
import type { Sent } from "../../../scripts/support/foreign/sent.ts";
import OLD from "./old-requests.json" with { type: "json" };
import { insightCalls, recordedCalls, sentOf } from "./sent-calls.ts";

/**
 * Requests of the adapters beside descriptions that others wrote. `npm test` compares the requests of every
 * other test as well, at the end of each run (scripts/support/foreign/check.ts).
 */

const recorded = recordedCalls();
const insights = await insightCalls();

test("every recorded request is described, or listed with a reason", () => {
  expect(recorded.length).toBeGreaterThan(300);
  expect(findFlaws(recorded)).toEqual([]);
});

test("every request for numbers is described, or listed with a reason", () => {
  expect(insights.length).toBeGreaterThan(30);
  expect(findFlaws(insights)).toEqual([]);
});

test("most of what adapters send is known to somebody else", () => {
  const known = claimsOf([...recorded, ...insights]).filter(({ isKnown }) => isKnown);
  for (const host of ["youtube ", "facebook ", "instagram ", "threads ", "x ", "bluesky "])
    expect(known.filter(({ text }) => text.startsWith(host)).length, host).toBeGreaterThan(3);
});

describe("names that were wrong once, without the list of exceptions and with it", () => {
  test.for(OLD)("$says", ({ request, finds }) => {
    const sent = sentOf({ ...request, body: null });
    const flaws = findFlaws([sent]).map((flaw) => flaw.trim());
    expect(flaws).toEqual(expect.arrayContaining(finds));
    expect(flaws).toHaveLength(finds.length);
  });
});

describe("names that do not exist are found on every platform", () => {
  const WRONG: readonly (readonly [string, Parameters<typeof sentOf>[0], string])[] = [
    [
      "an edge of a Page",
      { method: "GET", url: "https://graph.facebook.com/v27.0/105/published_pots", body: null },
      "facebook GET {id}/published_pots",
    ],
    [
      "a field of a Page's post",
      { method: "GET", url: "https://graph.facebook.com/v27.0/105/published_posts?fields=id,mesage", body: null },
      "facebook GET {id}/published_posts: field mesage",
    ],
    [
      "a field of an ad set's targeting",
      {
        method: "POST",
        url: "https://graph.facebook.com/v27.0/act_105/adsets",
        body: { targeting: JSON.stringify({ geo_locations: { countrys: ["DE"] } }) },
      },
      "facebook POST act_{id}/adsets: geo_locations.countrys",
    ],
    [
      "a part of a video",
      { method: "GET", url: "https://www.googleapis.com/youtube/v3/videos?part=statistic&id=a", body: null },
      "youtube GET videos: part statistic",
    ],
    [
      "a field of a video's status",
      {
        method: "POST",
        url: "https://www.googleapis.com/upload/youtube/v3/videos?part=status",
        body: { status: { privacy: "private" } },
      },
      "youtube POST upload/videos: field VideoStatus.privacy",
    ],
    [
      "a report's parameter",
      { method: "GET", url: "https://youtubeanalytics.googleapis.com/v2/reports?channel=MINE", body: null },
      "youtubeanalytics GET reports: parameter channel",
    ],
    [
      "a field of a post on X",
      { method: "POST", url: "https://api.x.com/2/tweets", body: { text: "a", made_by_ai: true } },
      "x POST /2/tweets: field made_by_ai",
    ],
    [
      "a value of X's fields",
      { method: "GET", url: "https://api.x.com/2/tweets?ids=1&post.fields=public_metric", body: null },
      "x GET /2/tweets: post.fields public_metric",
    ],
    [
      "a field of a campaign on TikTok",
      {
        method: "POST",
        url: "https://business-api.tiktok.com/open_api/v1.3/campaign/create/",
        body: { advertiser_id: "1", campain_name: "a" },
      },
      "tiktok POST campaign/create/: field campain_name",
    ],
    [
      "a field of a Bluesky record",
      {
        method: "POST",
        url: "https://pds.example/xrpc/com.atproto.repo.createRecord",
        body: {
          repo: "did:plc:z72i7hdynmk6r22z27h6tvur",
          collection: "app.bsky.feed.post",
          record: { $type: "app.bsky.feed.post", text: "a", createdAt: "2026-11-20T12:00:00.000Z", lang: "en" },
        },
      },
      "bluesky POST com.atproto.repo.createRecord: app.bsky.feed.post: field lang",
    ],
    [
      "a field of a profile's threads",
      { method: "GET", url: "https://graph.threads.net/v1.0/me/threads?fields=id,caption_text", body: null },
      "threads GET me/threads: fields caption_text",
    ],
  ];
  test.for(WRONG)("%s", ([, call, flaw]) => {
    expect(findFlaws([sentOf(call)]).map((one) => one.trim())).toContain(flaw);
  });

  test("a Bluesky record that is too long is found by the lexicon itself", () => {
    const record = { $type: "app.bsky.feed.post", text: "x".repeat(3_001), createdAt: "2026-11-20T12:00:00.000Z" };
    const body = { repo: "did:plc:z72i7hdynmk6r22z27h6tvur", collection: "app.bsky.feed.post", record };
    const sent = sentOf({ method: "POST", url: "https://pds.example/xrpc/com.atproto.repo.createRecord", body });
    expect(findFlaws([sent]).join()).toContain("must not be longer than");
  });
});

describe("the list of exceptions", () => {
  const sources = Object.values(
    import.meta.glob("/src/platforms/**/*.ts", { eager: true, query: "?raw", import: "default" }),
  ).join("\n");

  test("each has a reason, a source and a day that has come", () => {
    for (const { reason, source, date } of EXCEPTIONS) {
      expect(reason.length).toBeGreaterThan(15);
      expect(source.length).toBeGreaterThan(10);
      expect(Date.parse(date), date).toBeLessThanOrEqual(Date.now());
    }
  });

  test("each is of a name that an adapter still has", () => {
    const unused = EXCEPTIONS.flatMap(({ at, names = [at] }) =>
      names.flatMap((name) => {
        // The words that the adapter writes: of `metric reach with breakdown=a since` the name alone.
        const word = /^\S+ ([\w-]+)/.exec(name)?.[1] ?? name;
        const last = names[0] === at ? (at.split(/[/ :]/).findLast((part) => /^[a-z_]{3,}$/i.test(part)) ?? "") : word;
        return sources.includes(last) ? [] : [`${at} ${name}`];
      }),
    );
    expect(unused).toEqual([]);
  });

  test("none is of what a description has", () => {
    expect(findNeedless([...recorded, ...insights])).toEqual([]);
  });

  test("an entry lists its own claims alone, and one that a description makes needless is found", () => {
    const sent: Sent = sentOf({
      method: "GET",
      url: "https://www.googleapis.com/youtube/v3/videos?part=snippet,nothing",
      body: null,
    });
    const about = { reason: "Only for this test.", source: "this test", date: "2026-11-28" };
    const at = "youtube GET videos:";
    expect(findFlaws([sent], [])).toEqual(["  youtube GET videos: part nothing"]);
    expect(findFlaws([sent], [{ at, names: ["part nothing"], ...about }])).toEqual([]);
    expect(findNeedless([sent], [{ at, names: ["part nothing", "part snippet"], ...about }])).toEqual([
      "youtube GET videos: part snippet",
    ]);
    expect(isListed({ at: "youtube GET videos", ...about }, "youtube GET videos")).toBe(true);
    expect(isListed({ at: "youtube GET videos", ...about }, "youtube GET videos: part nothing")).toBe(false);
  });
});
