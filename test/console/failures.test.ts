import { env } from "cloudflare:workers";
import { load } from "cheerio";
import { afterEach, beforeAll, describe, type ExpectStatic, test, vi } from "vitest";
import { z } from "zod";
import { needsCheck, remedyOf } from "../../src/console/posts/remedies.ts";
import { FAILURE_CODES, type FailureCode } from "../../src/core/failures.ts";
import { accountsOf } from "../support/accounts.ts";
import { answering, failStatements, quiet } from "../support/between.ts";
import { type Browser, type Form, formsOf, type Page } from "../support/browser.ts";
import { advance } from "../support/clock.ts";
import { connectThrough } from "../support/person.ts";
import { cron, queue, queuesIdle } from "../support/queue.ts";
import { sandbox } from "../support/sandbox.ts";
import { HOUR, MINUTE } from "../support/times.ts";
import { call, createPost, Project } from "../support/world.ts";
import { CONSOLE_URL, filled, formTo, newEmail, signedIn } from "./console-browser.ts";

/**
 * For every error code that a post can end with: the sandbox causes it, the home page shows it, its button
 * does what it says, and nothing is posted twice. One project for all of them.
 */

const FOREVER = 1_000;
const CODES = FAILURE_CODES.filter((code) => !code.startsWith("model_"));

let project: Project;
let browser: Browser;
let home = "";

beforeAll(async () => {
  project = await Project.create();
  browser = await signedIn({ email: newEmail(), project: project.name });
  home = (await browser.go(CONSOLE_URL)).url.replace(/\/(tokens|members)$/, "");
});

afterEach(async () => {
  quiet();
  vi.restoreAllMocks();
  await sandbox.noFaults();
});

interface Case {
  readonly code: FailureCode;
  readonly mark: string;
  readonly account: string;
  readonly channel: { readonly channel_type: "twitter"; readonly channel_id: number };
  readonly send: (body?: Readonly<Record<string, unknown>>) => Promise<number>;
}

/** A channel on an account of its own, so that a case leaves nothing to the next. */
async function newCase(code: FailureCode): Promise<Case> {
  const mark = `${code} ${crypto.randomUUID()}`;
  const account = await sandbox.addAccount("twitter", mark.slice(0, 20));
  const [channelId = 0] = await project.connect("twitter", [account]);
  const channel = { channel_type: "twitter", channel_id: channelId } as const;
  return {
    code,
    mark,
    account,
    channel,
    send: (body) => createPost(project, channel, { caption_text: mark, ...body }),
  };
}

const IMAGE = { media_urls: [sandbox.media("square.jpg").replace("http:", "https:")] };

/** X's words in place of its answer to what publishes. */
const refused = (status: number, detail: string) => async (one: Case) => {
  answering((request) =>
    request.method === "POST" && request.url.endsWith("/2/tweets")
      ? Response.json({ title: "Problem", type: "about:blank", status, detail }, { status })
      : null,
  );
  const id = await one.send();
  await queuesIdle(24 * HOUR);
  return id;
};

const faulty = (operation: string, kind: string, body?: object) => async (one: Case) => {
  await sandbox.fault("twitter", operation, kind, FOREVER);
  const id = await one.send({ ...body });
  await queuesIdle(24 * HOUR);
  return id;
};

/** A wait that lasts until the deadline, of which only the first delivery is played. */
const waitingFor = (prepare: () => Promise<unknown>, body?: object) => async (one: Case) => {
  await prepare();
  const id = await one.send({ ...body });
  await queuesIdle(MINUTE);
  await passDeadline();
  return id;
};

async function passDeadline(): Promise<void> {
  queue.loseAll();
  await advance(30 * HOUR);
  await cron();
  await queuesIdle();
}

const setCeiling = (most: number) =>
  call("POST", "/internal/cost-ceilings", {
    headers: { "X-Operator-Key": env.OPERATOR_KEY },
    body: { project: project.name, most },
  });

