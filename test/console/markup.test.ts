import { env } from "cloudflare:workers";
import { load } from "cheerio";
import { describe, test } from "vitest";
import { CONSOLE } from "../../src/console/catalog.ts";
import { sha256Hex } from "../../src/core/tokens.ts";
import type { Browser, Page } from "../support/browser.ts";
import {
  CONSOLE_URL,
  filled,
  formTo,
  invite,
  newConsoleBrowser,
  newEmail,
  signedIn,
  signInLink,
} from "./console-browser.ts";
import { englishAloneOn, englishOn } from "./english-texts.ts";
import { insert } from "./stored-rows.ts";
import { columnsWithout } from "./stored-texts.ts";

/** Texts that would become elements or attributes if a page did not escape them, each with its own name. */
const markup = (name: string) => `<x-mark title='${name}'>"' onclick="x" & </title></script>${name}`;
const NAMES = [
  "project",
  "token",
  "person",
  "device",
  "place",
  "passkey",
  "invited",
  "inviter",
  "channel",
  "bot",
  "generation",
  "field",
  "caption",
  "comment",
  "error",
  "answer",
  "webhook",
  "campaign",
  "brand",
  "client",
  "spending",
  "deleted",
  "actor",
  "wait",
  "message",
  "file",
  "row",
  "series",
  "feed",
] as const;
type Name = (typeof NAMES)[number];

const JAPANESE = { "Accept-Language": "ja" };

interface Marked {
  readonly browser: Browser;
  readonly id: number;
  /** Ids of rows, by their name in a path. */
  readonly rows: Readonly<Record<string, unknown>>;
  readonly link: string;
}

function anOperator(): Promise<Browser> {
  const email = newEmail();
  return signedIn({ email }, newConsoleBrowser(JAPANESE, { OPERATORS: email }));
}

