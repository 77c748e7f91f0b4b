import { describe, test } from "vitest";
import { instagram } from "../../../src/platforms/instagram/index.ts";
import { accountContext, NOW, type Scripted, scriptedSend } from "../../scripted-send.ts";
import { MINUTE } from "../../support/times.ts";
import { list, refused, time } from "../meta/graph-answers.ts";

/**
 * What people write under an account's posts: read, answered in public, answered by a message; with both
 * logins.
 */

const { comments, messages } = instagram;
const LINKED = { id: "17841", username: "fernandoak", attributes: { login: "facebook", page_id: "105" } };
const ALONE = { id: "17841", username: "fernandoak", attributes: { login: "instagram" } };
const POST = { id: "180", secondaryId: null, permalink: null };
const FACEBOOK = "https://graph.facebook.com/v27.0";
const INSTAGRAM = "https://graph.instagram.com/v27.0";

const written = (id: string, more: object = {}) => ({
  id,
  text: "Still in stock?",
  timestamp: time(1000),
  username: "ada.l",
  from: { id: "910", username: "ada.l" },
  ...more,
});
const own = (id: string, more: object = {}) =>
  written(id, { username: "fernandoak", from: { id: "17841", username: "fernandoak" }, ...more });
const goesOn = (after: string, ...data: readonly object[]): Scripted => ({
  body: { data, paging: { cursors: { after }, next: `${FACEBOOK}/next` } },
});
const MISSING = refused(100, 33);

describe("reading", () => {
  const { reading } = comments;
  async function read(cursor: string | null, account: object, ...answers: readonly (Scripted | "lost")[]) {
    const { send, calls } = scriptedSend(...answers);
    return { page: await reading.list(accountContext(send, account), [POST], { cursor, since: NOW }), calls };
  }

  test("leaves out hidden comments, with what answers them", async ({ expect }) => {
    const answered = written("1", { hidden: true, replies: { data: [written("2")] } });
    const shown = written("3", { hidden: false, replies: { data: [written("4", { hidden: true }), written("5")] } });
    const { page } = await read(null, ALONE, list(answered, shown));
    expect(page.kind === "page" && page.comments.map(({ id }) => id)).toEqual(["3", "5"]);
  });

  test("reads a page with odd items in it", async ({ expect }) => {
    const odd = [null, "x", [], {}, { id: null }].map((one) => one as unknown as object);
    const { page } = await read(null, LINKED, list(...odd, written("1", { from: 7, replies: "none" })));
    expect(page.kind === "page" && page.comments.map(({ id }) => id)).toEqual(["1"]);
  });

  test("reports answers beside the comments that they answer", async ({ expect }) => {
    const answered = written("1", { replies: { data: [own("2"), written("3")] } });
    const { page } = await read(null, LINKED, goesOn("A", answered, written("4", { text: undefined })));
    const ada = { author: { id: "910", name: "ada.l" }, createdAt: NOW + 1000, text: "Still in stock?", isOwn: false };
    const us = { author: { id: "17841", name: "fernandoak" }, isOwn: true };
    expect(page).toEqual({
      kind: "page",
      next: "A",
      comments: [
        { ...ada, id: "1", isTopLevel: true },
        { ...ada, ...us, id: "2", isTopLevel: false },
        { ...ada, id: "3", isTopLevel: false },
        { ...ada, id: "4", text: "", isTopLevel: true },
      ],
    });
  });

  test.for([
    ["by another id, under our name", { id: "9", username: "fernandoak" }, undefined, { isOwn: true }],
    ["by our id, under a name of before", { id: "17841", username: "fern" }, "fern", { isOwn: true }],
    ["by nobody who is shown", undefined, undefined, { author: null, isOwn: null }],
    ["by an id alone", { id: "9" }, undefined, { author: { id: "9", name: null }, isOwn: null }],
    ["by a name alone", undefined, "ada.l", { author: { id: "ada.l", name: "ada.l" }, isOwn: false }],
  ] as const)("what is written %s", async ([, from, username, expected], { expect }) => {
    const { page } = await read(null, LINKED, list(written("1", { from, username })));
    expect(page).toMatchObject({ comments: [expected] });
  });

  test("leaves out what has no time", async ({ expect }) => {
    const answered = written("1", { timestamp: undefined, replies: { data: [written("2")] } });
    expect((await read(null, LINKED, list(answered))).page).toMatchObject({ comments: [{ id: "2" }] });
  });

  test("starts again where the cursor is no longer known, and fails for a post that is gone", async ({ expect }) => {
    const { page, calls } = await read("OLD", LINKED, refused(100), list(written("1")));
    expect(page).toMatchObject({ comments: [{ id: "1" }], next: null });
    expect(calls.map(({ query }) => query?.after)).toEqual(["OLD", undefined]);
    expect((await read("A", LINKED, MISSING)).page).toMatchObject({ kind: "failed", reason: "rejected" });
    expect((await read(null, LINKED, refused(10))).page).toMatchObject({ reason: "permission_missing" });
  });
});

