import { env } from "cloudflare:workers";
import { load } from "cheerio";
import { getTableName, isTable } from "drizzle-orm";
import { beforeAll, test } from "vitest";
import { CONSOLE } from "../../src/console/catalog.ts";
import type { Entry } from "../../src/console/definition.ts";
import * as schema from "../../src/db/schema.ts";
import { MEDIA_PATH } from "../../src/media/own-address.ts";
import { type Form, formsOf, type Page } from "../support/browser.ts";
import { ORIGIN } from "../support/world.ts";
import { CONSOLE_URL, newEmail, type Owned, peek, signedIn } from "./console-browser.ts";
import { ownerOf, ROWS, rowOf } from "./project-rows.ts";

/**
 * Ids of another project in the fields of every form: a 404 like the one to an id that does not exist, with
 * the form, and nothing changes. The forms and their ids come from the pages of the catalog and the addresses
 * that these lead to: what holds the id of a row of the project is a field with an id. nested-ids.test.ts
 * has the ids that no page shows: of uploads, and in rows of files.
 */

/** Ids begin here, those of each table elsewhere, so that no other value of a form looks like one. */
const FIRST = 7_000_000;
const APART = 10_000;
const PARTS = Object.keys(ROWS);

type Ids = ReadonlyMap<string, string>;

let own: Owned;
let ownIds: Ids;
let otherIds: Ids;
/** Of no row. */
let absentIds: Ids;

/** The sequences of all tables have begun (test/support/setup.ts). */
async function begin(): Promise<void> {
  await env.DB.prepare(
    `UPDATE sqlite_sequence SET seq = ${FIRST} + ${APART} * (SELECT count(*) FROM sqlite_sequence AS one WHERE one.name < sqlite_sequence.name)`,
  ).run();
}

/** A project with a row of every kind; more than one post, and the one that can be boosted last. */
async function withRows(): Promise<Owned> {
  const owner = await ownerOf("channel", "");
  // Posts have no sequence: they follow the one with the highest id.
  await ROWS.post?.make?.(owner, "");
  await env.DB.prepare("UPDATE posts SET id = id + ? WHERE id < ?").bind(FIRST, FIRST).run();
  for (const part of PARTS.filter((one) => one !== "post" && one !== "channel")) await ROWS[part]?.make?.(owner, "");
  await ROWS.post?.make?.(owner, "/schedule");
  await ROWS.campaign?.make?.(owner, "");
  return owner;
}

const idsOf = async (owner: Owned): Promise<Ids> => {
  const found = PARTS.map(async (part) => [part, String((await rowOf(part, owner))[ROWS[part]?.id ?? ""])] as const);
  const ids = new Map(await Promise.all(found));
  return new Map([...ids, ["project", String(owner.id)], ["media", `${ORIGIN}${MEDIA_PATH}${ids.get("file")}.png`]]);
};

/** An id of the same kind, of no row. */
function absentLike(id: string): string {
  if (id.includes("@")) return newEmail();
  const fileName = /[0-9A-Za-z]{32}/;
  if (fileName.test(id)) return id.replace(fileName, crypto.randomUUID().replaceAll("-", ""));
  return id.includes("-") ? crypto.randomUUID() : "8999999";
}

beforeAll(async () => {
  await begin();
  own = await withRows();
  ownIds = await idsOf(own);
  otherIds = await idsOf(await withRows());
  absentIds = new Map([...otherIds].map(([part, id]) => [part, absentLike(id)]));
}, 120_000);

const pathWith = (path: string, ids: Ids): string => path.replace(/:(\w+)/g, (_, part: string) => ids.get(part) ?? "0");
const patternOf = (path: string): RegExp => new RegExp(`^/console${path.replace(/:\w+/g, "[^/]+")}$`);
const entryAt = (kind: Entry["kind"], path: string): Entry | undefined =>
  CONSOLE.find((entry) => entry.kind === kind && patternOf(entry.path).test(path));

