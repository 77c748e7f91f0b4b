import { describe, test } from "vitest";
import type { AccountContext, Json } from "../../src/platforms/context.ts";
import { facebook } from "../../src/platforms/facebook/index.ts";
import { instagram } from "../../src/platforms/instagram/index.ts";
import { linkedin } from "../../src/platforms/linkedin/index.ts";
import { threads } from "../../src/platforms/threads/index.ts";
import { tiktok } from "../../src/platforms/tiktok/index.ts";
import { twitter } from "../../src/platforms/twitter/index.ts";
import { youtube } from "../../src/platforms/youtube/index.ts";
import { ok } from "../platforms/tiktok/upload-script.ts";
import { accountContext, content, image, NOW, scriptedSend, video } from "../scripted-send.ts";

/** One odd item in a list hides nothing: items of an undocumented form are skipped. */

const TEXT = "Fish & chips <today>";
const ESCAPED = "Fish &amp; chips &lt;today&gt;";
const SINCE = NOW - 1_000;
const MADE = new Date(NOW).toISOString();

/** Forms that any field may come in. */
const ODD: readonly unknown[] = [null, "", "text", 7, -1, 1.5, true, [], [null], {}, { text: "x" }, [[]], "NaN"];
/** Items that are none. */
const NONE: readonly unknown[] = [null, "text", 7, false, [], [[]], {}, { id: null }, { id: {} }];

interface Listing {
  /** Another's item, well formed. */
  readonly foreign: Readonly<Record<string, unknown>>;
  /** Ours, in several forms. */
  readonly ours: readonly Readonly<Record<string, unknown>>[];
  /** The fields that identify an item and its owner: without them an item of this text may be ours. */
  find(items: readonly unknown[]): Promise<{ readonly kind: string }>;
  /** What the platform lists if no item is ours. */
  readonly none: "absent" | "unknown";
}

const withScopes = (context: AccountContext, scopes: readonly string[]): AccountContext => ({
  ...context,
  credentials: { ...context.credentials, scopes },
});
const request = { index: 0, previous: [], since: SINCE, taken: new Set<string>() };
const commentRequest = { text: TEXT, since: SINCE, taken: new Set<string>(), progress: null };
const target = (id: string) => ({ post: { id, secondaryId: null, permalink: null }, comment: null });

const PAGE = "urn:li:organization:9001";
const shareAt = (ms: number) => `urn:li:share:${BigInt(ms) << 22n}`;
const snowflake = (ms: number) => String((BigInt(ms) - 1_288_834_974_657n) << 22n);
const settings = { askedAt: NOW, privacy: "PUBLIC_TO_EVERYONE", noComments: false, noDuets: false, noStitches: false };
const task: Json = {
  settings,
  publishId: "",
  address: "",
  openedAt: 0,
  offset: 0,
  parts: 0,
  restarts: 0,
  form: "one",
  isFallback: false,
  breaks: 0,
  stopped: null,
};

const IG = { id: "17841", username: "acme", attributes: { login: "facebook", page: "104" } };
const container = { id: "c", madeAt: NOW, readyAt: NOW, lostAt: null, isPublished: false, attempts: 1 };
const person = { id: "7001", name: null };
const writer = { id: "c1", createdAt: NOW, text: "", author: person };