describe("an answer", () => {
  const THEIRS = { id: "1787", author: { id: "910", name: "ada.l" }, createdAt: NOW - MINUTE };
  const target = { post: POST, comment: THEIRS };
  const text = "Yes, plenty";
  const ours = (id: string, more: object = {}) => own(id, { text, ...more });
  async function find(...answers: readonly (Scripted | "lost")[]) {
    const { send, calls } = scriptedSend(...answers);
    const request = { text, since: NOW, taken: new Set(["taken"]), progress: null };
    return { outcome: await comments.find(accountContext(send, LINKED), target, request), calls };
  }
  const TOP: Scripted = { body: { id: "1787" } };

  test("is found among the answers to that comment", async ({ expect }) => {
    const { outcome, calls } = await find(TOP, list(written("3"), ours("taken"), ours("1")));
    expect(outcome).toEqual({ kind: "found", id: "1" });
    expect(calls.map(({ url }) => url)).toEqual([`${FACEBOOK}/1787`, `${FACEBOOK}/1787/replies`]);
  });

  test("to an answer is found under what that answers", async ({ expect }) => {
    const { outcome, calls } = await find({ body: { id: "1787", parent_id: "1700" } }, list(ours("1")));
    expect(outcome).toEqual({ kind: "found", id: "1" });
    expect(calls[1]?.url).toBe(`${FACEBOOK}/1700/replies`);
  });

  test.for([
    ["there are none", [TOP, list()], { kind: "absent" }],
    ["others have said it", [TOP, list(written("1", { text }))], { kind: "absent" }],
    ["it was said before", [TOP, list(ours("1", { timestamp: time(-2 * MINUTE) }))], { kind: "absent" }],
    ["nobody is shown", [TOP, list(written("1", { text, from: undefined, username: undefined }))], { kind: "unknown" }],
    [
      "only an id is shown",
      [TOP, list(written("1", { text, from: { id: "9" }, username: undefined }))],
      { kind: "unknown" },
    ],
    ["there are too many", [TOP, goesOn("1"), goesOn("2"), goesOn("3"), goesOn("4")], { kind: "unknown" }],
    ["the comment cannot be read", [MISSING], { kind: "failed", reason: "rejected" }],
    ["the answers cannot be read", [TOP, "lost"], { kind: "failed", reason: "down" }],
  ] as const)("is looked for where %s", async ([, answers, expected], { expect }) => {
    expect((await find(...answers)).outcome).toMatchObject(expected);
  });
});

