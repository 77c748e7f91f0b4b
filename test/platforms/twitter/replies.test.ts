import { describe, test } from "vitest";
import type { AnsweredComment } from "../../../src/platforms/commenting.ts";
import { twitter } from "../../../src/platforms/twitter/index.ts";
import { accountContext, NOW, type Scripted, scriptedSend } from "../../scripted-send.ts";
import { DAY } from "../../support/times.ts";

/** What others answer to a post on X, answering it, and writing to them. */

const POST = { id: "900", secondaryId: null, permalink: null };
const { comments, messages } = twitter;

const read = (
  answers: readonly (Scripted | "lost")[],
  more: { cursor?: string; since?: number } = {},
  items = [POST],
) => {
  const { send, calls } = scriptedSend(...answers);
  const request = { cursor: more.cursor ?? null, since: more.since ?? NOW - DAY };
  return { calls, page: comments.reading?.list(accountContext(send), items, request) };
};
const MISSPELT: Scripted = {
  status: 400,
  body: {
    title: "Invalid Request",
    type: "https://api.x.com/2/problems/invalid-request",
    status: 400,
    errors: [{ message: "The query parameter [post.fields] is not known", parameters: { "post.fields": [] } }],
  },
};
const USERS = { users: [{ id: "555", name: "Ana", username: "ana" }] };
const reply = (id: string, parent: string, more: object = {}, name = "referenced_posts") => ({
  id,
  text: "@acme R&amp;D, what does it weigh?",
  author_id: "555",
  conversation_id: "900",
  created_at: "2026-11-20T11:00:00.000Z",
  [name]: [{ type: "replied_to", id: parent }],
  ...more,
});
const READ = {
  id: "901",
  author: { id: "555", name: "Ana" },
  createdAt: NOW - 3_600_000,
  text: "@acme R&D, what does it weigh?",
  isTopLevel: true,
  isOwn: false,
};