const LISTINGS: Readonly<Record<string, Listing>> = {
  "posts of X": {
    foreign: {
      id: snowflake(NOW),
      text: "Another",
      created_at: MADE,
      conversation_id: snowflake(NOW),
      author_id: "104",
    },
    ours: [ESCAPED, TEXT].flatMap((text) => [
      { id: snowflake(NOW + 1), text, created_at: MADE, conversation_id: snowflake(NOW + 1) },
      { id: snowflake(NOW + 1), text, created_at: null, conversation_id: snowflake(NOW + 1), entities: null },
      { id: snowflake(NOW + 1), text, created_at: String(NOW), conversation_id: snowflake(NOW + 1), author_id: 104 },
    ]),
    find: (data) => {
      const { send } = scriptedSend({ body: { data, meta: {} } });
      return twitter.posts.find(accountContext(send), content("tweet", [TEXT]), { uploads: [] }, request);
    },
    none: "absent",
  },
  "posts of Facebook": {
    foreign: {
      id: "104_9",
      message: "Another",
      created_time: MADE,
      permalink_url: "https://www.facebook.com/104_9",
      application: { id: "app" },
      attachments: { data: [{ type: "share", target: { id: "5" }, subattachments: { data: [{ type: "photo" }] } }] },
    },
    ours: [TEXT, ESCAPED].flatMap((message) => [
      { id: "104_1", message, created_time: MADE, application: { id: "app" } },
      { id: "104_1", message, created_time: String(NOW / 1000), application: { id: "app" }, attachments: null },
      { id: "104_1", message, created_time: null, permalink_url: null, application: { id: "app", name: 7 } },
    ]),
    find: (data) => {
      const { send } = scriptedSend({ body: { data } });
      return facebook.posts.find(accountContext(send), content("post", [TEXT]), { photos: [], video: null }, request);
    },
    none: "absent",
  },
  "posts of photos of Facebook": {
    foreign: {
      id: "104_9",
      created_time: MADE,
      application: { id: "app" },
      attachments: { data: [{ target: { id: "5" } }] },
    },
    ours: [
      { id: "104_1", application: { id: "app" }, attachments: { data: [{ target: { id: "77" } }] } },
      { id: "104_1", message: null, application: { id: "app" }, attachments: { data: [null, { target: { id: 77 } }] } },
      {
        id: "104_1",
        created_time: 7,
        application: { id: "app" },
        attachments: { data: [{ target: {}, subattachments: { data: [7, { target: { id: "77" } }] } }] },
      },
    ],
    find: (data) => {
      const { send } = scriptedSend({ body: { data } });
      const stored = { photos: ["77"], video: null };
      return facebook.posts.find(accountContext(send), content("post", [TEXT, image("a.jpg")]), stored, request);
    },
    none: "absent",
  },
  "stories of Facebook": {
    foreign: {
      post_id: "9",
      status: "published",
      creation_time: "1790000300",
      media_id: "5",
      url: "https://facebook.com/s/9",
    },
    ours: [
      { post_id: "1", media_id: "77" },
      { post_id: 1, media_id: 77, url: null, creation_time: null },
      { post_id: "1", media_id: "77", url: {}, media_type: 7 },
    ],
    find: (data) => {
      const { send } = scriptedSend({ body: { data } });
      const stored = { photos: ["77"], video: null };
      return facebook.posts.find(accountContext(send), content("story", ["", image("a.jpg")]), stored, request);
    },
    none: "absent",
  },
  "comments of Facebook": {
    foreign: { id: "9", message: "Another", created_time: MADE, from: { id: "104", name: "Acme" } },
    ours: [TEXT, ESCAPED].flatMap((message) => [
      { id: "1", message, created_time: MADE, from: { id: "104" } },
      { id: 1, message, created_time: NOW, from: { id: 104, name: null }, parent: null },
      { id: "1", message, created_time: null, from: { id: "104" }, parent: "none" },
    ]),
    find: (data) => {
      const { send } = scriptedSend({ body: { data } });
      return facebook.comments.find(accountContext(send), target("104_1"), commentRequest);
    },
    none: "absent",
  },
  "posts of Instagram": {
    foreign: {
      id: "9",
      caption: "Another",
      timestamp: MADE,
      permalink: "https://www.instagram.com/p/9/",
      media_type: "IMAGE",
      media_product_type: "FEED",
    },
    ours: [TEXT, ESCAPED].flatMap((caption) => [
      { id: "1", caption, timestamp: MADE, media_type: "IMAGE" },
      { id: 1, caption, timestamp: String(NOW / 1000), media_type: null, children: null },
      { id: "1", caption, timestamp: null, permalink: null, media_type: "IMAGE", children: { data: [null] } },
    ]),
    find: (data) => {
      const { send } = scriptedSend({ body: { id: "c", status_code: "PUBLISHED" } }, { body: { data } });
      const containers = [{ id: "c", madeAt: NOW, isFinished: true }];
      const stored = { containers, unreachable: 0, remakes: 0, returns: 0, former: [] };
      return instagram.posts.find(accountContext(send, IG), content("post", [TEXT, image("a.jpg")]), stored, request);
    },
    none: "unknown",
  },
  "comments of Instagram": {
    foreign: { id: "9", text: "Another", timestamp: MADE, username: "acme", from: { id: "17841", username: "acme" } },
    ours: [TEXT, ESCAPED].flatMap((text) => [
      { id: "1", text, timestamp: MADE, username: "acme" },
      { id: 1, text, timestamp: NOW, from: { id: 17841, username: null }, hidden: null },
      { id: "1", text, timestamp: null, from: { id: "17841", self_ig_scoped_id: {} }, replies: "none" },
    ]),
    find: (data) => {
      const { send } = scriptedSend({ body: { data } });
      return instagram.comments.find(accountContext(send, IG), target("180"), commentRequest);
    },
    none: "absent",
  },
  "posts of Threads": {
    foreign: { id: "9", text: "Another", timestamp: MADE, media_type: "TEXT_POST", is_quote_post: false },
    ours: [TEXT, ESCAPED].flatMap((text) => [
      { id: "1", text, timestamp: MADE, media_type: "TEXT_POST", is_quote_post: false },
      { id: 1, text, timestamp: String(NOW), media_type: null, is_quote_post: null },
      { id: "1", text, timestamp: null, permalink: 7, media_type: "TEXT_POST" },
    ]),
    find: (data) => {
      const { send } = scriptedSend({ body: { id: "c", status: "PUBLISHED" } }, { body: { data } });
      const stored = { items: [{ files: [], own: container }] };
      return threads.posts.find(accountContext(send), content("post", [TEXT]), stored, request);
    },
    none: "unknown",
  },
  "replies of Threads": {
    foreign: { id: "9", text: "Another", timestamp: MADE, media_type: "TEXT_POST", replied_to: { id: "180" } },
    ours: [TEXT, ESCAPED].flatMap((text) => [
      { id: "1", text, timestamp: MADE, media_type: "TEXT_POST", replied_to: { id: "180" } },
      { id: 1, text, timestamp: NOW / 1000, media_type: {}, replied_to: { id: 180 } },
      { id: "1", text, timestamp: [], replied_to: { id: "180" }, is_quote_post: "no" },
    ]),
    find: (data) => {
      const { send } = scriptedSend({ body: { id: "c", status: "FINISHED" } }, { body: { data } });
      const sought = { ...commentRequest, progress: container };
      return threads.comments.find(accountContext(send), target("180"), sought);
    },
    none: "absent",
  },
  "messages of X": {
    foreign: {
      id: "9",
      text: "Another",
      created_at: MADE,
      sender_id: "104",
      event_type: "MessageCreate",
      entities: {},
    },
    ours: [TEXT, ESCAPED].flatMap((text) => [
      { id: "1", text, created_at: MADE, sender_id: "104" },
      { id: 1, text, created_at: String(NOW), sender_id: 104, entities: null },
      { id: "1", text, created_at: null, sender_id: "104", entities: { urls: [null] } },
    ]),
    find: (data) => {
      const { send } = scriptedSend({ body: { data, meta: {} } });
      const to = { ...target("1"), comment: writer };
      return twitter.messages.find(accountContext(send), to, { text: TEXT, since: SINCE, taken: new Set() });
    },
    none: "absent",
  },
  "posts of LinkedIn": {
    foreign: { id: shareAt(NOW), author: PAGE, commentary: "Another", createdAt: NOW, content: {} },
    ours: [TEXT, ESCAPED].flatMap((text) => {
      const commentary = text.replaceAll(/[<>]/g, "\\$&");
      return [
        { id: shareAt(NOW + 1), author: PAGE, commentary, createdAt: NOW },
        { id: shareAt(NOW + 1), author: PAGE, commentary, createdAt: String(NOW), content: null },
        { id: shareAt(NOW + 1), author: null, commentary, createdAt: "soon", publishedAt: null, content: {} },
      ];
    }),
    find: (elements) => {
      const { send } = scriptedSend({ body: { elements } });
      const context = withScopes(accountContext(send, { id: PAGE }), ["r_organization_social"]);
      return linkedin.posts.find(context, content("post", [TEXT]), null, request);
    },
    none: "absent",
  },
  "comments of LinkedIn": {
    foreign: {
      id: "7500135000000000001",
      actor: "urn:li:person:q",
      message: { text: "Another" },
      created: { time: NOW },
    },
    ours: [TEXT, ESCAPED].flatMap((text) => [
      {
        id: "7500135000000000002",
        actor: PAGE,
        object: "urn:li:activity:1",
        message: { text },
        created: { time: NOW },
      },
      { id: 7, actor: PAGE, message: { text, attributes: null }, created: { time: String(NOW) }, parentComment: null },
      { id: String(BigInt(NOW) << 22n), actor: PAGE, message: { text }, created: null, commentUrn: null },
    ]),
    find: (elements) => {
      const { send } = scriptedSend({ body: { elements } });
      return linkedin.comments.find(accountContext(send, { id: PAGE }), target("urn:li:share:1"), commentRequest);
    },
    none: "absent",
  },
  "comments of YouTube": {
    foreign: {
      id: "Ug1",
      snippet: {
        topLevelComment: {
          snippet: { textOriginal: "Another", authorChannelId: { value: "UCother" }, publishedAt: MADE },
        },
      },
    },
    ours: [TEXT, ESCAPED].flatMap((text) =>
      [
        { textOriginal: text, authorChannelId: { value: "104" }, publishedAt: MADE },
        { textOriginal: null, textDisplay: text, authorChannelId: { value: "104" }, publishedAt: null },
        { textDisplay: text, authorChannelId: { value: "104" }, publishedAt: NOW, authorDisplayName: 7 },
      ].map((snippet) => ({ id: "Ug2", snippet: { topLevelComment: { snippet } } })),
    ),
    find: (items) => {
      const { send } = scriptedSend({ body: { items } }, { body: {} }, { body: { items: null } });
      return youtube.comments.find(accountContext(send), target("aB3"), commentRequest);
    },
    none: "absent",
  },
  "uploads of YouTube": {
    foreign: { snippet: { publishedAt: MADE, title: "Another" }, contentDetails: { videoId: "other" } },
    ours: [
      { snippet: { publishedAt: MADE }, contentDetails: { videoId: "ours" } },
      { snippet: { publishedAt: NOW }, contentDetails: { videoId: "ours" } },
      { snippet: null, contentDetails: { videoId: "ours" } },
    ],
    find: (items) => {
      const known = { id: "ours", fileDetails: { fileName: "belfry-1.mp4", fileSize: "3" } };
      const videos = { items: [null, { id: 7 }, { id: "other", snippet: 7, fileDetails: "none" }, known] };
      const { send } = scriptedSend({ status: 404, body: "Not Found" }, { body: { items } }, { body: videos });
      const extra = { title: TEXT, category: 22, privacyStatus: "public" } as const;
      const stored = {
        session: "https://www.googleapis.com/upload/x",
        name: "belfry-1.mp4",
        offset: 0,
        parts: 0,
        restarts: 0,
      };
      return youtube.posts.find(
        accountContext(send),
        { ...content("post", ["x", video("v.mp4")]), extra },
        stored,
        request,
      );
    },
    none: "unknown",
  },
  "photo posts of TikTok": {
    foreign: { id: "1", title: "", video_description: "Another", create_time: NOW / 1000 },
    ours: [TEXT, ESCAPED].flatMap((text) => [
      { id: "2", title: "", video_description: text, create_time: NOW / 1000 },
      { id: 2, title: text, video_description: null, create_time: String(NOW / 1000) },
      { id: "2", title: 7, video_description: text, create_time: null },
    ]),
    find: (videos) => {
      const { send } = scriptedSend(ok({ videos, cursor: NOW, has_more: false }));
      const context = withScopes(accountContext(send), ["video.list"]);
      return tiktok.posts.find(context, content("post", [TEXT, image("a.jpg")]), task, request);
    },
    none: "unknown",
  },
  "comments of TikTok": {
    foreign: { comment_id: "1", text: "Another", create_time: String(NOW / 1000), owner: false },
    ours: [TEXT, ESCAPED].flatMap((text) => [
      { comment_id: "2", text, create_time: String(NOW / 1000), owner: true, reply_list: [] },
      { comment_id: 2, text, create_time: NOW / 1000, owner: true, reply_list: null, username: 7 },
      { comment_id: "2", text, create_time: MADE, owner: true, parent_comment_id: null },
    ]),
    find: (comments) => {
      const { send } = scriptedSend({ body: { code: 0, message: "OK", data: { comments, has_more: false } } });
      return tiktok.comments.find(accountContext(send), target("7430000000000000123"), commentRequest);
    },
    none: "unknown",
  },
};

