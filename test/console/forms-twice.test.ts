import { env } from "cloudflare:workers";
import { beforeAll, describe, expect, test } from "vitest";
import { z } from "zod";
import { CONSOLE } from "../../src/console/catalog.ts";
import type { ActionEntry } from "../../src/console/definition.ts";
import { type Browser, type Form, formsOf, type Page } from "../support/browser.ts";
import { queuesIdle } from "../support/queue.ts";
import { sample } from "../support/uploads.ts";

import { CONSOLE_URL, filled, newConsoleBrowser, newEmail, type Owned } from "./console-browser.ts";
import { ownerOf, ROWS, rowOf } from "./project-rows.ts";

/**
 * Every form of an action that creates something or acts outside, sent twice: in sequence, as by a second try
 * after a lost answer, and at once, as by a double click. The action has one effect: no table grows by more
 * than with one sending. A new action of the catalog needs a case here.
 */

interface Case {
  /** The page with the form, without the project's base, and what its forms are filled with. */
  readonly values?: (owner: Owned) => Promise<Readonly<Record<string, string>>>;
  /** A kind of row that the path of the action names. */
  readonly part?: keyof typeof ROWS;
  readonly prepare?: (owner: Owned) => Promise<unknown>;
  /** The query of the page. */
  readonly query?: (owner: Owned) => Promise<string>;
  readonly file?: () => Promise<File>;
}

const channelOf = async ({ project }: Owned, platform: "facebook" | "twitter" = "facebook"): Promise<string> =>
  String((await project.connect(platform))[0]);
const fixed = (values: Readonly<Record<string, string>>) => async () => values;
const P = "/projects/:project";

const CASES: Readonly<Record<string, Case>> = {
  "/sign-in": { values: async () => ({ email: newEmail() }) },
  "/projects": { values: async () => ({ name: crypto.randomUUID(), time_zone: "UTC", kind: "test" }) },
  [`${P}/compose`]: {
    values: async (owner) => ({ channel: await channelOf(owner), caption_text: "Bread", publish_mode: "draft" }),
  },
  [`${P}/compose/generate`]: {
    values: async (owner) => ({ channel: await channelOf(owner), generate: "text_only", input: "Bread" }),
  },
  [`${P}/posts/:post/again`]: { part: "post", values: fixed({ checked: "yes" }) },
  [`${P}/posts/:post/copy`]: { part: "post" },
  [`${P}/imports`]: { prepare: channelOf, file: async () => new File(["channel_id,caption_text\n1,Bread"], "a.csv") },
  [`${P}/feeds`]: {
    values: async (owner) => ({
      name: "Blog",
      url: "https://feeds.example.com/a.xml",
      publish_mode: "draft",
      caption_text: "{title}",
      picture: "no",
      channels: await channelOf(owner),
    }),
  },
  [`${P}/library`]: { file: async () => new File([await sample("square.png")], "square.png") },
  [`${P}/channels/connect`]: { values: fixed({ platform: "facebook" }) },
  [`${P}/channels/:channel/reconnect`]: { part: "channel" },
  [`${P}/comments/:comment/reply`]: { part: "comment", values: fixed({ text: "Five euros." }) },
  [`${P}/comments/:comment/act`]: { part: "comment", values: fixed({ act: "hide" }) },
  [`${P}/bots`]: {
    values: async (owner) => ({
      name: "Prices",
      target_type: "all",
      trigger_type: "any",
      keywords: "",
      response_type: "comment",
      comment_reply: "Five euros.",
      direct_message: "",
      response_time: "instant",
      ai_enable: "no",
      frequency: "once",
      channels: await channelOf(owner),
    }),
  },
  [`${P}/generations`]: { values: fixed({ post_type: "text_only", input: "Bread" }) },
  [`${P}/webhooks`]: { values: fixed({ url: "https://hooks.test/double" }) },
  [`${P}/webhooks/:webhook/rotate`]: { part: "webhook" },
  [`${P}/webhooks/:webhook/test`]: { part: "webhook" },
  [`${P}/webhooks/:webhook/replay`]: { part: "webhook", values: fixed({ hours: "24" }) },
  [`${P}/deliveries/:delivery/replay`]: { part: "delivery" },
  [`${P}/tokens`]: { values: fixed({ name: "Reader", task: "read", expiry: "never" }) },
  [`${P}/members/invite`]: { values: async () => ({ email: newEmail(), role: "editor" }) },
};

/**
 * Their own tests send them twice: they need an account of TikTok, an open conversation, or what a person has
 * seen and agreed to, such as an amount, or a part that the browser makes.
 */
const ELSEWHERE: ReadonlySet<string> = new Set([
  `${P}/compose/tiktok/:tiktok`,
  `${P}/messages/:conversation/send`,
  `${P}/series/new`,
  `${P}/campaigns`,
  `${P}/library/:file/crop`,
]);

