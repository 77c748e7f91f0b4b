import { env } from "cloudflare:workers";
import { afterEach, beforeAll, beforeEach, describe, test } from "vitest";
import { z } from "zod";
import { setSandboxClock } from "../../support/clock.ts";
import {
  type Answer,
  BIKES,
  send,
  VERIFIER,
  X_APP,
  X_BASIC,
  X_REDIRECT,
  x,
  xCode,
  xLogin,
} from "../../support/platform.ts";
import { uniquely } from "../../support/random.ts";
import { sandbox } from "../../support/sandbox.ts";

/** What the simulated X promises beyond what the service uses of it today. */

const Data = z.object({ data: z.looseObject({ id: z.string() }) });
const idOf = (answer: Answer) => Data.parse(answer.json).data.id;

let token = "";
beforeAll(async () => {
  token = (await xLogin()).access_token;
});

async function published(text: string, reply?: string): Promise<string> {
  const body = { text, ...(reply === undefined ? {} : { reply: { in_reply_to_tweet_id: reply } }) };
  return idOf(await x("POST", "/2/tweets", token, body));
}

describe("login as the most used client does it", () => {
  const Tokens = z.object({ access_token: z.string(), refresh_token: z.string() });
  const call = (path: string, body: object, headers: Record<string, string> = { Authorization: X_BASIC }) =>
    send(`https://api.x.com/2/oauth2/${path}`, {
      method: "POST",
      headers: { "Content-Type": "application/json", ...headers },
      body: JSON.stringify(body),
    });
  const client = { client_id: X_APP.id, client_secret: X_APP.secret };

  test("s256 in lower case, JSON with the client's credentials beside Basic; refresh and revoke alike", async ({
    expect,
  }) => {
    const code = await xCode("s256");
    const grant = { grant_type: "authorization_code", code, redirect_uri: X_REDIRECT, code_verifier: VERIFIER };
    const first = Tokens.parse((await call("token", { ...grant, ...client })).json);
    const refresh = { grant_type: "refresh_token", refresh_token: first.refresh_token, ...client };
    const second = Tokens.parse((await call("token", refresh)).json);
    expect((await x("GET", "/2/users/me", second.access_token)).status).toBe(200);
    const revoked = await call("revoke", { token: second.access_token, token_type_hint: "access_token", ...client });
    expect(revoked.json).toEqual({ revoked: true });
    expect((await x("GET", "/2/users/me", second.access_token)).status).toBe(401);
  });

  test("credentials in the body do not replace the header, nor may they differ from it", async ({ expect }) => {
    const refresh = { grant_type: "refresh_token", refresh_token: "any" };
    expect((await call("token", { ...refresh, ...client }, {})).status).toBe(401);
    const wrong = await call("token", { ...refresh, ...client, client_secret: "another" });
    expect(wrong.json).toMatchObject({
      error: "invalid_request",
      error_description: expect.stringContaining("credentials"),
    });
  });

  test("a wrong verifier is refused with s256 as with S256", async ({ expect }) => {
    const code = await xCode("s256");
    const grant = { grant_type: "authorization_code", code, redirect_uri: X_REDIRECT, code_verifier: "x".repeat(50) };
    expect((await call("token", grant)).status).toBe(400);
  });
});

test.for([
  ["without a file name", ""],
  ["with one", '; filename="blob"'],
])("a media part %s keeps its bytes", async ([, fileName], { expect }) => {
  // Bytes that are no text in any encoding, and what could be taken for the end of the part.
  const noise = [0xff, 0xd8, 0x00, 0x80, 0x0d, 0x0a, 0x2d, 0x2d, 0xc3, 0x28, 0x0d, 0x0a, 0x0d, 0x0a];
  const file = new Uint8Array([...new TextEncoder().encode("GIF89a"), ...noise, ...noise]);
  const initialized = await x("POST", "/2/media/upload/initialize", token, {
    media_type: "image/gif",
    media_category: "tweet_image",
    total_bytes: file.length,
  });
  const id = idOf(initialized);
  const disposition = (name: string, more = "") =>
    `--edge\r\nContent-Disposition: form-data; name="${name}"${more}\r\n`;
  const body = new Blob([
    `${disposition("segment_index")}\r\n0\r\n`,
    `${disposition("media", fileName)}Content-Type: application/octet-stream\r\n\r\n`,
    file,
    "\r\n--edge--\r\n",
  ]);
  const appended = await send(`https://api.x.com/2/media/upload/${id}/append`, {
    method: "POST",
    headers: { Authorization: `Bearer ${token}`, "Content-Type": "multipart/form-data; boundary=edge" },
    body,
  });
  expect(appended.status).toBe(200);
  // Finalizing compares the number of bytes, posting shows the file.
  expect((await x("POST", `/2/media/upload/${id}/finalize`, token)).status).toBe(200);
  const text = uniquely("bytes");
  await x("POST", "/2/tweets", token, { text, media: { media_ids: [id] } });
  const [post] = await sandbox.postsWith(text);
  const served = await env.SANDBOX.fetch(new URL(post?.media[0] ?? "", "http://sandbox.test"));
  expect(new Uint8Array(await served.arrayBuffer())).toEqual(file);
});