describe("reading replies", () => {
  test("nothing found is an empty page, and an answer without either is a temporary error", async ({ expect }) => {
    const nothing = { body: { meta: { result_count: 0 } } };
    expect(await read([nothing]).page).toEqual({ kind: "page", comments: [], next: null });
    expect(await read([{ body: {} }]).page).toMatchObject({ kind: "failed", reason: "down" });
    expect(await read(["lost"]).page).toMatchObject({ kind: "failed", reason: "down" });
  });

  test.for([
    ["before the seven days", NOW - 30 * DAY, "2026-11-13T12:05:00.000Z"],
    ["within the last minute", NOW - 1000, "2026-11-20T11:59:00.000Z"],
    ["in between", NOW - DAY - 1, "2026-11-19T11:59:59.999Z"],
  ] as const)("a moment %s is requested as X takes it", async ([, since, start_time], { expect }) => {
    const { page, calls } = read([{ body: { meta: { result_count: 0 } } }], { since });
    await page;
    expect(calls[0]?.query).toMatchObject({ start_time });
  });

  test("what answers any item of a thread answers the post; what X does not show does not", async ({ expect }) => {
    const second = { ...POST, id: "950" };
    const unseen = { ...reply("903", "0"), referenced_posts: undefined, author_id: undefined, created_at: undefined };
    const id = String((BigInt(NOW - 1_288_834_974_657) << 22n) + 7n);
    const data = [reply("901", "950"), { ...unseen, id }];
    const { page } = read([{ body: { data, meta: {} } }], {}, [POST, second]);
    expect(await page).toMatchObject({
      comments: [
        { isTopLevel: true, author: { id: "555", name: null } },
        { id, isTopLevel: false, author: null, isOwn: null, createdAt: NOW },
      ],
    });
  });

  test("an edited reply keeps its first id, and a long one its whole text", async ({ expect }) => {
    const edited = reply("905", "900", { edit_history_post_ids: ["901", "905"], note_post: { text: "All of it" } });
    const { page } = read([{ body: { data: [edited], meta: {} } }]);
    expect(await page).toMatchObject({ comments: [{ id: "901", text: "All of it" }] });
  });

  test("a cursor goes on, and one that X no longer takes starts again", async ({ expect }) => {
    const empty = { body: { meta: { result_count: 0 } } };
    const going = read([empty], { cursor: "N2" });
    await going.page;
    expect(going.calls[0]?.query).toMatchObject({ next_token: "N2" });
    const { page, calls } = read([MISSPELT, MISSPELT, empty], { cursor: "N2" });
    expect(await page).toMatchObject({ kind: "page" });
    expect(calls.map(({ query }) => query?.next_token)).toEqual(["N2", "N2", undefined]);
  });

  const together = (ids: readonly string[], body: object, since = NOW - DAY) => {
    const { send, calls } = scriptedSend({ body });
    const wanted = ids.map((id, index) => ({ posts: [{ ...POST, id }], since: since + index }));
    return { calls, page: comments.reading?.several?.list(accountContext(send), wanted) };
  };

  test("several conversations are searched at once, and distinguished", async ({ expect }) => {
    const other = reply("911", "910", { conversation_id: "910" });
    const foreign = reply("921", "920", { conversation_id: "920" });
    const old = reply("912", "910", { conversation_id: "910", created_at: "2026-11-19T11:00:00.000Z" });
    const data = [other, reply("901", "900"), foreign, old];
    const { page, calls } = together(["900", "910"], { data, includes: USERS, meta: {} });
    expect(await page).toEqual({
      kind: "page",
      comments: [[READ], [{ ...READ, id: "911" }]],
      wholeAfter: Number.NEGATIVE_INFINITY,
    });
    expect(calls).toHaveLength(1);
    expect(calls[0]?.query).toMatchObject({
      query: "(conversation_id:900 OR conversation_id:910) -from:104",
      start_time: "2026-11-19T12:00:00.000Z",
      max_results: 100,
    });
  });

  test("a search that goes on, or shows a reply of no conversation, says back to when it is whole", async ({
    expect,
  }) => {
    const going = together(["900", "910"], { data: [reply("901", "900")], meta: { next_token: "N2" } });
    expect(await going.page).toMatchObject({ wholeAfter: NOW - 3_600_000 });
    const lost = reply("902", "900", { conversation_id: undefined, created_at: "2026-11-20T10:00:00.000Z" });
    expect(await together(["900", "910"], { data: [lost], meta: {} }).page).toMatchObject({
      comments: [[], []],
      wholeAfter: NOW - 7_200_000,
    });
  });

  test("as many conversations are searched at once as a query of 512 characters holds", async ({ expect }) => {
    const most = comments.reading?.several?.most ?? 0;
    const query = async (count: number) => {
      const ids = Array.from({ length: count }, (_, index) => String(10n ** 18n + BigInt(index)));
      const { send, calls } = scriptedSend({ body: { meta: { result_count: 0 } } });
      const context = accountContext(send, { id: "9".repeat(19) });
      await comments.reading?.several?.list(
        context,
        ids.map((id) => ({ posts: [{ ...POST, id }], since: NOW })),
      );
      return String(calls[0]?.query?.query).length;
    };
    expect(await query(most)).toBeLessThanOrEqual(512);
    expect(await query(most + 1)).toBeGreaterThan(512);
  });
});

const COMMENT: AnsweredComment = { id: "901", author: { id: "555", name: "Ana" }, createdAt: NOW - 600_000 };
const NOT_VISIBLE: Scripted = {
  status: 403,
  body: {
    title: "Forbidden",
    type: "about:blank",
    status: 403,
    detail: "You attempted to reply to a Tweet that is deleted or not visible to you.",
  },
};