/**
 * What each request writes, whatever it does, and rows that expire within minutes and nobody has the link of.
 */
const BESIDE: ReadonlySet<string> = new Set([
  "audit_entries",
  "connect_sessions",
  "usage_days",
  "sessions",
  "rate_buckets",
]);

async function countRows(): Promise<Readonly<Record<string, number>>> {
  const { results } = await env.DB.prepare(
    "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT GLOB 'sqlite_*' AND name NOT GLOB '_cf_*'",
  ).all<{ name: string }>();
  const names = results.map(({ name }) => name).filter((name) => !BESIDE.has(name));
  const counts = await env.DB.batch<{ n: number }>(
    names.map((name) => env.DB.prepare(`SELECT count(*) AS n FROM "${name}"`)),
  );
  return Object.fromEntries(names.map((name, at) => [name, counts[at]?.results[0]?.n ?? 0]));
}

const grown = (before: Readonly<Record<string, number>>, after: Readonly<Record<string, number>>) =>
  Object.fromEntries(
    Object.entries(after).flatMap(([name, count]) => {
      const more = count - (before[name] ?? 0);
      return more > 0 ? [[name, more]] : [];
    }),
  );

const ACTIONS = CONSOLE.filter((entry) => entry.kind === "action");
const CREATING = ACTIONS.filter(({ effect }) => effect !== "sets");

test("every action that creates or acts outside is sent twice here, or is named as an exception", () => {
  const paths = CREATING.map(({ path }) => path);
  expect(paths.filter((path) => !CASES[path] && !ELSEWHERE.has(path))).toEqual([]);
  expect([...Object.keys(CASES), ...ELSEWHERE].filter((path) => !paths.includes(path))).toEqual([]);
});

/** The address of a path of the catalog, with the ids of the owner's rows. */
async function addressOf(path: string, owner: Owned, { part, query }: Case): Promise<string> {
  const row = part === undefined ? {} : await rowOf(part, owner);
  const id = part === undefined ? "" : String(row[ROWS[part]?.id ?? ""]);
  const filledIn = path.replace(":project", String(owner.id)).replace(/:\w+/g, id);
  return `${CONSOLE_URL}${filledIn}${(await query?.(owner)) ?? ""}`;
}

interface Sendable {
  readonly browser: Browser;
  readonly form: Form;
  readonly file: File | null;
}

async function formOf(action: ActionEntry, one: Case): Promise<Sendable> {
  const owner = await ownerOf(one.part ?? "", action.path);
  await one.prepare?.(owner);
  const values = (await one.values?.(owner)) ?? {};
  const browser = action.scope === "anyone" ? newConsoleBrowser() : owner.browser;
  const page = await browser.go(await addressOf(action.page, owner, one));
  const target = await addressOf(action.path, owner, one);
  const form = formsOf(page).find((found) => found.action === target) ?? emptyForm(page, target);
  const file = (await one.file?.()) ?? null;
  return { browser, form: filled(form, values), file };
}

/** A form that only rows in another state have: with the proof and the key of the page's forms. */
function emptyForm(page: Page, target: string): Form {
  const form = formsOf(page).find(({ method }) => method === "POST");
  if (!form) throw new Error(`No form on ${page.url}: ${page.html.slice(-800)}`);
  return { ...form, action: target, fields: form.fields.filter(({ name }) => name === "form" || name === "key") };
}

function send({ browser, form, file }: Sendable): Promise<Page> {
  if (!file) return browser.send(form, undefined, undefined, () => false);
  const body = new FormData();
  for (const { name, value, type, checked } of form.fields) {
    if (type !== "file" && (checked || (type !== "checkbox" && type !== "radio"))) body.append(name, value);
  }
  body.set("file", file);
  return browser.go(form.action, { method: "POST", body }, () => false);
}

beforeAll(() => queuesIdle(0));

const STATUS = z.union([z.literal(303), z.literal(200)]);

describe.for(CREATING.filter(({ path }) => CASES[path]).map((action) => [action.path, action] as const))(
  "%s",
  ([path, action]) => {
    const one = CASES[path] ?? {};

    test("sent twice in sequence has one effect", { timeout: 60_000 }, async () => {
      const form = await formOf(action, one);
      const before = await countRows();
      STATUS.parse((await send(form)).status);
      const once = await countRows();
      expect(Object.keys(grown(before, once)).length).toBeGreaterThan(0);
      STATUS.parse((await send(form)).status);
      expect(grown(once, await countRows())).toEqual({});
    });

    test("sent twice at once has one effect", { timeout: 60_000 }, async () => {
      const single = await formOf(action, one);
      const start = await countRows();
      await send(single);
      const alone = grown(start, await countRows());
      const form = await formOf(action, one);
      const before = await countRows();
      const answers = await Promise.all([send(form), send(form)]);
      expect(grown(before, await countRows())).toEqual(alone);
      for (const { status } of answers) STATUS.parse(status);
    });
  },
);