/** A project in which every stored text has markup; what no form accepts is written to its rows. */
async function marked(): Promise<Marked> {
  const email = newEmail();
  const browser = await signedIn({ email }, newConsoleBrowser({ "User-Agent": markup("agent"), ...JAPANESE }));
  const page = await browser.go(`${CONSOLE_URL}/projects/new`);
  const values = { name: markup("project"), kind: "test", time_zone: "Europe/Berlin" };
  const id = Number(/projects\/(\d+)/.exec((await browser.send(filled(formTo(page, "/projects"), values))).url)?.[1]);
  const form = await browser.go(`${CONSOLE_URL}/projects/${id}/tokens/new`);
  const token = { name: markup("token"), task: "read", expiry: "never", days: "", date: "" };
  await browser.send(filled(formTo(form, "/tokens"), token));
  await invite({ browser, id }, { email: newEmail(), role: "viewer" });
  const link = await invite({ browser, id }, { role: "viewer" });
  const run = (sql: string, ...values_: unknown[]) =>
    env.DB.prepare(sql)
      .bind(...values_)
      .run();
  const person = "(SELECT id FROM people WHERE email = ?)";
  await run(
    `UPDATE sessions SET device = ?, place = ? WHERE person_id = ${person}`,
    markup("device"),
    markup("place"),
    email,
  );
  await run(
    `INSERT INTO passkeys (person_id, credential_id, public_key, counter, name, created_at)
     VALUES (${person}, 'marked-' || ?2, '', 0, ?3, 1)`.replace("?)", "?1)"),
    email,
    id,
    markup("passkey"),
  );
  await run("UPDATE tokens SET created_by = ? WHERE project_id = ?", markup("inviter"), id);
  await run("UPDATE invitations SET invited_by = ? WHERE project_id = ?", markup("inviter"), id);
  await run(
    "UPDATE invitations SET email = ? WHERE project_id = ? AND email IS NOT NULL",
    `${markup("invited")}${id}`,
    id,
  );
  await run("UPDATE people SET email = ? WHERE email = ?", `${markup("person")}${id}`, email);
  const mark = markup("channel");
  const channel = { user_ref: mark, account_id: mark, name: mark, username: mark, picture_url: mark };
  const rows = {
    channel: await insert("channels", { ...channel, project_id: id, platform: "twitter", attributes: "{}", ...NEW }),
  };
  await run("UPDATE channels SET messages_since = 1 WHERE id = ?", rows.channel);
  const conversation = await markedConversation(id, rows.channel);
  const reason = { health: "reconnect_needed", health_reason: mark, stopped: "{}" };
  const grant = { channel_id: rows.channel, purpose: "publish", version: 1, stored_at: 1, stored_by: "login" };
  await insert("grants", { ...grant, ...reason });
  const post = await insert("posts", { ...markedPost(), project_id: id, channel_id: rows.channel });
  const answer = { method: "POST", url: markup("answer"), status: 400, headers: {}, body: markup("answer") };
  const detail = JSON.stringify({ error_code: "unexpected", cause: null, items: 1, live_items: 0, answer });
  const event = {
    id: 1,
    project_id: id,
    subject: "post",
    subject_id: post,
    type: "post.failed",
    message: markup("error"),
  };
  await insert("events", { ...event, detail, created_at: 1 }, "id");
  await run(
    "INSERT INTO missed_rules VALUES ('twitter', ?1, 'media_invalid', ?1, ?1, 1, ?2, ?2)",
    markup("answer"),
    Date.now(),
  );
  const hook = {
    url: markup("webhook"),
    state: "disabled",
    disabled_reason: "gone",
    starts_after: 0,
    secret: "x",
    secret_key: "x",
  };
  await insert("webhooks", { ...hook, project_id: id, ...NEW });
  const campaign = {
    name: markup("campaign"),
    reason: markup("error"),
    state: "rejected",
    error_code: "platform_rejected",
    reference: mark,
    made: "{}",
    earlier: "[]",
  };
  const terms = {
    terms: TERMS,
    goal: "failed",
    currency: "EUR",
    decimals: 2,
    platform: "facebook",
    updated_at: Date.now(),
    created_at: 1,
  };
  const brand = {
    logo_name: markup("brand"),
    name: markup("brand"),
    support: markup("brand"),
    return_label: markup("brand"),
    updated_at: 1,
  };
  await insert("brandings", { project_id: id, ...brand });
  const deletion = {
    deleted_id: 1_000_000 + id,
    requested_by: `${markup("person")}${id}`,
    requested_at: 1,
    options: "{}",
    step: "rows",
  };
  await insert("project_deletions", { ...deletion, name: markup("deleted"), step_at: 1, gone: "{}", remains: "{}" });
  const boosted = { ...campaign, ...terms, project_id: id, post_id: post, channel_id: rows.channel };
  const campaignId = await insert("campaigns", boosted);
  await markedWait(id, rows.channel);
  await insert("audit_entries", {
    project_id: id,
    at: 1,
    source: "operator",
    actor: markup("actor"),
    action: "x",
    path: markup("actor"),
  });
  const spending = await insert("spending_requests", {
    project_id: id,
    answered_by: markup("spending"),
    token_id: 1,
    terms_hash: "h",
    question: markup("spending"),
    state: "pending",
    terms: JSON.stringify({ name: markup("spending") }),
    created_at: 1,
    expires_at: Date.now() * 2,
  });
  await insert("access_requests", {
    kind: "app",
    state: "pending",
    page_hash: await sha256Hex(`marked-${id}`),
    client_hash: "",
    client_name: markup("client"),
    redirect_uri: "https://agents.example/",
    network: "",
    region: "",
    origin: markup("client"),
    requested: "[]",
    interval_seconds: 5,
    is_too_soon: 0,
    created_at: 1,
    expires_at: Date.now() * 2,
  });
  return {
    browser,
    id,
    rows: { ...rows, conversation, post, spending, campaign: campaignId, ...(await markedRooms(id, mark)) },
    link,
  };
}