/** The foreign item with each of its fields, however deep, in each odd form. */
function* spoiled(item: Readonly<Record<string, unknown>>): Generator<Readonly<Record<string, unknown>>> {
  for (const [name, value] of Object.entries(item)) {
    for (const odd of ODD) yield { ...item, [name]: odd };
    const { [name]: _, ...without } = item;
    yield without;
    if (value instanceof Object && !Array.isArray(value)) {
      for (const inner of spoiled(value as Readonly<Record<string, unknown>>)) yield { ...item, [name]: inner };
    }
  }
}

describe.for(Object.entries(LISTINGS))("%s", ([, { foreign, ours, find, none }]) => {
  const odd = [...NONE, ...spoiled(foreign), ...[...spoiled(foreign)].map((one) => ({ ...one, unheard_of: {} }))];

  test("ours is found in each of its forms", async ({ expect }) => {
    for (const own of ours) expect(await find([foreign, own]), JSON.stringify(own)).toMatchObject({ kind: "found" });
  });

  test("ours is found beside any odd item of others", async ({ expect }) => {
    for (const one of odd) {
      expect(await find([one, ours[0]]), JSON.stringify(one)).toMatchObject({ kind: "found" });
    }
  });

  test("an odd item of others refuses no list", async ({ expect }) => {
    for (const one of odd) {
      expect(["absent", "unknown"], JSON.stringify(one)).toContain((await find([one])).kind);
    }
    for (const one of NONE) expect(await find([one]), JSON.stringify(one)).toMatchObject({ kind: none });
    expect(await find([foreign])).toMatchObject({ kind: none });
  });
});

test("a story that shows our photo, but not its id, is not taken for absent", async ({ expect }) => {
  const { send } = scriptedSend({ body: { data: [{ post_id: null, media_id: "77" }] } });
  const stored = { photos: ["77"], video: null };
  const outcome = await facebook.posts.find(
    accountContext(send),
    content("story", ["", image("a.jpg")]),
    stored,
    request,
  );
  expect(outcome).toMatchObject({ kind: "unknown", mayBeLive: true });
});