/** The pages of the project and the person, and those with a query that they lead to, each kind once. */
async function pages(): Promise<readonly Page[]> {
  const listed = CONSOLE.filter(({ kind, scope }) => kind === "page" && (scope === "project" || scope === "person"));
  const draft = env.DB.prepare("SELECT max(id) AS id FROM posts WHERE project_id = ? AND state = 'draft'").bind(own.id);
  const withDraft = new Map([...ownIds, ["post", String(await draft.first("id"))]]);
  const queue = listed.map(({ path }) => pathWith(path, path.endsWith("/edit") ? withDraft : ownIds));
  const seen = new Set<string>();
  const found: Page[] = [];
  for (const path of queue) {
    const page = await peek(own.browser, path);
    if (page.status !== 200) continue;
    found.push(page);
    for (const link of load(page.html)("main a[href]").toArray()) {
      const url = new URL(link.attribs.href ?? "", page.url);
      const entry = url.pathname.startsWith("/console") ? entryAt("page", url.pathname) : undefined;
      const kind = `${entry?.path} ${[...url.searchParams.keys()].toSorted().join()}`;
      if (!entry || url.search === "" || seen.has(kind)) continue;
      seen.add(kind);
      queue.push(url.href.slice(CONSOLE_URL.length));
    }
  }
  return found;
}

interface Sent {
  readonly name: string;
  readonly value: string;
}

/** A field of an action whose form holds an id. */
interface IdField {
  readonly action: string;
  readonly path: string;
  readonly name: string;
  readonly part: string;
  readonly fields: readonly Sent[];
}

const COMPOSE = "/projects/:project/compose";
const SERIES = "/projects/:project/series/new";

const KNOWN = [
  "/projects/:project/bots channels channel",
  "/projects/:project/bots post_ids post",
  "/projects/:project/bots/:bot campaign_ids campaign",
  "/projects/:project/campaigns social_post_id post",
  "/projects/:project/comments/:comment/update assigned_to member",
  "/projects/:project/feeds channels channel",
  "/projects/:project/messages/:conversation assigned_to member",
  `${COMPOSE} channel channel`,
  `${COMPOSE} generation generation`,
  `${COMPOSE}/library library_file file`,
  `${COMPOSE}/check media_url media`,
  "/projects/:project/posts/:post/edit media_url media",
  `${SERIES} channel channel`,
  `${SERIES}/library library_file file`,
];

/** Fields of a form with files that its page does not show from the start. */
const OF_FILES = [
  { name: "library_file", part: "file" },
  { name: "media_url", part: "media" },
];

/** What each button of a form with files reads of these fields; it keeps the others in the form. */
const READ: Readonly<Record<string, RegExp>> = {
  channel: /compose(\/check|\/generate)?$|series\/new(\/preview)?$/,
  library_file: /\/library$/,
  // A series is created after its dates were shown.
  media_url: /(compose|compose\/tiktok\/:tiktok|edit)(\/check)?$/,
};
const WITH_FILES = /\/(compose|series\/new|edit)(\/|$)/;

const isKept = ({ action, name }: IdField): boolean => WITH_FILES.test(action) && !(READ[name]?.test(action) ?? true);

/** What the forms lack that their pages begin with. */
const VALUES: Readonly<Record<string, string>> = {
  name: "Name",
  caption_text: "Text",
  comment_reply: "Thanks!",
  response_type: "comment",
  budget: "210",
  duration: "7",
  url: "https://feeds.example.com/b.xml",
  privacy_level: "SELF_ONLY",
};

/** Of a campaign: what its form has no choice of from the start. */
const CHOSEN_TERMS: readonly Sent[] = [
  { name: "ad_account_id", value: "act_1" },
  { name: "countries", value: "DE" },
  { name: "duration_type", value: "lifetime_budget" },
];

