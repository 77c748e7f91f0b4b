import fc from "fast-check";
import { test } from "vitest";
import { z } from "zod";
import { interpretRead, interpretWrite } from "../../../src/platforms/answers.ts";
import { PlatformId } from "../../../src/platforms/json.ts";
import { type GraphApi, get, graphClient, post, Success } from "../../../src/platforms/meta/graph.ts";
import { rejected } from "../../../src/platforms/outcomes.ts";
import type { RefusalTable } from "../../../src/platforms/refusals.ts";
import type { Answered } from "../../../src/platforms/request.ts";
import { accountContext, NOW, type Scripted, scriptedSend } from "../../scripted-send.ts";

/** The Graph client as the products on it use it: with words, errors, hosts and habits of their own. */
const THREADS: GraphApi = {
  title: "Threads",
  account: "profile",
  site: "threads.net",
  baseUrl: "https://graph.threads.net/v1.0",
  tokenIn: "parameter",
  isProven: false,
  listEnd: "no_cursor",
  rows: [
    ["4279009", "down", "{title} does not show the post yet."],
    ["4/2207051", "throttled", "{title} takes this {account} for suspicious.", { wait: 7200 }],
    ["-1/2207001", "unclear", "{title} had a fault of its own."],
    ["THREADS_API__LINK_LIMIT_EXCEEDED", "rejected", "{title} takes five links in a post."],
  ],
};

function client(api: GraphApi, ...answers: readonly (Scripted | "lost")[]) {
  const { send, calls } = scriptedSend(...answers);
  return { graph: graphClient(api, accountContext(send), "TOKEN"), calls };
}

const refusal = (error: object, headers: Record<string, string> = {}): Scripted => ({
  status: 400,
  body: { error: { type: "OAuthException", message: "words", ...error } },
  headers,
});

const write = (answer: Scripted | "lost", api = THREADS) => client(api, answer).graph.write(post("me/x", {}), Success);

test("a token that is a parameter goes with the form or the query, and without a proof", async ({ expect }) => {
  const done = { body: { success: true } };
  const { graph, calls } = client(THREADS, done, done, done);
  await graph.read(get("me", { fields: "id" }), Success);
  await graph.write(post("me/threads", { text: "hello" }), Success);
  await graph.read({ method: "DELETE", path: "180" }, Success);
  expect(calls.map(({ url, headers, query, form }) => ({ url, headers, query, form }))).toEqual([
    {
      url: "https://graph.threads.net/v1.0/me",
      headers: {},
      query: { fields: "id", access_token: "TOKEN" },
      form: undefined,
    },
    {
      url: "https://graph.threads.net/v1.0/me/threads",
      headers: {},
      query: undefined,
      form: { text: "hello", access_token: "TOKEN" },
    },
    { url: "https://graph.threads.net/v1.0/180", headers: {}, query: { access_token: "TOKEN" }, form: undefined },
  ]);
});