describe("the two spellings of the read side", () => {
  beforeEach(() => sandbox.settings({ twitter_dialect: "both" }));
  afterEach(() => sandbox.settings({ twitter_dialect: "new" }));

  const Timeline = z.object({ data: z.array(z.looseObject({ id: z.string() })) });
  const timeline = (query: string) => x("GET", `/2/users/${BIKES}/tweets?${query}`, token);
  const replyOn = async (query: string) => {
    const reply = await published(uniquely("reply"), await published(uniquely("root")));
    const answer = await timeline(`max_results=5&${query}`);
    return Timeline.parse(answer.json).data.find((one) => one.id === reply);
  };

  test("new: references come by their expansion, and old names are 400 with the parameter named", async ({
    expect,
  }) => {
    await sandbox.settings({ twitter_dialect: "new" });
    const reply = await replyOn("post.fields=created_at,text,entities,conversation_id&expansions=referenced_posts");
    expect(reply).toMatchObject({ referenced_posts: [{ type: "replied_to" }], edit_history_post_ids: [reply?.id] });
    expect(reply).not.toHaveProperty("referenced_tweets");
    const old = await timeline("tweet.fields=created_at");
    expect(old).toMatchObject({ status: 400, json: { title: "Invalid Request" } });
    expect(old.json).toMatchObject({ errors: [{ parameters: { "tweet.fields": ["created_at"] } }] });
  });

  test.for(["referenced_posts", "referenced_tweets", "in_reply_to_user_id", "author_id"])(
    "new: post.fields does not know %s",
    async (field, { expect }) => {
      await sandbox.settings({ twitter_dialect: "new" });
      const answer = await timeline(`post.fields=created_at,${field}`);
      expect(answer).toMatchObject({ status: 400, json: { errors: [{ parameters: { "post.fields": [field] } }] } });
    },
  );

  test("old: the older names work, and new ones are 400", async ({ expect }) => {
    await sandbox.settings({ twitter_dialect: "old" });
    const reply = await replyOn("tweet.fields=referenced_tweets,in_reply_to_user_id,author_id");
    expect(reply).toMatchObject({ referenced_tweets: [{ type: "replied_to" }], author_id: BIKES });
    expect(reply).not.toHaveProperty("referenced_posts");
    const unknown = await timeline("post.fields=created_at");
    expect(unknown).toMatchObject({
      status: 400,
      json: { errors: [{ parameters: { "post.fields": ["created_at"] } }] },
    });
    expect((await timeline("expansions=referenced_posts")).status).toBe(400);
  });

  test("both: either is understood, and answered under both names", async ({ expect }) => {
    const byNew = await replyOn("post.fields=created_at&expansions=referenced_posts");
    const byOld = await replyOn("tweet.fields=referenced_tweets");
    for (const reply of [byNew, byOld]) {
      expect(reply).toMatchObject({ referenced_posts: reply?.referenced_tweets, edit_history_tweet_ids: [reply?.id] });
    }
    const metrics = await x("GET", `/2/tweets/${byNew?.id}?post.fields=public_metrics`, token);
    expect(metrics.json).toMatchObject({ data: { public_metrics: { repost_count: 0, retweet_count: 0 } } });
  });

  test("every value that the document knows is taken", async ({ expect }) => {
    await sandbox.settings({ twitter_dialect: "new" });
    const query = new URLSearchParams({
      "post.fields":
        "article,article_title,attachments,card_uri,community_id,context_annotations,conversation_id,created_at," +
        "display_text_range,edit_controls,entities,geo,id,lang,matched_media_notes,media_metadata,note_post," +
        "note_request_suggestions,paid_partnership,possibly_sensitive,public_metrics,reply_settings,scopes,source," +
        "suggested_source_links,suggested_source_links_with_counts,text,withheld",
      expansions:
        "article.cover_media,article.media_entities,attachments.media_keys,attachments.media_source_tweet," +
        "attachments.poll_ids,author_id,edit_history_post_ids,entities.mentions.username,geo.place_id," +
        "in_reply_to_user_id,referenced_posts,username",
      "user.fields": "confirmed_email,subscribes_to_you,verified_followers_count,username",
      "media.fields": "alt_text,duration_ms,url,variants",
      "poll.fields": "options,voting_status",
      "place.fields": "country_code,place_type",
    });
    const reply = await replyOn(query.toString());
    expect(reply).toMatchObject({ author_id: BIKES, in_reply_to_user_id: BIKES });
    expect((await x("GET", "/2/users/me?expansions=pinned_post_id,affiliation", token)).status).toBe(200);
  });
});

