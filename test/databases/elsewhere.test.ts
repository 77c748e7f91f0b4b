import { env } from "cloudflare:workers";
import { beforeAll, expect, test } from "vitest";
import { inOrderOfDeletion } from "../../src/projects/tables.ts";
import type { Bindings } from "../../src/service/deps.ts";
import { CONSOLE_URL, filled, formTo, newConsoleBrowser, type Owned, owned } from "../console/console-browser.ts";
import { answering } from "../support/between.ts";
import { advance, advanceTo } from "../support/clock.ts";
import { counts, databases, rowOf, useDatabases } from "../support/databases.ts";
import { bindings, cron, queuesIdle } from "../support/queue.ts";
import { addHook } from "../support/receiver.ts";
import { sandbox } from "../support/sandbox.ts";
import { DAY, HOUR, MINUTE } from "../support/times.ts";
import { type ChannelRef, createPost, door, HANDLES, ORIGIN } from "../support/world.ts";
import { entriesOf } from "../support/zip.ts";

/** What was built for one database, for a project in another one: its people stay in the directory. */
useDatabases();

let owner: Owned;
let channel: ChannelRef;
const caption = `Elsewhere ${crypto.randomUUID()}`;

beforeAll(async () => {
  do owner = await owned("UTC");
  while ((await rowOf(owner.project)).database !== 1);
  const [channel_id = 0] = await owner.project.connect("twitter", [HANDLES.fern]);
  channel = { channel_type: "twitter", channel_id };
  await createPost(owner.project, channel, { caption_text: caption });
  await addHook(owner.project);
  await queuesIdle(MINUTE);
});

test("every page of the console shows it", async () => {
  const { browser, id } = owner;
  const pages = [
    "",
    "/posts",
    "/calendar",
    "/channels",
    "/bots",
    "/campaigns",
    "/generations",
    "/webhooks",
    "/approval",
  ];
  const more = ["/members", "/tokens", "/usage", "/spending", "/audit", "/data", "/settings", "/branding", "/compose"];
  const shown: Record<string, number> = {};
  for (const path of [...pages, ...more])
    shown[path] = (await browser.go(`${CONSOLE_URL}/projects/${id}${path}`)).status;
  expect(Object.entries(shown).filter(([, status]) => status >= 500)).toEqual([]);
  expect((await browser.go(`${CONSOLE_URL}/projects/${id}/posts`)).html).toContain(caption);
});

test("a client approves by a link, and the post is published once", async () => {
  const text = `Proposed ${crypto.randomUUID()}`;
  const body = { ...channel, post_type: "post", media_urls: [], caption_text: text, publish_mode: "now" };
  const proposed = await owner.project.call("POST", "/social/propose-post", { body });
  const { post_id: id } = (proposed.body as { data: { post_id: number } }).data;
  const link = await owner.project.call("POST", `/social/create-approval-link/${id}`);
  const { url } = link.body as { url: string };
  const client = newConsoleBrowser();
  const page = await client.go(url);
  expect(page.html).toContain(text);
  const form = formTo(page, url.slice(url.indexOf("/approve")));
  const sent = await client.send(filled(form, { name: "Ada", note: "Lovely.", instead: "", answer: "approve" }));
  expect(sent.status).toBe(200);
  await queuesIdle(MINUTE);
  expect(await sandbox.postsWith(text)).toHaveLength(1);
});

test("the sweep of its database seals its credentials and secrets with a new key", async () => {
  const old = `test:${btoa("0123456789abcdef0123456789abcdef")}`;
  const next = `next:${btoa("fedcba9876543210fedcba9876543210")}`;
  const changed = { ...bindings, CREDENTIAL_KEYS: `${next},${old}` };
  const withKey = async (table: string, column: string) => counts(table, `${column} LIKE 'next%'`);
  await cron(changed);
  await queuesIdle(MINUTE, changed);
  expect((await withKey("grants", "credentials_key"))[1]).toBeGreaterThan(0);
  expect((await withKey("webhooks", "secret"))[1]).toBeGreaterThan(0);
  const back = { ...bindings, CREDENTIAL_KEYS: `${old},${next}` };
  await cron(back);
  await queuesIdle(MINUTE, back);
  expect((await withKey("grants", "credentials_key"))[1]).toBe(0);
});