/** For each value of a field that is the id of an own row: the form with only that value in the field. */
function idFields(page: Page): IdField[] {
  const $ = load(page.html);
  const elements = $("form").toArray();
  return formsOf(page).flatMap((form, index) => {
    if (form.method !== "POST") return [];
    const element = $(elements[index]);
    const buttons = element.find("button[formaction]").toArray();
    const actions = [form.action, ...buttons.map((button) => new URL(button.attribs.formaction ?? "", page.url).href)];
    const offered = [
      ...form.fields.map(({ name, value }) => ({ name, value })),
      ...element
        .find("option")
        .toArray()
        .map((option) => ({ name: $(option).closest("select").attr("name") ?? "", value: option.attribs.value ?? "" })),
      ...(actions.some((action) => WITH_FILES.test(action))
        ? OF_FILES.map(({ name, part }) => ({ name, value: ownIds.get(part) ?? "" }))
        : []),
    ];
    return [...ownIds].flatMap(([part, id]) =>
      offered
        .filter(({ value }) => value === id)
        .flatMap(({ name }) => {
          const rest = form.fields.filter(
            (one) => one.name !== name && (one.checked || !/checkbox|radio/.test(one.type)),
          );
          const fields = rest.map((one) => ({ name: one.name, value: one.value || (VALUES[one.name] ?? "") }));
          return actions.flatMap((action) => {
            const { pathname } = new URL(action);
            const entry = entryAt("action", pathname);
            const path = pathname.slice("/console".length);
            return entry ? { action: entry.path, path, name, part, fields: withTargets(name, fields, form) } : [];
          });
        }),
    );
  });
}

/** A file is checked for a channel; the posts and campaigns of a bot are read if they are of its channels. */
function withTargets(name: string, fields: readonly Sent[], form: Form): readonly Sent[] {
  const channel = form.fields.find((one) => one.name === "channel" && one.value === ownIds.get("channel"));
  if (name === "media_url" && channel) return [...fields, { name: "channel", value: channel.value }];
  if (name === "social_post_id") return [...fields, ...CHOSEN_TERMS];
  const target = { post_ids: "posts", campaign_ids: "campaigns" }[name];
  if (target === undefined) return fields;
  const kept = fields.filter((one) => one.name !== "target_type" && one.name !== "channels");
  const channels = form.fields.filter((one) => one.name === "channels");
  return [
    ...kept,
    { name: "target_type", value: target },
    ...channels.map(({ value }) => ({ name: "channels", value })),
  ];
}

/** The answer to the form with this id: its status, where it leads, and what the page says without the id. */
async function answerTo({ path, name, part, fields }: IdField, ids: Ids) {
  const id = ids.get(part) ?? "";
  const body = new URLSearchParams();
  for (const field of fields) body.append(field.name.replace(ownIds.get(part) ?? "-", id), field.value);
  body.append(name, id);
  const page = await own.browser.go(`${CONSOLE_URL}${path}`, { method: "POST", body }, () => false);
  const text = load(page.html)("main").text();
  return { status: page.status, url: page.url.replaceAll(id, "ID"), text: text.replaceAll(id, "ID") };
}

/** The rows of every table, but for the log of attempts and what each visit writes. */
async function rows(): Promise<Readonly<Record<string, readonly unknown[]>>> {
  const names = Object.values(schema).flatMap((one) => (isTable(one) ? [getTableName(one)] : []));
  const kept = names.filter((name) => !["audit_entries", "sessions"].includes(name)).toSorted();
  // Entries of the audit log, and their count in an hour, name what was tried too.
  const where = (name: string) => (name === "allowances" ? " WHERE key NOT LIKE 'audit:%'" : "");
  const found = await env.DB.batch(kept.map((name) => env.DB.prepare(`SELECT * FROM "${name}"${where(name)}`)));
  return Object.fromEntries(found.map(({ results }, index) => [kept[index] ?? "", results]));
}

test("an id of another project in a form is 404, and changes nothing", {
  timeout: 120_000,
}, async ({ expect }) => {
  // Time has passed while the rows were made, and some pages need a recent sign-in.
  await signedIn({ email: own.email }, own.browser);
  const found = new Map((await pages()).flatMap(idFields).map((one) => [`${one.action} ${one.name} ${one.part}`, one]));
  // What must be among them, so that the search for forms cannot fail unnoticed.
  expect([...found.keys()]).toEqual(expect.arrayContaining(KNOWN));
  const before = await rows();
  for (const [key, one] of found) {
    const foreign = await answerTo(one, otherIds);
    if (!isKept(one)) {
      expect.soft([key, foreign.status]).toEqual([key, 404]);
      expect.soft(foreign, key).toEqual(await answerTo(one, absentIds));
    }
  }
  expect(await rows()).toEqual(before);
  // What was refused is the id: the same form with an own id is not 404.
  for (const [key, one] of [...found].filter(([, one]) => !isKept(one))) {
    expect.soft([key, (await answerTo(one, ownIds)).status]).not.toEqual([key, 404]);
  }
});