test("the timeline lags as long as its setting says, while the id is found at once", async ({ expect }) => {
  await sandbox.settings({ twitter_listing_lag_ms: 14 * 60_000 });
  const id = await published(uniquely("late"));
  const isListed = async () => JSON.stringify((await x("GET", `/2/users/${BIKES}/tweets`, token)).json).includes(id);
  expect((await x("GET", `/2/tweets/${id}`, token)).json).toMatchObject({ data: { id } });
  expect(await isListed()).toBe(false);
  await setSandboxClock(13 * 60_000);
  expect(await isListed()).toBe(false);
  await setSandboxClock(15 * 60_000);
  expect(await isListed()).toBe(true);
  await setSandboxClock(0);
  await sandbox.settings({ twitter_listing_lag_ms: 0 });
});

describe("recent search", () => {
  const search = (query: string) => x("GET", `/2/tweets/search/recent?query=${encodeURIComponent(query)}`, token);
  const Found = z.object({ data: z.array(z.looseObject({ id: z.string() })).default([]) });
  const idsOf = async (query: string) => Found.parse((await search(query)).json).data.map(({ id }) => id);

  beforeAll(() => sandbox.settings({ twitter_search_lag_ms: 0 }));

  test("finds what any of several groups request, and nothing else", async ({ expect }) => {
    const [first, second, third] = [await published("One"), await published("Two"), await published("Three")];
    const replies = [];
    for (const root of [first, second, third]) replies.push(await published(uniquely("reply"), root));
    const [one = "", two = "", three = ""] = replies;
    const both = `(conversation_id:${first} OR conversation_id:${second}) is:reply`;
    expect(await idsOf(both)).toEqual([two, one]);
    expect(await idsOf(`${both} -in_reply_to_tweet_id:${first}`)).toEqual([two]);
    // OR binds weaker than terms behind each other.
    expect(await idsOf(`conversation_id:${first} is:reply OR conversation_id:${third} is:reply`)).toEqual([three, one]);
    expect(await idsOf(`(${both}) -from:${BIKES}`)).toEqual([]);
  });

  test.for([
    "(conversation_id:1 OR conversation_id:2",
    "conversation_id:1)",
    "conversation_id:1 OR",
    "-(conversation_id:1 OR conversation_id:2)",
    "-from:1",
    "conversation_id:1 OR -from:1",
    `(${Array.from({ length: 30 }, () => "conversation_id:1").join(" OR ")})`,
  ])("refuses %s", async (query, { expect }) => {
    expect(await search(query)).toMatchObject({ status: 400, json: { title: "Invalid Request" } });
  });
});

test("a post by hand is on the timeline, with an id of its time", async ({ expect }) => {
  const text = uniquely("by hand");
  const created_at = new Date(Date.now() - 3_600_000).toISOString();
  const put = await sandbox.control("POST", "posts", { platform: "twitter", account_id: BIKES, text, created_at });
  const { id } = z.object({ id: z.string() }).parse(put);
  const read = await x("GET", `/2/tweets/${id}?post.fields=created_at`, token);
  expect(read.json).toMatchObject({ data: { text, created_at } });
  const start = new Date(Date.now() - 3_700_000).toISOString();
  const end = new Date(Date.now() - 3_500_000).toISOString();
  const listed = await x("GET", `/2/users/${BIKES}/tweets?start_time=${start}&end_time=${end}`, token);
  expect(listed.json).toMatchObject({ data: [{ id }] });
});

test.for([
  ["html_error", 502],
  ["empty_error", 503],
  ["gateway_refusal", 403],
] as const)("%s comes from a machine in front, at the token endpoint too", async ([kind, status], { expect }) => {
  const calls = {
    token: () => send("https://api.x.com/2/oauth2/token", { method: "POST", body: new URLSearchParams({}) }),
    publish: () => x("POST", "/2/tweets", token, { text: "never" }),
    upload: () => x("POST", "/2/media/upload/1/finalize", token),
    status: () => x("GET", `/2/users/${BIKES}/tweets`, token),
    delete: () => x("DELETE", "/2/tweets/1", token),
    comments: () => x("GET", `/2/users/${BIKES}/mentions`, token),
  };
  for (const [operation, call] of Object.entries(calls)) {
    await sandbox.fault("twitter", operation, kind);
    const answer = await call();
    expect({ operation, status: answer.status, json: answer.json }).toEqual({ operation, status, json: null });
  }
});
