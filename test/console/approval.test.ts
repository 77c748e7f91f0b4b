import { describe, test } from "vitest";
import { z } from "zod";
import { advance } from "../support/clock.ts";
import { queuesIdle } from "../support/queue.ts";
import { sandbox } from "../support/sandbox.ts";
import { findPost, HANDLES, type Project, projectWith } from "../support/world.ts";
import { CONSOLE_URL, filled, formTo, newConsoleBrowser, newEmail, peek, signedIn } from "./console-browser.ts";

const DAY = 86_400_000;
const Proposed = z.object({ data: z.object({ post_id: z.number() }) });
const Link = z.object({ url: z.string(), expires_at: z.string() });

async function proposed(more = {}) {
  const { project, channel } = await projectWith("twitter", HANDLES.fern);
  const text = `Proposed ${crypto.randomUUID()}`;
  const body = { ...channel, post_type: "post", caption_text: text, media_urls: [], publish_mode: "now", ...more };
  const answer = await project.call("POST", "/social/propose-post", { body });
  const id = Proposed.parse(answer.body).data.post_id;
  return { project, channel, text, id };
}

/** A browser of a member, and the path of the post's page. */
async function member(project: Project, id: number, role: "author" | "editor") {
  const browser = await signedIn({ email: newEmail(), project: project.name, role });
  const { url } = await browser.go(CONSOLE_URL);
  return { browser, path: `/projects/${/projects\/(\d+)/.exec(url)?.[1]}/posts/${id}` };
}

const linkOf = async (project: Project, id: number) =>
  Link.parse((await project.call("POST", `/social/create-approval-link/${id}`, {})).body).url;

const revisionOf = (html: string) => Number(/name="revision" value="(\d+)"/.exec(html)?.[1]);

describe("approval in the console", () => {
  test("an editor approves a post that is listed, and it is published once", async ({ expect }) => {
    const { project, id, text } = await proposed();
    const { browser, path } = await member(project, id, "editor");
    for (const page of ["approvals", ""]) {
      expect((await peek(browser, path.replace(/\/posts.*/, page && `/${page}`))).html).toContain(text);
    }
    const page = await browser.go(`${CONSOLE_URL}${path}`);
    const forms = [formTo(page, "/approve"), formTo(page, "/approve")];
    const done = await Promise.all(forms.map((form) => browser.send(form)));
    expect(done.map(({ status }) => status)).toEqual([200, 200]);
    await queuesIdle();
    expect(await sandbox.postsWith(text)).toHaveLength(1);
    expect((await browser.go(`${CONSOLE_URL}${path}`)).html).toContain("Approved");
  });

  test("a post is sent back with a note, and its author requests approval again", async ({ expect }) => {
    const { project, id } = await proposed();
    const [editor, author] = [await member(project, id, "editor"), await member(project, id, "author")];
    const page = await editor.browser.go(`${CONSOLE_URL}${editor.path}`);
    const refused = await editor.browser.send(filled(formTo(page, "/send-back"), { note: "" }));
    expect(refused.status).toBe(422);
    await editor.browser.send(filled(formTo(page, "/send-back"), { note: "Name the price." }));
    const shown = await author.browser.go(`${CONSOLE_URL}${author.path}`);
    expect(shown.html).toContain("Name the price.");
    expect(shown.html).not.toContain('action="/console/approve');
    const again = filled(formTo(shown, "/request-approval"), { mode: "now", note: "Done." });
    expect((await author.browser.send(again)).html).toContain("waits for approval");
    expect((await editor.browser.go(`${CONSOLE_URL}${editor.path}`)).html).toContain("Done.");
  });

  test("a post that changed since the page was opened is not approved", async ({ expect }) => {
    const { project, id, text } = await proposed();
    const { browser, path } = await member(project, id, "editor");
    const page = await browser.go(`${CONSOLE_URL}${path}`);
    await project.call("PUT", `/social/update-post/${id}`, { body: { caption_text: `${text} changed` } });
    const refused = await browser.send(formTo(page, "/approve"));
    expect([refused.status, refused.html.includes("has changed since")]).toEqual([422, true]);
    await queuesIdle();
    expect(await findPost(project, id)).toMatchObject({ STATUS: "draft" });
  });

  test("a time that has passed leaves publishing now", async ({ expect }) => {
    const year = new Date(Date.now() + 2 * DAY).toISOString().slice(0, 10);
    const { project, id, text } = await proposed({
      publish_mode: "scheduled",
      schedule_time: `${year} 10:00`,
      time_zone: "UTC",
    });
    await advance(4 * DAY);
    const { browser, path } = await member(project, id, "editor");
    const page = await browser.go(`${CONSOLE_URL}${path}`);
    expect(page.html).toContain("Approve and publish now");
    await browser.send(formTo(page, "/approve"));
    await queuesIdle();
    expect(await sandbox.postsWith(text)).toHaveLength(1);
  });
});

