import { load } from "cheerio";
import { beforeEach, describe, test } from "vitest";
import type { Page } from "../support/browser.ts";
import { deliveriesOf, pass, receiver, webhookOf } from "../support/receiver.ts";
import { CONSOLE_URL, callsOf, filled, formTo, type Owned, owned } from "./console-browser.ts";

const URL = "https://hooks.test/console";
const VALUES = { url: URL, description: "Our shop", which: "all", events_per_request: "1" };

const webhooksOf = ({ id }: Owned) => `${CONSOLE_URL}/projects/${id}/webhooks`;
const secretOn = ({ html }: Page) => load(html)("#secret").text().trim();

async function create(owner: Owned, values: Readonly<Record<string, string>> = {}): Promise<Page> {
  const page = await owner.browser.go(`${webhooksOf(owner)}/new`);
  return owner.browser.send(filled(formTo(page, "/webhooks"), { ...VALUES, ...values }));
}

/** A webhook, with the page that shows it. */
async function created() {
  const owner = await owned();
  const { url } = await create(owner);
  const id = Number(url.split("/").at(-1));
  const open = () => owner.browser.go(url);
  return { owner, id, open, press: async (end: string) => owner.browser.send(formTo(await open(), end)) };
}

beforeEach(() => receiver.reset());

describe("a new webhook", () => {
  test("shows its secret once, and is the API's", async ({ expect }) => {
    const owner = await owned();
    const page = await create(owner, { which: "custom", events: "post.failed", events_per_request: "5" });
    expect(secretOn(page)).toMatch(/^whsec_[A-Za-z0-9+/]{32}$/);
    const again = await owner.browser.go(page.url);
    expect([again.html.includes("whsec_"), callsOf(again)]).toEqual([false, 2]);
    const id = Number(page.url.split("/").at(-1));
    expect(await webhookOf(owner.project, id)).toMatchObject({
      url: URL,
      description: "Our shop",
      events: ["post.failed"],
      events_per_request: 5,
    });
    expect((await owner.browser.go(webhooksOf(owner))).html).toContain(URL);
  });

  test.for([
    [{ url: "http://hooks.test/a" }, "url must begin with https://."],
    [{ url: "https://10.0.0.1/a" }, "url must be a public address"],
    [{ which: "custom" }, "events must have at least 1 entry"],
    [{ events_per_request: "101" }, "events_per_request must be at most 100"],
    [{ events_per_request: "many" }, "events_per_request must be a whole number"],
  ] as const)("is refused as by the API: %o", async ([values, sentence], { expect }) => {
    const refused = await create(await owned(), values);
    expect([refused.status, load(refused.html)(".error").text()]).toEqual([422, expect.stringContaining(sentence)]);
  });
});

describe("deliveries", () => {
  test("show request and answer, and are sent again", async ({ expect }) => {
    const { owner, id, open, press } = await created();
    receiver.answer("/console", () => new Response("<b>no</b>", { status: 500 }));
    expect((await press("/test")).html).toContain("The test event is being sent.");
    await pass();
    const page = await open();
    const text = load(page.html)("main").text();
    for (const part of ["webhook.test", "HTTP 500", "<b>no</b>", "This is a test."]) expect(text).toContain(part);
    expect(callsOf(page)).toBeLessThanOrEqual(3);
    receiver.answer("/console", () => new Response(null, { status: 204 }));
    const [delivery] = await deliveriesOf(owner.project, id);
    expect((await press(`/deliveries/${delivery?.id}/replay`)).html).toContain("The message is being sent again.");
    await pass();
    expect(await deliveriesOf(owner.project, id)).toMatchObject([{ status: "delivered" }]);
    expect((await owner.browser.go(`${webhooksOf(owner)}/${id}?state=failed`)).html).toContain("No message was sent");
  });

  test("of a time range are replayed", async ({ expect }) => {
    const { owner, id, open, press } = await created();
    await owner.project.connect("twitter");
    await pass();
    const before = receiver.at("/console").length;
    expect(before).toBeGreaterThan(0);
    const form = filled(formTo(await open(), `/webhooks/${id}/replay`), { hours: "1", cursor: "" });
    expect((await owner.browser.send(form)).html).toContain(`${before} message`);
    await pass();
    expect(receiver.at("/console")).toHaveLength(2 * before);
    expect((await press("/test")).html).toContain("The test event is being sent.");
  });
});

test("a webhook is changed, disabled, enabled, and gets a new secret", async ({ expect }) => {
  const { owner, id, open, press } = await created();
  const form = filled(formTo(await open(), `/webhooks/${id}`), { ...VALUES, description: "" });
  expect((await owner.browser.send(form)).html).toContain("The webhook is saved.");
  expect(await webhookOf(owner.project, id)).toMatchObject({ description: null, events: null });
  expect((await press("/state")).html).toContain("The webhook is disabled.");
  expect((await open()).html).not.toContain("/test");
  expect((await press("/state")).html).toContain("The webhook is enabled.");
  expect(secretOn(await press("/rotate"))).toMatch(/^whsec_/);
  expect((await open()).html).toContain("The previous secret also signs until");
  expect((await press("/delete")).html).toContain("The webhook was deleted.");
  expect((await open()).status).toBe(404);
});