/** A post that waits, and the job that says why: also in the operator's list. */
async function markedWait(id: number, channel: unknown): Promise<void> {
  const state = { state: "pending", error: null, error_code: null };
  const post = await insert("posts", { ...markedPost(), ...state, project_id: id, channel_id: channel });
  const job = {
    key: `publish:${post}`,
    kind: "publish",
    project_id: id,
    subject_id: post,
    state: "open",
    run_at: 1,
    deadline_at: Date.now() * 2,
    waiting_for: markup("wait"),
    last_shown_wait: markup("wait"),
    waiting_code: "unexpected",
    created_at: 1,
  };
  await insert("jobs", job, "key");
}

/** Rows of bots, generations and webhooks, with their ids by the name in a path. */
async function markedConversation(id: number, channel: unknown): Promise<unknown> {
  const mark = markup("message");
  const person = { person_id: mark, person_name: mark, assigned_to: mark, note: mark };
  const times = { priority: 2, last_message_at: 1, last_inbound_at: 1, ...NEW };
  const conversation = { project_id: id, channel_id: channel, platform: "twitter", ...person, ...times };
  const conversationId = await insert("conversations", conversation);
  const texts = {
    text: mark,
    reason: mark,
    platform_id: mark,
    attachments: JSON.stringify([{ type: mark, url: mark }]),
  };
  const kind = { origin: "elsewhere", state: "sent", is_typed: 0, is_announced: 1, sent_at: 1, created_at: 1 };
  await insert("direct_messages", { project_id: id, conversation_id: conversationId, ...texts, ...kind });
  return conversationId;
}

async function markedRooms(id: number, mark: string) {
  const bot = await insert("automations", {
    project_id: id,
    name: markup("bot"),
    state: "active",
    channel_ids: "[]",
    target_type: "all",
    trigger_type: "keywords",
    keywords: JSON.stringify([markup("bot")]),
    response_type: "both",
    comment_reply: markup("bot"),
    direct_message: markup("bot"),
    response_time: "instant",
    delay_seconds: 0,
    frequency: "once",
    uses_ai: 0,
    active_since: 0,
    ...NEW,
  });
  const comment = {
    project_id: id,
    channel_id: 1,
    post_id: 1,
    comment_id: mark,
    author_name: markup("comment"),
    text: markup("comment"),
    assigned_to: markup("comment"),
    note: markup("comment"),
  };
  await insert("comments", { ...comment, created_at: 1, seen_at: 1 }, "post_id");
  const part = JSON.stringify({ state: "sent", text: markup("comment"), id: "1", at: 1 });
  const reply = {
    automation_id: bot,
    project_id: id,
    post_id: 1,
    comment_id: mark,
    outcome: "replied",
    due_at: 1,
    keyword: mark,
  };
  await insert("replies", { ...reply, message: markup("comment"), comment_part: part, ...NEW });
  const generation = crypto.randomUUID();
  await insert("generations", {
    uuid: generation,
    project_id: id,
    type: "text_only",
    input: markup("generation"),
    origin: CONSOLE_URL,
    state: "failed",
    caption: markup("generation"),
    files: "[]",
    error: markup("generation"),
    error_code: "unexpected",
    created_at: 1,
  });
  const file = "x".repeat(24) + String(id).padStart(8, "0");
  const library = JSON.stringify({ title: markup("file"), altText: markup("file"), tags: [markup("file")] });
  const media = JSON.stringify({ kind: "image", mime: "image/png", width: 1, height: 1, durationSeconds: null });
  await insert("files", {
    project_id: id,
    name: file,
    bytes: 1,
    media,
    is_copy: 0,
    library,
    search_text: "",
    created_at: 1,
  });
  const problem = { row: 1, column: markup("row"), code: "invalid_request", message: markup("row") };
  const rows = { state: "checked", rows: 2, refused: 1, problems: JSON.stringify([problem]) };
  const importId = await insert("imports", { project_id: id, ...rows, ...NEW });
  const repeated = { name: markup("series"), rule: "FREQ=DAILY", start_time: "2030-01-01 09:00", time_zone: "UTC" };
  const series = await insert("series", {
    project_id: id,
    ...repeated,
    state: "paused",
    pause_code: "refused",
    pause_reason: markup("series"),
    post: JSON.stringify({ caption_text: markup("series") }),
    next_at: 1,
    next_local: "2030-01-01 09:00",
    ...NEW,
  });
  const post = { caption_text: markup("feed") };
  const read = { url: markup("feed"), publish_mode: "draft", posts: JSON.stringify([post]), include_existing: 0 };
  const last = { kind: "refused", code: "unexpected", message: markup("feed") };
  const stopped = JSON.stringify({ unit: "once", count: 1, last });
  const why = { state: "stopped", problem: JSON.stringify(last), stop_reason: stopped };
  const feed = await insert("feeds", { project_id: id, name: markup("feed"), ...read, ...why, ...NEW });
  const secrets = { secret: "", secret_key: "" };
  const hook = { url: `https://hooks.test/${markup("webhook")}`, description: markup("webhook"), state: "enabled" };
  const webhook = await insert("webhooks", { project_id: id, ...hook, starts_after: 0, ...secrets, ...NEW });
  const tries = [
    {
      at: 1,
      ms: 1,
      status: 500,
      answer: markup("answer"),
      problem: { kind: "address_refused", parts: [markup("answer")] },
    },
  ];
  const sent = {
    url: markup("webhook"),
    message_id: "m",
    type: "webhook.test",
    body: JSON.stringify(markup("webhook")),
    state: "failed",
  };
  const delivery = { project_id: id, webhook_id: webhook, ...sent, attempts: 1, tries: JSON.stringify(tries), ...NEW };
  await insert("webhook_deliveries", delivery);
  return { bot, generation, webhook, file, import: importId, series, feed };
}

