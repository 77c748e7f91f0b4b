import { env } from "cloudflare:workers";
import { beforeEach, expect, test } from "vitest";
import { z } from "zod";
import type { Bindings } from "../../src/service/deps.ts";
import { quiet } from "../support/between.ts";
import { advance, advanceTo } from "../support/clock.ts";
import { bindings, cron, queuesIdle } from "../support/queue.ts";
import { DAY, HOUR, MINUTE } from "../support/times.ts";
import { createPost } from "../support/world.ts";
import { CONSOLE_URL, filled, formTo, newEmail, type Owned, owned, signedIn } from "./console-browser.ts";

/** What becomes of a digest whose mail is refused, or whose outcome is unknown. */

const MAIL_URL = "https://mail.test/send";
const withMail: Bindings = Object.assign({ ...bindings }, { MAIL_FROM: "b@example.com", MAIL_URL, MAIL_TOKEN: "t" });
const ACCEPTED = 202;
const Mail = z.object({ to: z.string(), text: z.string() });

interface Received {
  readonly to: string;
  readonly text: string;
  readonly key: string | null;
}
let received: Received[] = [];
let answerTo: (to: string) => number = () => ACCEPTED;

/** A mail server; a status of 0 loses the answer after the mail was accepted. */
const reach = globalThis.fetch;
globalThis.fetch = async (input, init) => {
  const request = new Request(input, init);
  if (request.url !== MAIL_URL) return reach(request);
  const { to, text } = Mail.parse(await request.json());
  received.push({ to, text, key: request.headers.get("Idempotency-Key") });
  const status = answerTo(to);
  if (status === 0) throw new Error("Network connection lost.");
  return new Response(null, { status });
};

beforeEach(() => {
  quiet();
  received = [];
  answerTo = () => ACCEPTED;
});

async function choose({ browser, id }: Pick<Owned, "browser" | "id">, digest: string): Promise<void> {
  const page = await browser.go(`${CONSOLE_URL}/projects/${id}/members`);
  await browser.send(filled(formTo(page, "/members/digest"), { digest }));
}

async function failPost({ project }: Owned, text = "It failed."): Promise<void> {
  const [channel_id = 0] = await project.connect("twitter");
  const channel = { channel_type: "twitter", channel_id } as const;
  const id = await createPost(project, channel, { caption_text: text, publish_mode: "draft" });
  const failed = "UPDATE posts SET state = 'failed', error = ?, error_code = 'unexpected', updated_at = ? WHERE id = ?";
  await env.DB.prepare(failed).bind(text, Date.now(), id).run();
}

/** The next time at which a clock in UTC shows 8:00, on this day of the week if one is given. */
function nextEight(weekday: number | null = null): number {
  let at = Math.ceil((Date.now() - 8 * HOUR + 1) / DAY) * DAY + 8 * HOUR;
  while (weekday !== null && new Date(at).getUTCDay() !== weekday) at += DAY;
  return at;
}

async function dayFrom(at: number): Promise<void> {
  await advanceTo(at);
  for (let step = 0; step < 22; step++) {
    await cron(withMail);
    await queuesIdle(MINUTE, withMail);
    await advance(HOUR);
  }
}

test.for([0, 500, 502, 504])(
  "a mail whose outcome is unknown (%s) is sent once",
  { timeout: 60_000 },
  async (status) => {
    const owner = await owned("UTC");
    await choose(owner, "daily");
    await failPost(owner);
    answerTo = () => status;
    await dayFrom(nextEight());
    expect(received.map(({ to }) => to)).toEqual([owner.email]);
  },
);

test("a server that accepts nothing gets the same mail again, with the same key", { timeout: 60_000 }, async () => {
  const owner = await owned("UTC");
  await choose(owner, "daily");
  await failPost(owner);
  answerTo = () => (received.length < 3 ? 503 : ACCEPTED);
  await dayFrom(nextEight());
  expect(received).toHaveLength(3);
  expect(new Set(received.map(({ key }) => key)).size).toBe(1);
  expect(received[0]?.key).toMatch(/^digest-\d+-\d+-\d{4}-\d\d-\d\d$/);
});

test("a refused address is shown, and keeps no other member's digest", { timeout: 60_000 }, async () => {
  const owner = await owned("UTC");
  await choose(owner, "daily");
  const email = newEmail();
  const browser = await signedIn({ email, project: owner.project.name, role: "editor" });
  await choose({ browser, id: owner.id }, "daily");
  await failPost(owner);
  answerTo = (to) => (to === owner.email ? 422 : ACCEPTED);
  await dayFrom(nextEight());
  expect(received.map(({ to }) => to).toSorted()).toEqual([email, owner.email].toSorted());
  const { html } = await owner.browser.go(`${CONSOLE_URL}/projects/${owner.id}/members`);
  expect(html.split("The mail server refused the digest to this address").length - 1).toBe(1);
});

test("a Monday that failed is sent on Tuesday, with what fell between", { timeout: 60_000 }, async () => {
  const owner = await owned("UTC");
  await choose(owner, "weekly");
  await advanceTo(nextEight(0));
  await failPost(owner, "On Sunday");
  answerTo = () => 503;
  await dayFrom(nextEight(1));
  await failPost(owner, "On Monday night");
  received = [];
  answerTo = () => ACCEPTED;
  await dayFrom(nextEight(2));
  expect(received).toHaveLength(1);
  expect(received[0]?.text).toContain("On Sunday");
  expect(received[0]?.text).toContain("On Monday night");
});