test("a deletion that waits for a login goes on after it", async () => {
  const text = `Waits ${crypto.randomUUID()}`;
  const { project } = owner;
  const id = await createPost(project, channel, { caption_text: text });
  await queuesIdle(MINUTE);
  const expired = "UPDATE grants SET health = 'reconnect_needed' WHERE channel_id = ?";
  await databases()[1]?.prepare(expired).bind(channel.channel_id).run();
  expect((await project.call("DELETE", `/social/delete-post/${id}`)).status).toBe(200);
  await queuesIdle(MINUTE);
  expect(await sandbox.postsWith(text)).toHaveLength(1);
  expect(await project.connect("twitter", [HANDLES.fern])).toEqual([channel.channel_id]);
  await queuesIdle(5 * MINUTE);
  expect(await sandbox.postsWith(text)).toHaveLength(0);
});

test("the digest reports its failures, and ends by one click", async () => {
  const received: Request[] = [];
  answering((request) => {
    if (request.url !== "https://mail.test/send") return null;
    received.push(request.clone());
    return new Response(null, { status: 202 });
  });
  const mail = { MAIL_FROM: "belfry@example.com", MAIL_URL: "https://mail.test/send", MAIL_TOKEN: "the mail token" };
  const withMail: Bindings = Object.assign({ ...bindings }, mail);
  const page = await owner.browser.go(`${CONSOLE_URL}/projects/${owner.id}/members`);
  await owner.browser.send(filled(formTo(page, "/members/digest"), { digest: "daily" }));
  const draft = await createPost(owner.project, channel, { caption_text: "It", publish_mode: "draft" });
  const eight = Math.ceil((Date.now() - 8 * HOUR + 1) / DAY) * DAY + 8 * HOUR;
  await advanceTo(eight - MINUTE);
  const failed =
    "UPDATE posts SET state = 'failed', error = 'X refused it.', error_code = 'unexpected', updated_at = ? WHERE id = ?";
  await databases()[1]?.prepare(failed).bind(Date.now(), draft).run();
  await advanceTo(eight);
  await cron(withMail);
  await queuesIdle(MINUTE, withMail);
  expect(received).toHaveLength(1);
  const sent = (await received[0]?.json()) as { text: string; headers: Record<string, string> };
  expect(sent.text).toContain("X refused it.");
  const url = /^<(.*)>$/.exec(sent.headers["List-Unsubscribe"] ?? "")?.[1] ?? "";
  const body = new URLSearchParams({ "List-Unsubscribe": "One-Click" });
  expect((await door(new Request(url, { method: "POST", body }))).status).toBe(200);
  expect(await counts("memberships", `project_id = ${owner.id} AND digest = 'off'`)).toEqual([1, 0, 0]);
});

test("its export has its rows, and its deletion leaves none in any database", async () => {
  const headers = { "X-Operator-Key": env.OPERATOR_KEY, "Content-Type": "application/json" };
  const ask = (path: string, body: object) =>
    door(new Request(`${ORIGIN}/internal/projects/${path}`, { method: "POST", headers, body: JSON.stringify(body) }));
  const { name: project } = owner.project;
  // What the owner did in the console before.
  expect(await counts("audit_entries", `project_id = ${owner.id} AND source = 'console'`)).toEqual([0, 1, 0]);
  const archive = entriesOf(new Uint8Array(await (await ask("export", { project })).arrayBuffer()));
  expect(new TextDecoder().decode(archive.get("posts.jsonl"))).toContain(caption);
  for (const kind of ["channels", "members", "tokens", "webhooks"])
    expect([kind, (archive.get(`${kind}.jsonl`)?.length ?? 0) > 0]).toEqual([kind, true]);
  expect((await ask("delete", { project, id: owner.id })).status).toBe(200);
  let step = "";
  for (let turn = 0; turn < 60 && step !== "done"; turn++) {
    await advance(MINUTE);
    await cron();
    await queuesIdle(MINUTE);
    step = ((await (await ask("deletion", { project })).json()) as { deletion: { step: string } }).deletion.step;
  }
  const left: Record<string, readonly number[]> = {};
  for (const { name } of inOrderOfDeletion().filter(({ columns }) => columns.some((one) => one.name === "project_id")))
    left[name] = await counts(name, `project_id = ${owner.id}`);
  expect(Object.entries(left).filter(([, rows]) => rows.some((count) => count > 0))).toEqual([]);
  expect(step).toBe("done");
  expect(await counts("projects", `id = ${owner.id}`)).toEqual([0, 0, 0]);
});