describe("answering a reply", () => {
  const create = (answer: Scripted, comment: AnsweredComment | null) => {
    const { send, calls } = scriptedSend(answer);
    return { calls, outcome: comments.create(accountContext(send), { post: POST, comment }, "9.8 kg", null) };
  };

  test("ends where the reply is gone, and waits where it is new", async ({ expect }) => {
    expect(await create(NOT_VISIBLE, COMMENT).outcome).toMatchObject({ reason: "rejected" });
    const fresh = { ...COMMENT, createdAt: NOW - 5_000 };
    expect(await create(NOT_VISIBLE, fresh).outcome).toMatchObject({ reason: "down", retryAfterSeconds: 2 });
    expect(await create(NOT_VISIBLE, null).outcome).toMatchObject({ reason: "down" });
  });

  test("is found where it answers that reply, and nowhere else", async ({ expect }) => {
    const listed = (parent: string) => ({
      body: {
        data: [{ ...reply("990", parent), text: "9.8 kg", created_at: new Date(NOW - 1000).toISOString() }],
        meta: {},
      },
    });
    const find = (parent: string, taken: readonly string[] = []) => {
      const { send } = scriptedSend(listed(parent));
      const request = { text: "9.8 kg", since: NOW - 2000, taken: new Set(taken), progress: null };
      return comments.find(accountContext(send), { post: POST, comment: COMMENT }, request);
    };
    expect(await find("901")).toEqual({ kind: "found", id: "990" });
    expect(await find("900")).toEqual({ kind: "absent" });
    expect(await find("901", ["990"])).toEqual({ kind: "absent" });
  });
});

describe("a direct message", () => {
  const target = { post: POST, comment: COMMENT };
  const send = (answer: Scripted | "lost", to = target) => {
    const { send: transport, calls } = scriptedSend(answer);
    return { calls, outcome: messages.send(accountContext(transport), to, "Hi Ana") };
  };

  test("is unconfirmed where the answer was lost, and is not sent without a recipient", async ({ expect }) => {
    expect(await send("lost").outcome).toMatchObject({ kind: "unknown" });
    expect(await send({ status: 503, body: { title: "x", status: 503, detail: "x" } }).outcome).toMatchObject({
      kind: "unknown",
    });
    const { outcome, calls } = send("lost", { ...target, comment: { ...COMMENT, author: null } });
    expect(await outcome).toMatchObject({ reason: "rejected" });
    expect(calls).toEqual([]);
  });

  const event = (text: string, more: object = {}) => ({
    id: "77",
    text,
    event_type: "MessageCreate",
    created_at: new Date(NOW - 1000).toISOString(),
    sender_id: "104",
    ...more,
  });
  const OLD = { created_at: new Date(NOW - 120_000).toISOString() };
  const shortened = { entities: { urls: [{ url: "https://t.co/Ab1", expanded_url: "https://acme.example/x" }] } };
  test.for([
    ["ours", [event("Hi &amp; see https://t.co/Ab1", shortened)], { kind: "found", id: "77" }],
    ["somebody else's", [event("Hi & see https://acme.example/x", { sender_id: "555" })], { kind: "absent" }],
    ["another text", [event("Something else")], { kind: "absent" }],
    ["an older one", [event("Hi & see https://acme.example/x", OLD)], { kind: "absent" }],
    [
      "one of nobody reported",
      [event("Hi & see https://acme.example/x", { sender_id: undefined })],
      { kind: "unknown" },
    ],
    ["one whose link is not shown", [event("Hi & see https://t.co/Ab1")], { kind: "unknown" }],
  ] as const)("is looked for among what was sent: %s", async ([, data, outcome], { expect }) => {
    const { send: transport, calls } = scriptedSend({ body: { data, meta: { result_count: 1 } } });
    const request = { text: "Hi & see https://acme.example/x", since: NOW - 2000, taken: new Set<string>() };
    expect(await messages.find(accountContext(transport), target, request)).toMatchObject(outcome);
    expect(calls[0]).toMatchObject({ url: "https://api.x.com/2/dm_conversations/with/555/dm_events" });
  });

  test("is not known to be absent where not all was read", async ({ expect }) => {
    const page = { body: { data: [event("Other")], meta: { next_token: "N" } } };
    const find = (...answers: Scripted[]) =>
      messages.find(accountContext(scriptedSend(...answers).send), target, {
        text: "Hi",
        since: NOW - 2000,
        taken: new Set(),
      });
    expect(await find(page, { body: { data: [event("More")], meta: { next_token: "N2" } } })).toMatchObject({
      kind: "unknown",
    });
    expect(await find(page, { body: { data: [event("Old", OLD)], meta: { next_token: "N2" } } })).toEqual({
      kind: "absent",
    });
    expect(await find({ body: { meta: { result_count: 0 } } })).toEqual({ kind: "absent" });
  });
});