describe("a link for a client", () => {
  test("comments, and approves once, without an account", async ({ expect }) => {
    const { project, id, text } = await proposed();
    const url = await linkOf(project, id);
    const client = newConsoleBrowser();
    const page = await client.go(url);
    expect(page.html).toContain(text);
    const form = formTo(page, url.slice(url.indexOf("/approve")));
    const given = { name: "Ada", note: "Lovely.", revision: String(revisionOf(page.html)), instead: "" };
    const nameless = await client.send(filled(form, { ...given, name: "", answer: "approve" }));
    expect(nameless.status).toBe(422);
    expect((await client.send(filled(form, { ...given, answer: "comment" }))).html).toContain("comment was sent");
    expect((await client.send(filled(form, { ...given, note: "", answer: "send_back" }))).status).toBe(422);
    const answers = await Promise.all([1, 2].map(() => client.send(filled(form, { ...given, answer: "approve" }))));
    expect(answers.map(({ status }) => status)).toEqual([200, 200]);
    await queuesIdle();
    expect(await sandbox.postsWith(text)).toHaveLength(1);
    expect((await client.go(url)).html).toContain("needs no decision");
    const { body } = await project.call("GET", `/social/get-post-events/${id}`);
    const ADA = expect.stringMatching(/^Client “Ada” by the link of access token \d+$/);
    expect(body).toMatchObject({
      events: expect.arrayContaining([
        expect.objectContaining({ type: "post.approval_comment", detail: { by: ADA, note: "Lovely." } }),
        expect.objectContaining({ type: "post.approved", detail: { by: ADA, note: "Lovely." } }),
      ]),
    });
  });

  test("is void once it was revoked, replaced or changed, has expired, or its post is deleted", async ({ expect }) => {
    const { project, id } = await proposed();
    const browser = newConsoleBrowser();
    const isVoid = async (url: string) => (await browser.go(url)).html.includes("This link is not valid");
    const first = await linkOf(project, id);
    expect(await isVoid(first)).toBe(false);
    const [head, body, mac] = first.split(".");
    expect(await isVoid(`${head}.${body}x.${mac}`)).toBe(true);
    const second = await linkOf(project, id);
    expect([await isVoid(first), await isVoid(second)]).toEqual([true, false]);
    await project.call("DELETE", `/social/delete-approval-link/${id}`, {});
    expect(await isVoid(second)).toBe(true);
    const third = await linkOf(project, id);
    await advance(15 * DAY);
    expect(await isVoid(third)).toBe(true);
    const fourth = await linkOf(project, id);
    await project.call("DELETE", `/social/delete-post/${id}`, {});
    expect(await isVoid(fourth)).toBe(true);
    // What is signed for another purpose is no link.
    const started = await project.call("POST", "/social/connect-channel", { body: { userId: "user-1" } });
    const { connect_token: token } = z.object({ connect_token: z.string() }).parse(started.body);
    expect(await isVoid(first.replace(/[^/]+$/, token))).toBe(true);
    const refused = await browser.go(fourth, { method: "POST", body: new URLSearchParams({ answer: "approve" }) });
    expect(refused.status).toBeGreaterThanOrEqual(400);
  });
});