/** Causes the failure of a post, and returns its id. */
const CAUSES: { readonly [Code in FailureCode]?: (one: Case) => Promise<number> } = {
  platform_rejected: refused(403, "You are not permitted to perform this action."),
  content_refused: refused(400, "Your Tweet has an invalid URL."),
  content_invalid: refused(400, "Your Tweet text is too long."),
  duplicate: refused(403, "You are not allowed to create a Tweet with duplicate content."),
  permission_missing: refused(403, "Missing required scope: tweet.write"),
  media_invalid: faulty("upload", "reject_media", IMAGE),
  reconnect_needed: faulty("publish", "revoke_token"),
  may_be_published: faulty("publish", "error"),
  platform_down: waitingFor(() => sandbox.fault("twitter", "upload", "error", FOREVER), IMAGE),
  rate_limited: waitingFor(() => sandbox.fault("twitter", "publish", "rate_limit", FOREVER)),
  operator_action: waitingFor(() => sandbox.fault("twitter", "publish", "credits_depleted", FOREVER)),
  account_restricted: waitingFor(() => sandbox.fault("twitter", "publish", "account_locked", FOREVER)),
  cost_ceiling: waitingFor(() => setCeiling(0)),
  async unsupported_by_platform({ mark }) {
    const [account = ""] = await accountsOf("facebook");
    const [channelId = 0] = await project.connect("facebook", [account]);
    const error = { message: "Not for new Pages.", type: "OAuthException", code: 200, error_subcode: 2069030 };
    answering((request) =>
      request.method === "POST" && request.url.includes("/feed") ? Response.json({ error }, { status: 400 }) : null,
    );
    const id = await createPost(project, { channel_type: "facebook", channel_id: channelId }, { caption_text: mark });
    await queuesIdle(24 * HOUR);
    return id;
  },
  async media_unreachable({ send }) {
    let isGone = true;
    answering((request) => (isGone && request.url.includes("/_media/") ? new Response("gone", { status: 404 }) : null));
    const id = await send(IMAGE);
    await queuesIdle(24 * HOUR);
    isGone = false;
    return id;
  },
  async channel_disconnected({ send, channel }) {
    const id = await send();
    await project.call("DELETE", `/social/delete-channel/${channel.channel_id}`);
    await queuesIdle();
    return id;
  },
  async deadline_passed({ send }) {
    const id = await send();
    await passDeadline();
    return id;
  },
  async unexpected({ send }) {
    const id = await send(IMAGE);
    failStatements(/insert into "?job_steps"?/i, 16);
    await queuesIdle(24 * HOUR);
    return id;
  },
  async partly_published({ mark, channel }) {
    const twitter_threads = [1, 2, 3].map((item) => ({ message: `${item}: ${mark}` }));
    const body = { post_type: "thread", twitter_threads, media_urls: undefined, caption_text: undefined };
    const id = await createPost(project, channel, body);
    const { fetch } = globalThis;
    vi.spyOn(globalThis, "fetch").mockImplementation(async (input, init) => {
      const request = new Request(input, init);
      const isCommit = request.method === "POST" && request.url.endsWith("/2/tweets");
      if (isCommit && (await sandbox.postsWith(mark)).length === 2) {
        await sandbox.fault("twitter", "publish", "error", FOREVER);
      }
      return fetch(request);
    });
    await queuesIdle(24 * HOUR);
    return id;
  },
};

const stateOf = async (id: number) =>
  env.DB.prepare("SELECT state, error_code AS code FROM posts WHERE id = ?").bind(id).first();
const Listed = z.object({
  channels: z.object({ data: z.array(z.object({ channel_id: z.number(), health: z.string() })) }),
});
async function healthOf(channelId: number): Promise<string | undefined> {
  const { body } = await project.call("GET", "/social/get-channels?limit=100");
  return Listed.parse(body).channels.data.find(({ channel_id }) => channel_id === channelId)?.health;
}
const liveWith = async (mark: string) => (await sandbox.postsWith(mark)).length;
const copiesOf = async (mark: string) =>
  env.DB.prepare("SELECT count(*) AS copies FROM posts WHERE caption = ? AND deleted_at IS NULL")
    .bind(mark)
    .first<number>("copies");
const hasItem = ({ html }: Page, id: number) => new RegExp(`href="[^"]*/posts/${id}"`).test(html);
/** What the forms of a stale page send, after the same was done before. */
const isRefused = ({ status, html }: Page) => status === 422 && html.includes("was posted again or dismissed before");

async function heal({ account, code }: Case): Promise<void> {
  quiet();
  vi.restoreAllMocks();
  await sandbox.noFaults();
  await setCeiling(1_000);
  if (remedyOf(code) !== "connect") await project.connect("twitter", [account]);
  // Waits for a limit of the platform have ended.
  await advance(HOUR);
}