const TERMS = JSON.stringify({
  budgetType: "lifetime",
  budgetMinor: 1,
  days: 1,
  objective: "engagement",
  currency: "EUR",
  countries: ["DE"],
  adAccountId: markup("field"),
  interests: [{ id: "1", name: markup("field") }],
  audiences: [markup("field")],
});

function markedPost() {
  const files = { media_urls: JSON.stringify(["javascript:alert(1)"]), alt_texts: JSON.stringify([markup("caption")]) };
  const texts = {
    caption: markup("caption"),
    hash_tags: JSON.stringify([markup("caption")]),
    first_comment: markup("comment"),
  };
  const outcome = {
    state: "failed",
    error: markup("error"),
    error_code: "unexpected",
    permalink: "javascript:alert(1)",
  };
  const kind = { channel_type: "twitter", post_type: "post", publish_mode: "now", time_zone: "UTC", publish_at: 1 };
  const extra = JSON.stringify({ title: markup("field") });
  const metadata = JSON.stringify({ [markup("field")]: markup("field") });
  const empty = { thread: "[]", extra, metadata, options: extra, platform_posts: "[]", external_id: markup("field") };
  return { ...files, ...texts, ...outcome, ...kind, ...empty, created_at: 1, updated_at: Date.now() };
}

const NEW = { created_at: 1, updated_at: 1 };

/** What is wrong with a page, and which marked texts it shows as text or as the value of a field. */
function inspect({ html, headers, url }: Page): { readonly flaws: readonly string[]; readonly shown: readonly Name[] } {
  const $ = load(html);
  const policy = headers.get("Content-Security-Policy") ?? "";
  const nonce = /script-src 'nonce-(\w{22})'/.exec(policy)?.[1];
  const attributes = $("*")
    .toArray()
    .flatMap((element) => Object.keys($(element).attr() ?? {}));
  const flaws = [
    ...($("x-mark").length > 0 ? ["markup became an element"] : []),
    ...attributes.filter((name) => name.startsWith("on") || name === "style").map((name) => `attribute ${name}`),
    ...$("script, style")
      .toArray()
      .filter((element) => $(element).attr("nonce") !== nonce)
      .map(() => "foreign code"),
    ...(/unsafe-|\*|http:/.test(policy) || !policy.startsWith("default-src 'none';") ? [`policy ${policy}`] : []),
    ...(nonce === undefined ? ["no nonce"] : []),
    ...englishOn(html, [...NAMES, "agent"].map(markup)).map((text) => `English: ${text.trim()}`),
    ...(/\/operator(\?|$)/.test(url) ? [] : englishAloneOn(html).map((text) => `only in English: ${text}`)),
    ...($("[href^='javascript:' i], [src^='javascript:' i]").length > 0 ? ["a script as an address"] : []),
  ];
  const texts = [
    $("body").text(),
    $("title").text(),
    ...$("input")
      .toArray()
      .map((input) => $(input).attr("value") ?? ""),
  ];
  const shown = NAMES.filter((name) => texts.some((text) => text.includes(markup(name))));
  return { flaws: flaws.map((flaw) => `${flaw} on ${url}`), shown };
}

