import { beforeEach, describe, expect, test } from "vitest";
import { z } from "zod";
import type { AccountContext, PageSize } from "../../../src/platforms/context.ts";
import { FACEBOOK } from "../../../src/platforms/facebook/api.ts";
import { facebook } from "../../../src/platforms/facebook/index.ts";
import { listMedia } from "../../../src/platforms/instagram/find.ts";
import { PlatformId } from "../../../src/platforms/json.ts";
import { get, graphClient } from "../../../src/platforms/meta/graph.ts";
import type { Send } from "../../../src/platforms/request.ts";
import { threads } from "../../../src/platforms/threads/index.ts";
import { accountContext, NOW, pageSizesIn } from "../../scripted-send.ts";
import { HOUR } from "../../support/times.ts";

/** Graph refuses a list that would be too large (code 1): smaller pages follow, and are remembered. */

const TOO_MUCH = {
  error: {
    code: 1,
    message: "Please reduce the amount of data you're asking for, then retry your request",
    type: "OAuthException",
    fbtrace_id: "A1",
  },
};

/** A list of numbered items, of which Graph gives at most `most` at once. */
function busy(most: () => number, total = 300, itemOf: (id: number) => object = (id) => ({ id: `${id}` })) {
  const sizes: number[] = [];
  const reach: Send = async ({ query = {} }) => {
    const limit = Number(query.limit);
    sizes.push(limit);
    const isTooMuch = limit > most();
    const from = Number(query.after ?? 0);
    const end = Math.min(total, from + limit);
    const data = Array.from({ length: end - from }, (_, at) => itemOf(from + at));
    const paging = {
      cursors: { after: `${end}` },
      ...(end < total ? { next: "https://graph.facebook.com/next" } : {}),
    };
    const body = isTooMuch ? TOO_MUCH : { data, paging };
    return { kind: "answered", status: isTooMuch ? 500 : 200, headers: new Headers(), text: "", body };
  };
  return { reach, sizes };
}

const account = "104";
let sizesKept = new Map<string, PageSize>();
beforeEach(() => {
  sizesKept = new Map();
});
const contextFor = (reach: Send, now = NOW): AccountContext => ({
  ...accountContext(reach, { id: account }),
  now,
  pageSizes: pageSizesIn(sizesKept),
});

describe("a list", () => {
  const Item = z.object({ id: PlatformId });
  async function read(reach: Send, { edge = "comments", now = NOW, pages = 10 } = {}) {
    const graph = graphClient(FACEBOOK, contextFor(reach, now), "TOKEN");
    const listed = await graph.list((after) => graph.request(get(`9/${edge}`, { limit: 100, after })), Item, pages);
    if (listed.kind === "failed") throw new Error(listed.message);
    return listed;
  }

  test("is read whole in pages that are halved until Graph gives them, each item once", async () => {
    const { reach, sizes } = busy(() => 30);
    const listed = await read(reach);
    expect(listed.isWhole).toBe(true);
    expect(listed.items.map(({ id }) => id)).toEqual(Array.from({ length: 300 }, (_, id) => `${id}`));
    expect(sizes.slice(0, 4)).toEqual([100, 50, 25, 25]);
  });

  test("begins with the size that worked, for this account and kind of list only", async () => {
    const { reach, sizes } = busy(() => 30, 20);
    await read(reach);
    sizes.length = 0;
    await read(reach);
    expect(sizes).toEqual([25]);
    sizes.length = 0;
    await read(reach, { edge: "published_posts" });
    expect(sizes[0]).toBe(100);
    sizes.length = 0;
    sizesKept = new Map();
    await read(reach);
    expect(sizes[0]).toBe(100);
  });

  test("keeps its size by one write, after the last refusal", async () => {
    const { reach } = busy(() => 10, 3);
    const writes: string[] = [];
    const counted = pageSizesIn(sizesKept);
    const keep: typeof counted.keep = (list, size) => {
      writes.push(`${list} ${size.size}`);
      return counted.keep(list, size);
    };
    const graph = graphClient(FACEBOOK, { ...contextFor(reach), pageSizes: { ...counted, keep } }, "TOKEN");
    for (let times = 0; times < 2; times += 1) await graph.request(get("9/comments", { limit: 100 }));
    expect(writes).toEqual(["graph.facebook.com/comments 6"]);
  });

  test("goes back up: the size doubles with each hour without a refusal", async () => {
    const { reach, sizes } = busy(() => 100, 3);
    const slow = busy(() => 10, 3);
    await read(slow.reach);
    expect(slow.sizes).toEqual([100, 50, 25, 12, 6]);
    for (const [hours, size] of [
      [0.5, 6],
      [1, 12],
      [3, 48],
      [5, 100],
      [5, 100],
    ] as const) {
      sizes.length = 0;
      await read(reach, { now: NOW + hours * HOUR });
      expect(sizes).toEqual([size]);
    }
  });

  test("is requested down to one item, and then waits: no call is repeated without end", async () => {
    const { reach, sizes } = busy(() => 0);
    const graph = graphClient(FACEBOOK, contextFor(reach), "TOKEN");
    const read = await graph.list((after) => graph.request(get("9/comments", { limit: 100, after })), Item, 3);
    expect(read).toMatchObject({ kind: "failed", reason: "down" });
    expect(sizes).toEqual([100, 50, 25, 12, 6, 3, 1]);
  });

  test("of another refusal with code 1 is not requested again", async () => {
    const sizes: number[] = [];
    const reach: Send = async ({ query = {} }) => {
      sizes.push(Number(query.limit));
      const body = { error: { ...TOO_MUCH.error, message: "An unknown error occurred" } };
      return { kind: "answered", status: 500, headers: new Headers(), text: "", body };
    };
    const graph = graphClient(FACEBOOK, contextFor(reach), "TOKEN");
    await graph.list((after) => graph.request(get("9/comments", { limit: 100, after })), Item, 3);
    expect(sizes).toEqual([100]);
  });
});

test("conversations, comments, posts and media are all read so", async () => {
  const created_time = new Date(NOW).toISOString();
  const conversation = (id: number) => ({
    id: `t_${id}`,
    updated_time: created_time,
    participants: { data: [{ id: `person${id}` }, { id: account }] },
    messages: { data: [{ id: `m${id}`, message: "Hello", from: { id: `person${id}` }, created_time }] },
  });
  const inbox = busy(() => 7, 40, conversation);
  const messages = await facebook.conversations.read(contextFor(inbox.reach), NOW - HOUR);
  expect(messages).toMatchObject({ kind: "read" });
  expect(messages.kind === "read" ? messages.messages.length : 0).toBe(40);
  const comment = (id: number) => ({ id: `${id}`, message: "Hi", created_time, from: { id: "ada" } });
  const of = [{ id: "9_1", secondaryId: null, permalink: null }];
  const talk = busy(() => 40, 60, comment);
  const page = await facebook.comments.reading?.list(contextFor(talk.reach), of, { cursor: null, since: 0 });
  expect(page).toMatchObject({ kind: "page", next: "25" });
  const shown = busy(
    () => 40,
    60,
    (id) => ({ id: `${id}`, timestamp: created_time }),
  );
  expect(await listMedia(contextFor(shown.reach), "media", { maxPages: 2 })).toMatchObject({ isWhole: true });
  const replies = busy(
    () => 40,
    60,
    (id) => ({ id: `${id}`, text: "Hi", username: "ada", timestamp: created_time }),
  );
  expect(await threads.comments.reading?.list(contextFor(replies.reach), of, { cursor: null, since: 0 })).toMatchObject(
    { kind: "page" },
  );
});
