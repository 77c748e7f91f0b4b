import { describe, test } from "vitest";
import { z } from "zod";
import { plainClientName } from "../../src/posts/approval/client-name.ts";
import { advance } from "../support/clock.ts";
import { queuesIdle } from "../support/queue.ts";
import { findPost, HANDLES, projectWith } from "../support/world.ts";
import { CONSOLE_URL, filled, formTo, newConsoleBrowser, newEmail, signedIn } from "./console-browser.ts";

/** What a client with a link may do, and what others read of it. */

const Proposed = z.object({ data: z.object({ post_id: z.number() }) });
const Link = z.object({ url: z.string() });
const Events = z.object({ events: z.array(z.object({ type: z.string(), message: z.string(), detail: z.unknown() })) });

const LATER = { publish_mode: "scheduled", schedule_time: "2030-05-05 10:00", time_zone: "UTC" };

async function linked(more: object = LATER) {
  const { project, channel } = await projectWith("twitter", HANDLES.fern);
  const body = { ...channel, post_type: "post", caption_text: `For a client ${crypto.randomUUID()}`, media_urls: [] };
  const proposed = await project.call("POST", "/social/propose-post", { body: { ...body, ...more } });
  const id = Proposed.parse(proposed.body).data.post_id;
  const owner = { email: newEmail(), browser: newConsoleBrowser() };
  await signedIn({ email: owner.email, project: project.name }, owner.browser);
  const { url } = Link.parse((await project.call("POST", `/social/create-approval-link/${id}`, {})).body);
  const events = async () => Events.parse((await project.call("GET", `/social/get-post-events/${id}`)).body).events;
  return { project, id, url, owner, events };
}

async function send(url: string, values: Readonly<Record<string, string>>) {
  const client = newConsoleBrowser();
  const page = await client.go(url);
  return client.send(filled(formTo(page, new URL(url).pathname), { note: "", ...values }));
}

describe("a client with a link", () => {
  test("does not publish at once what is scheduled for later", async ({ expect }) => {
    const { project, id, url } = await linked();
    await send(url, { answer: "approve", name: "Ann", instead: "now" });
    await queuesIdle();
    expect(await findPost(project, id)).toMatchObject({ STATUS: "scheduled" });
  });

  test("publishes at once what is late", async ({ expect }) => {
    const soon = new Date(Date.now() + 3_600_000).toISOString().slice(0, 16).replace("T", " ");
    const { project, id, url } = await linked({ ...LATER, schedule_time: soon });
    await advance(2 * 3_600_000);
    await send(url, { answer: "approve", name: "Ann" });
    await queuesIdle();
    expect(await findPost(project, id)).toMatchObject({ STATUS: "published" });
  });

  test("signs as a client by somebody's link, whatever the name says", async ({ expect }) => {
    const { id, url, owner, events } = await linked();
    await send(url, { answer: "comment", name: `${owner.email}\u202e\u200b`, note: "One" });
    await send(url, { answer: "approve", name: "Ann” by the link of “Eve" });
    const [comment, approved] = ["post.approval_comment", "post.approved"].map(
      async (type) => (await events()).find((event) => event.type === type)?.message,
    );
    expect(await comment).toMatch(
      new RegExp(`^Client “${owner.email}” by the link of access token \\d+ commented\\.$`),
    );
    expect(await approved).toMatch(
      /^Client “Ann by the link of Eve” by the link of access token \d+ approved the post\.$/,
    );
    const { url: home } = await owner.browser.go(CONSOLE_URL);
    const page = await owner.browser.go(`${home.replace(/(projects\/\d+).*/, "$1")}/posts/${id}`);
    expect(page.html).toContain("Client “Ann by the link of Eve” by the link of access token");
  });

  test("needs a name of which something can be seen", async ({ expect }) => {
    const { url, events } = await linked();
    const refused = await send(url, { answer: "comment", name: "\u200b\u2060\u00ad", note: "Hello" });
    expect(refused.status).toBe(422);
    expect((await events()).map(({ type }) => type)).not.toContain("post.approval_comment");
  });

  test("is in the audit log with each answer that counts", async ({ expect }) => {
    const { url, owner } = await linked();
    await send(url, { answer: "comment", name: "Ann", note: "Please wait" });
    await send(url, { answer: "send_back", name: "Ann", note: "Another picture" });
    await send(url, { answer: "approve", name: "Ann" }).catch(() => null);
    const home = (await owner.browser.go(CONSOLE_URL)).url.replace(/(projects\/\d+).*/, "$1");
    const { html } = await owner.browser.go(`${home}/audit/export`);
    const lines = html.split("\n").flatMap((line) => (line.includes('"client"') ? [JSON.parse(line)] : []));
    expect(lines.map(({ action, state }) => [action, state])).toEqual([
      ["/approve/:secret/send_back", "done"],
      ["/approve/:secret/comment", "done"],
    ]);
    for (const { actor, path } of lines) {
      expect(actor).toMatch(/^Client “Ann” by the link of access token \d+$/);
      expect(path).toMatch(/^\/console\/projects\/\d+\/posts\/\d+$/);
    }
  });
});

test("a client's name has no character that nobody sees, nor one that closes the quotation", ({ expect }) => {
  for (const code of [0x202e, 0x200b, 0x200f, 0x2066, 0xfeff, 0xad, 0x2028, 0xe0041, 0x3164])
    expect(plainClientName(`A${String.fromCodePoint(code)}b`), code.toString(16)).toBe("Ab");
  expect(plainClientName(" “Ann”  Müller ")).toBe("Ann Müller");
});