describe("markup in a stored text", () => {
  test("is text on every page, under a policy that allows no code but the console's own", async ({ expect }) => {
    const { browser, id, rows, link } = await marked();
    const stranger = newConsoleBrowser(JAPANESE);
    const query = `?search=${encodeURIComponent(markup("field"))}&email=${encodeURIComponent(markup("field"))}&to=${encodeURIComponent(markup("field"))}&external_id=${encodeURIComponent(markup("field"))}`;
    const fill = (path: string) =>
      path
        .replace(":project", String(id))
        .replace("/invitations/:secret", link)
        .replace("/access/:secret", `/access/marked-${id}`)
        .replace(/:(\w+)/g, (part, name: string) => String(rows[name] ?? part));
    const operator = await anOperator();
    const paths = CONSOLE.filter(({ kind }) => kind === "page").map(({ path }) => fill(path));
    const pages = [
      await browser.go(await signInLink({ email: newEmail() })),
      await stranger.go(`${CONSOLE_URL}${link}`),
    ];
    for (const path of paths) pages.push(await browser.go(`${CONSOLE_URL}${path}${query}`));
    for (const path of paths.filter((one) => one.startsWith("/operator"))) {
      pages.push(await operator.go(`${CONSOLE_URL}${path.replace(":number", String(id))}`));
    }
    for (const path of paths) pages.push(await stranger.go(`${CONSOLE_URL}${path}${query}`));
    expect(pages.filter(({ status }) => status >= 500).map(({ url }) => url)).toEqual([]);
    const found = pages.filter(({ headers }) => headers.get("Content-Type")?.startsWith("text/html")).map(inspect);
    expect(found.flatMap(({ flaws }) => flaws)).toEqual([]);
    // Otherwise a page without the text would pass.
    expect(NAMES.filter((name) => !found.some(({ shown }) => shown.includes(name)))).toEqual([]);
    // A new column of texts is marked above, or is one that no page shows.
    expect(await columnsWithout("<x-mark")).toEqual([]);
  });

  test("is text in a form that is refused, and in what an action reports", async ({ expect }) => {
    const browser = await signedIn({ email: newEmail() });
    const form = formTo(await browser.go(`${CONSOLE_URL}/projects/new`), "/projects");
    const values = { name: markup("field"), kind: "test" };
    const refused = await browser.send(filled(form, { ...values, time_zone: markup("field") }));
    expect([refused.status, inspect(refused)]).toEqual([422, { flaws: [], shown: ["field"] }]);
    const created = await browser.send(filled(form, { ...values, time_zone: "UTC" }));
    expect(inspect(created)).toEqual({ flaws: [], shown: ["field"] });
    expect(created.html).toContain("is ready.");
    const wrong = await browser.go(`${CONSOLE_URL}/${encodeURIComponent(markup("field"))}`);
    expect([wrong.status, inspect(wrong).flaws]).toEqual([404, []]);
  });

  test("of a User-Agent is not stored: only names of browsers and systems are", async ({ expect }) => {
    const agent = `${markup("agent")} Firefox/140 <x-mark> Linux`;
    const browser = await signedIn({ email: newEmail() }, newConsoleBrowser({ "User-Agent": agent }));
    const page = await browser.go(`${CONSOLE_URL}/account`);
    expect(page.html).toContain("Firefox on Linux");
    expect(page.html).not.toContain("x-mark");
  });
});