/** The same page twice, as in two windows: their forms have keys of their own. */
type Windows = readonly [Page, Page];

async function pressAgain(expect: ExpectStatic, one: Case, [page, other]: Windows, id: number): Promise<void> {
  const form = formTo(page, `/posts/${id}/again`);
  const before = await liveWith(one.mark);
  if (needsCheck(one.code)) {
    const unchecked = await browser.send({ ...form, fields: form.fields.filter(({ name }) => name !== "checked") });
    await queuesIdle();
    expect([unchecked.status, await liveWith(one.mark)]).toEqual([422, before]);
  }
  const press = ({ fields, ...to }: Form) =>
    browser.send(filled({ fields, ...to }, fields.some(({ name }) => name === "checked") ? { checked: "yes" } : {}));
  const stale = formTo(other, `/posts/${id}/again`);
  const [first, second] = await Promise.all([press(form), press(stale)]);
  expect([first, second].filter(isRefused)).toHaveLength(1);
  const done = first.status === 200 ? form : stale;
  expect([first, second].find(({ status }) => status === 200)?.html).toContain("This is the new post.");
  await queuesIdle(HOUR);
  expect(await liveWith(one.mark)).toBe(1);
  // The form that acted leads to the same post once more; the other one stays refused.
  expect((await press(done)).html).toContain("This is the new post.");
  expect(isRefused(await press(done === form ? stale : form))).toBe(true);
  await queuesIdle(HOUR);
  expect(await liveWith(one.mark)).toBe(1);
}

/** Follows the button that connects the channel, which is the same one afterwards, then posts again. */
async function pressConnect(expect: ExpectStatic, one: Case, windows: Windows, id: number): Promise<void> {
  const [page] = windows;
  const item = load(page.html)("li.need").has(`a[href$="/posts/${id}"]`);
  const opened = await browser.go(new URL(item.find("a.button").attr("href") ?? "", page.url).href);
  const [form] = formsOf(opened).filter(({ action }) => action.endsWith("connect"));
  if (!form) throw new Error(`The button leads to ${opened.status} ${opened.url}, which connects nothing.`);
  const link = await browser.send(form);
  const back = await connectThrough(browser, link.url, { platforms: ["twitter"], accounts: [one.account] });
  expect([back.status, back.html]).toEqual([200, expect.stringContaining("The accounts are connected.")]);
  expect(await healthOf(one.channel.channel_id)).toBe("connected");
  expect(await liveWith(one.mark)).toBe(0);
  await pressAgain(expect, one, windows, id);
}

async function pressCopy(expect: ExpectStatic, { mark }: Case, [page, other]: Windows, id: number): Promise<void> {
  const form = formTo(page, `/posts/${id}/copy`);
  for (const copied of await Promise.all([browser.send(form), browser.send(form)])) {
    expect(copied.html).toContain("This is the copy, a draft.");
  }
  expect(isRefused(await browser.send(formTo(other, `/posts/${id}/copy`)))).toBe(true);
  await queuesIdle(HOUR);
  expect([await copiesOf(mark), await liveWith(mark)]).toEqual([2, 0]);
}

async function pressDelete(expect: ExpectStatic, { mark }: Case, [page]: Windows, id: number): Promise<void> {
  expect(await liveWith(mark)).toBe(2);
  await browser.send(formTo(page, `/posts/${id}/delete`));
  await queuesIdle(HOUR);
  expect(await liveWith(mark)).toBe(0);
}

test("every code has a cause here", ({ expect }) => {
  expect(Object.keys(CAUSES).toSorted()).toEqual(CODES.toSorted());
});

describe("a post that ends with", () => {
  test.for(CODES)("%s is shown at home until its button was pressed", { timeout: 60_000 }, async (code, { expect }) => {
    vi.spyOn(console, "error").mockImplementation(() => {});
    const one = await newCase(code);
    const id = (await CAUSES[code]?.(one)) ?? 0;
    expect(await stateOf(id)).toEqual({ state: "failed", code });
    const other = await browser.go(home);
    const page = await browser.go(home);
    expect([hasItem(page, id), page.html.includes(`<code>${code}</code>`)]).toEqual([true, true]);
    await heal(one);
    const press = { again: pressAgain, connect: pressConnect, edit: pressCopy, delete: pressDelete }[remedyOf(code)];
    await press(expect, one, [page, other], id);
    expect(hasItem(await browser.go(home), id)).toBe(false);
  });
});
