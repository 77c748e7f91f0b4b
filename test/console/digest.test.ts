import { env } from "cloudflare:workers";
import { beforeEach, describe, test } from "vitest";
import { z } from "zod";
import type { Bindings } from "../../src/service/deps.ts";
import { answering, quiet } from "../support/between.ts";
import { advance, advanceTo } from "../support/clock.ts";
import { bindings, cron, queue, queuesIdle } from "../support/queue.ts";
import { createPost, door, ORIGIN } from "../support/world.ts";
import { CONSOLE_URL, filled, formTo, type Owned, owned } from "./console-browser.ts";

/** The digest of failures and expiring channels, which the minute cron sends. */

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const MAIL_URL = "https://mail.test/send";
/** Bindings of its own: the service reads their configuration once, maybe for an earlier file of tests. */
const withMail: Bindings = Object.assign(
  { ...bindings },
  { MAIL_FROM: "belfry@example.com", MAIL_URL, MAIL_TOKEN: "the mail token" },
);

const Mail = z.object({
  to: z.string(),
  subject: z.string(),
  text: z.string(),
  headers: z.record(z.string(), z.string()),
});
type Mail = z.output<typeof Mail>;
let received: Promise<Mail>[] = [];
let refusals = 0;
const sentMails = () => Promise.all(received);

beforeEach(() => {
  quiet();
  received = [];
  refusals = 0;
  answering((request) => (request.url === MAIL_URL ? receive(request) : null));
});

function receive(request: Request): Response {
  if (refusals-- > 0) return new Response(null, { status: 503 });
  received.push(request.clone().json().then(Mail.parse));
  return new Response(null, { status: 202 });
}

async function choose({ browser, id }: Owned, digest: string): Promise<string> {
  const page = await browser.go(`${CONSOLE_URL}/projects/${id}/members`);
  return (await browser.send(filled(formTo(page, "/members/digest"), { digest }))).html;
}

async function failPost({ project }: Owned): Promise<void> {
  const [channel_id = 0] = await project.connect("twitter");
  const id = await createPost(
    project,
    { channel_type: "twitter", channel_id },
    { caption_text: "It", publish_mode: "draft" },
  );
  const failed =
    "UPDATE posts SET state = 'failed', error = 'X refused it.', error_code = 'unexpected', updated_at = ? WHERE id = ?";
  await env.DB.prepare(failed).bind(Date.now(), id).run();
}

/** The next time at which a clock in UTC shows 8:00, on a Monday if wanted. */
function nextEight(onMonday = false): number {
  let at = Math.ceil((Date.now() - 8 * HOUR + 1) / DAY) * DAY + 8 * HOUR;
  while (onMonday && new Date(at).getUTCDay() !== 1) at += DAY;
  return at;
}

async function runAt(at: number): Promise<void> {
  await advanceTo(at);
  await cron(withMail);
  await queuesIdle(MINUTE, withMail);
}
const MINUTE = 60_000;

describe("a digest", () => {
  test("reports failures at 8:00 in the project's zone, once, and ends by one click", async ({ expect }) => {
    const owner = await owned("UTC");
    expect(await choose(owner, "daily")).toContain("receive the digest daily");
    await failPost(owner);
    const at = nextEight();
    await runAt(at - 2 * MINUTE);
    expect(await sentMails()).toEqual([]);
    await advanceTo(at);
    await cron(withMail);
    const messages = [...queue.messages];
    await queuesIdle(MINUTE, withMail);
    expect(received).toHaveLength(1);
    const [mail] = await sentMails();
    expect(mail).toMatchObject({
      to: owner.email,
      subject: `${owner.project.name}: 1 failed`,
      text: expect.stringMatching(
        new RegExp(`^- [\\w ]+: X refused it\\.\\n  ${CONSOLE_URL}/projects/${owner.id}/posts/\\d+$`, "m"),
      ),
    });
    expect(messages.length).toBeGreaterThan(0);
    // The task runs again on the same day: nothing is sent twice.
    await env.DB.prepare("UPDATE recurring SET due_at = ?, sent_at = NULL WHERE kind = 'digest'")
      .bind(Date.now())
      .run();
    await runAt(Date.now() + MINUTE);
    expect(received).toHaveLength(1);
    const { headers } = Mail.parse(mail);
    const url = /^<(.*)>$/.exec(headers["List-Unsubscribe"] ?? "")?.[1] ?? "";
    expect(headers["List-Unsubscribe-Post"]).toBe("List-Unsubscribe=One-Click");
    expect((await door(new Request(`${url}x`, { method: "POST" }))).status).toBe(404);
    const shown = await (await door(new Request(url))).text();
    expect([shown.includes("Stop the digest?"), await digestOf(owner)]).toEqual([true, "daily"]);
    const body = new URLSearchParams({ "List-Unsubscribe": "One-Click" });
    expect((await door(new Request(url, { method: "POST", body }))).status).toBe(200);
    expect([url.startsWith(`${ORIGIN}/unsubscribe/`), await digestOf(owner)]).toEqual([true, "off"]);
    await failPost(owner);
    await runAt(nextEight());
    expect(received).toHaveLength(1);
  });

  test("is not sent when nothing needs attention, and on Mondays only if it is weekly", async ({ expect }) => {
    const [quietOwner, weekly] = [await owned("UTC"), await owned("UTC")];
    await choose(quietOwner, "daily");
    await choose(weekly, "weekly");
    await advanceTo(nextEight(true) + HOUR);
    await failPost(weekly);
    for (let day = 0; day < 7; day++) await runAt(nextEight());
    expect((await sentMails()).map(({ to }) => to)).toEqual([weekly.email]);
    expect(new Date(Date.now()).getUTCDay()).toBe(1);
  });

  test("that the mail server refused is sent later, once", async ({ expect }) => {
    const owner = await owned("UTC");
    await choose(owner, "daily");
    await failPost(owner);
    refusals = 1;
    await runAt(nextEight());
    expect(await sentMails()).toEqual([]);
    await advance(HOUR);
    await cron(withMail);
    await queuesIdle(2 * HOUR, withMail);
    expect((await sentMails()).map(({ to }) => to)).toEqual([owner.email]);
  });
});

async function digestOf({ id }: Owned): Promise<string | null> {
  return env.DB.prepare("SELECT digest FROM memberships WHERE project_id = ?").bind(id).first<string>("digest");
}