describe("a message", () => {
  const to = { post: POST, comment: { id: "1787", author: { id: "910", name: "ada.l" }, createdAt: NOW - MINUTE } };
  const PAGE: Scripted = { body: { id: "105", access_token: "PAGE" } };
  async function sent(account: object, ...answers: readonly (Scripted | "lost")[]) {
    const { send, calls } = scriptedSend(...answers);
    return { outcome: await messages.send(accountContext(send, account), to, "Here it is"), calls };
  }
  const SENT: Scripted = { body: { recipient_id: "910", message_id: "aWdf1" } };

  test("is the Page's with Facebook Login, by a token of its own, which is proven", async ({ expect }) => {
    const { outcome, calls } = await sent(LINKED, PAGE, SENT);
    expect(outcome).toEqual({ kind: "sent", id: "aWdf1" });
    expect(calls).toMatchObject([
      { method: "GET", url: `${FACEBOOK}/105`, query: { fields: "access_token" } },
      {
        method: "POST",
        url: `${FACEBOOK}/105/messages`,
        headers: { authorization: "Bearer PAGE" },
        form: { recipient: '{"comment_id":"1787"}', message: '{"text":"Here it is"}' },
      },
    ]);
    expect(calls[1]?.form?.appsecret_proof).not.toBe(calls[0]?.query?.appsecret_proof);
  });

  test("is the account's with Instagram Login", async ({ expect }) => {
    const { outcome, calls } = await sent(ALONE, SENT);
    expect(outcome).toEqual({ kind: "sent", id: "aWdf1" });
    expect(calls).toMatchObject([
      { method: "POST", url: `${INSTAGRAM}/17841/messages`, headers: { authorization: "Bearer TOKEN" } },
    ]);
  });

  test.for([
    ["the Page is not open to the person", { body: { id: "105" } }, "permission_missing"],
    ["the token is over", refused(190, 463), "token_expired"],
    ["the Page cannot be read", "lost", "down"],
  ] as const)("is surely not sent where %s", async ([, answer, reason], { expect }) => {
    expect((await sent(LINKED, answer)).outcome).toMatchObject({ kind: "failed", reason });
  });

  test("wants to know the Page of an account that is linked to one", async ({ expect }) => {
    const { outcome, calls } = await sent({ ...LINKED, attributes: { login: "facebook" } });
    expect(outcome).toMatchObject({ kind: "failed", reason: "rejected" });
    expect(calls).toEqual([]);
  });

  test.for([
    ["lost", { kind: "unknown" }],
    [refused(10_900), { kind: "duplicate" }],
    [refused(100, 2_534_015), { kind: "failed", reason: "rejected", code: "content_invalid" }],
    [refused(10, 2_534_999), { kind: "failed", reason: "rejected" }],
    [refused(10), { kind: "failed", reason: "permission_missing" }],
  ] as const)("meets %o", async ([answer, expected], { expect }) => {
    expect((await sent(ALONE, answer)).outcome).toMatchObject(expected);
    expect((await sent(LINKED, PAGE, answer)).outcome).toMatchObject(expected);
  });

  async function find(account: object, more: object, ...answers: readonly (Scripted | "lost")[]) {
    const { send, calls } = scriptedSend(...answers);
    const target = { post: POST, comment: { ...to.comment, ...more } };
    return {
      outcome: await messages.find(accountContext(send, account), target, {
        text: "Here it is",
        since: NOW,
        taken: new Set(),
      }),
      calls,
    };
  }
  const said = (more: object = {}) => ({
    id: "m1",
    message: "Here  it is",
    from: { id: "17841" },
    created_time: time(1000),
    ...more,
  });
  const conversation = (...data: readonly object[]) => list({ id: "t", messages: { data } });

  test("is found in the conversation with the person", async ({ expect }) => {
    const { outcome, calls } = await find(LINKED, {}, PAGE, goesOn("A"), conversation(said()));
    expect(outcome).toEqual({ kind: "found", id: "m1" });
    expect(calls[1]).toMatchObject({
      url: `${FACEBOOK}/105/conversations`,
      headers: { authorization: "Bearer PAGE" },
      query: { platform: "instagram", user_id: "910" },
    });
  });

  test.for([
    ["another text", said({ message: "Hello" })],
    ["the person's own words", said({ from: { id: "910" } })],
    ["an older one", said({ created_time: time(-2 * MINUTE) })],
    ["one without a time", said({ created_time: undefined })],
  ] as const)("is not %s", async ([, one], { expect }) => {
    expect((await find(LINKED, {}, PAGE, conversation(one))).outcome).toEqual({ kind: "absent" });
  });

  test("counts as absent where nothing can be read: a repeat is refused", async ({ expect }) => {
    expect((await find(ALONE, {})).calls).toEqual([]);
    expect((await find(ALONE, {})).outcome).toEqual({ kind: "absent" });
    expect((await find(LINKED, { author: null })).outcome).toEqual({ kind: "absent" });
    for (const answer of [refused(200), refused(3), MISSING]) {
      expect((await find(LINKED, {}, PAGE, answer)).outcome).toEqual({ kind: "absent" });
    }
    expect((await find(LINKED, {}, PAGE, "lost")).outcome).toMatchObject({ kind: "failed", reason: "down" });
    expect((await find(LINKED, {}, refused(190))).outcome).toMatchObject({ kind: "failed", reason: "token_expired" });
  });

  test("has 1,000 bytes of UTF-8", ({ expect }) => {
    expect(messages.text.max).toBe(1000);
    expect(messages.text.measure("é😀")).toBe(6);
  });
});