test("errors of every product are reported in the words of this one", async ({ expect }) => {
  expect(await write(refusal({ code: 190, error_subcode: 459 }))).toEqual({
    kind: "failed",
    reason: "disconnected",
    message:
      "Sign in at threads.net with the account that manages the profile, follow its instructions, then try again. Threads' words: “words” (190/459)",
  });
  expect(await write("lost")).toMatchObject({ kind: "unknown", message: expect.stringMatching(/^Threads' answer/) });
  expect(await write({ status: 502 })).toMatchObject({
    message: expect.stringMatching(/^Threads could not be reached/),
  });
});

test.for([
  ["a subcode that is a number of its own", { code: 24, error_subcode: 4279009 }, "down"],
  ["a negative code", { code: -1, error_subcode: 2207001 }, "unknown"],
  ["a name in place of the code", { code: "THREADS_API__LINK_LIMIT_EXCEEDED" }, "rejected"],
  ["a name in the message", { code: 100, message: "(#100) THREADS_API__LINK_LIMIT_EXCEEDED: more than 5" }, "rejected"],
  ["a name for people", { code: 1, error_user_msg: "THREADS_API__LINK_LIMIT_EXCEEDED" }, "rejected"],
  ["a code written as text", { code: "190" }, "token_expired"],
  ["a code of every product", { code: 613 }, "throttled"],
  ["a range", { code: 80_002 }, "throttled"],
  ["a name that nobody lists", { code: "THREADS_API__SOMETHING_NEW" }, "unknown"],
] as const)("an error is known by %s", async ([, error, expected], { expect }) => {
  const outcome = await write(refusal(error));
  expect(outcome.kind === "failed" ? outcome.reason : outcome.kind).toBe(expected);
});

const throttledWith = async (headers: Record<string, string>, error: object = { code: 4 }) => {
  const outcome = await write(refusal(error, headers));
  return outcome.kind === "failed" ? (outcome.retryAfterSeconds ?? null) : outcome.kind;
};
const business = (...minutes: number[]) =>
  JSON.stringify({ "1": minutes.map((one) => ({ type: "threads", estimated_time_to_regain_access: one })) });
const app = (percent: number) => JSON.stringify({ call_count: 3, total_time: percent, total_cputime: 1 });

test("each usage header has a unit of its own: minutes, seconds, percent", async ({ expect }) => {
  expect(await throttledWith({ "x-business-use-case-usage": business(0, 12, 3) })).toBe(720);
  expect(await throttledWith({ "x-business-use-case-usage": business(0.05) })).toBe(3);
  const account = JSON.stringify({ acc_id_util_pct: 100, reset_time_duration: 90 });
  expect(await throttledWith({ "x-ad-account-usage": account })).toBe(90);
  expect(await throttledWith({ "x-app-usage": app(100) })).toBe(300);
  expect(await throttledWith({ "x-app-usage": app(94) })).toBeNull();
  expect(await throttledWith({ "x-app-usage": "{", "x-business-use-case-usage": "[]" })).toBeNull();
});

test("what a header reports comes before what we have learned, and that before a guess", async ({ expect }) => {
  const suspicious = { code: 4, error_subcode: 2207051 };
  expect(await throttledWith({ "x-app-usage": app(100) }, suspicious)).toBe(7200);
  expect(await throttledWith({ "x-business-use-case-usage": business(1) }, suspicious)).toBe(60);
  expect(await throttledWith({ "x-app-usage": app(100), "x-business-use-case-usage": business(1) })).toBe(60);
});

const Item = z.object({ id: PlatformId });
const cursorPage = (after: string | undefined, ...ids: string[]): Scripted => ({
  body: { data: ids.map((id) => ({ id })), paging: { cursors: { after } } },
});

const listOf = async (api: GraphApi, ...pages: Scripted[]) => {
  const { graph, calls } = client(api, ...pages);
  const listed = await graph.list((after) => graph.request(get("me/threads", { after })), Item, 3);
  if (listed.kind === "failed") throw new Error(listed.message);
  return { ids: listed.items.map(({ id }) => id), isWhole: listed.isWhole, calls: calls.length };
};

test("a list without links ends where no cursor, no new one, or nothing comes", async ({ expect }) => {
  const [a, b] = [cursorPage("A", "1"), cursorPage("B", "2")];
  expect(await listOf(THREADS, a, b, cursorPage(undefined, "3"))).toEqual({
    ids: ["1", "2", "3"],
    isWhole: true,
    calls: 3,
  });
  expect(await listOf(THREADS, a, cursorPage("B"))).toEqual({ ids: ["1"], isWhole: true, calls: 2 });
  expect(await listOf(THREADS, a, cursorPage("A", "2"))).toEqual({ ids: ["1", "2"], isWhole: true, calls: 2 });
  expect(await listOf(THREADS, a, b, cursorPage("C", "3"))).toEqual({ ids: ["1", "2", "3"], isWhole: false, calls: 3 });
});

test("a list with links that goes on without a new cursor is not whole", async ({ expect }) => {
  const api: GraphApi = { ...THREADS, listEnd: "no_next" };
  const link = { next: "https://graph.threads.net/x" };
  const lost = { body: { data: [{ id: "1" }], paging: link } };
  expect(await listOf(api, lost)).toEqual({ ids: ["1"], isWhole: false, calls: 1 });
  const same = { body: { data: [{ id: "1" }], paging: { cursors: { after: "A" }, ...link } } };
  expect(await listOf(api, same, same)).toEqual({ ids: ["1", "1"], isWhole: false, calls: 2 });
  expect(await listOf(api, cursorPage("A", "1"))).toEqual({ ids: ["1"], isWhole: true, calls: 1 });
});

/** As TikTok does it: refusals come with the status of a success. */
const TABLE: RefusalTable = {
  title: "Anybody",
  problemOf: ({ body }) =>
    body instanceof Object && "error" in body ? { codes: ["error"], text: "", quote: null, mark: null } : null,
  rows: [["error", "rejected", "Anybody refused this."]],
  documentedAt: [400],
  waitSeconds: () => null,
  heldBack: [407],
};

const answered = (status: number, body: unknown): Answered => {
  const text = JSON.stringify(body);
  return { kind: "answered", status, headers: new Headers(), text, body };
};

test("a refusal is believed of a writing call only with a status that is documented, of a reading one always", ({
  expect,
}) => {
  const status = fc.integer({ min: 200, max: 599 });
  const body = fc.constantFrom<unknown>({ id: "1" }, { error: 1 }, { id: "1", error: 1 }, {}, null, "<html>");
  const answer = fc.oneof(
    fc.constant({ kind: "lost", message: "gone" } as const),
    fc.tuple(status, body).map(([one, other]) => answered(one, other)),
  );
  fc.assert(
    fc.property(answer, (one) => {
      const [written, read] = [interpretWrite(TABLE, one, Item, NOW), interpretRead(TABLE, one, Item, NOW)];
      const isSaid = one.kind === "answered" && one.body instanceof Object && "error" in one.body;
      if (written.kind === "unknown" && !isSaid) {
        expect(read).toEqual({ kind: "failed", reason: "down", message: written.message });
      } else expect(read).toEqual(isSaid ? rejected("Anybody refused this.") : written);
      const isOurs = one.kind === "answered" && one.status < 300 && JSON.stringify(one.body) === '{"id":"1"}';
      expect(written.kind === "ok").toBe(isOurs);
      // Surely not carried out: by the platform's word, or by who holds calls back.
      const isHeldBack = one.kind === "answered" && (one.status === 407 || one.status === 429);
      const isDocumented = one.kind === "answered" && one.status === 400;
      expect(written.kind === "failed").toBe(isSaid ? isDocumented : isHeldBack);
    }),
  );
});
