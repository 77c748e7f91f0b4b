import { env } from "cloudflare:workers";
import { describe, test } from "vitest";
import { z } from "zod";
import { answering } from "../support/between.ts";
import { advance } from "../support/clock.ts";
import { call, door, HANDLES, ORIGIN, projectWith } from "../support/world.ts";
import {
  CONSOLE_URL,
  callsOf,
  enterCode,
  filled,
  formTo,
  invite,
  isSignedIn,
  newConsoleBrowser,
  newEmail,
  type Owned,
  owned,
  peek,
  requestCode,
  signedIn,
} from "./console-browser.ts";

/** What people leave in a project when they go, and what their accounts are told. */

const SENDER = { MAIL_FROM: "belfry@example.com", MAIL_URL: "https://mail.test/send", MAIL_TOKEN: "token" };

const Message = z.object({ to: z.string(), subject: z.string(), text: z.string() });
const received: Promise<z.output<typeof Message>>[] = [];
/** A mail server: what it gets for an address. */
function mails() {
  answering((request) => {
    if (request.url !== SENDER.MAIL_URL) return null;
    received.push(
      request
        .clone()
        .json()
        .then((body) => Message.parse(body)),
    );
    return new Response(null, { status: 202 });
  });
  return async (to: string) => (await Promise.all(received)).filter((one) => one.to === to);
}

/** A second owner of the project, in a browser. */
async function secondOwner({ project }: Owned) {
  const email = newEmail();
  return { email, browser: await signedIn({ email, project: project.name, role: "owner" }) };
}

async function newToken({ browser, id }: Pick<Owned, "browser" | "id">, name: string): Promise<string> {
  const form = formTo(await browser.go(`${CONSOLE_URL}/projects/${id}/tokens/new`), "/tokens");
  const fields = { name, task: "publish", expiry: "never", days: "", date: "" };
  return /blf_[0-9A-Za-z]{42}/.exec((await browser.send(filled(form, fields))).html)?.[0] ?? "";
}

/** By the device flow. */
async function terminalToken({ browser, id }: Pick<Owned, "browser" | "id">): Promise<string> {
  const send = async (path: string, body: Record<string, string>) =>
    (await door(new Request(`${ORIGIN}/oauth/${path}`, { method: "POST", body: new URLSearchParams(body) }))).json();
  const Opened = z.object({ device_code: z.string(), verification_uri_complete: z.string() });
  const opened = Opened.parse(await send("device", { client_id: "belfry-terminal" }));
  const page = await browser.send(formTo(await browser.go(opened.verification_uri_complete), "/device"));
  const choice = { task: "publish", expiry: "days", days: "30", date: "", project: String(id) };
  await browser.send(filled(formTo(page, "/allow"), choice));
  await advance(6_000);
  const grant_type = "urn:ietf:params:oauth:grant-type:device_code";
  const body = { grant_type, device_code: opened.device_code, client_id: "belfry-terminal" };
  return z.object({ access_token: z.string() }).parse(await send("token", body)).access_token;
}

const works = async (token: string) => (await call("GET", "/social/get-channels", { token })).status === 200;

async function memberId({ email }: { readonly email: string }): Promise<number> {
  return (await env.DB.prepare("SELECT id FROM people WHERE email = ?").bind(email).first<number>("id")) ?? 0;
}

const membersOf = ({ browser, id }: Pick<Owned, "browser" | "id">) =>
  browser.go(`${CONSOLE_URL}/projects/${id}/members`);

type Going = (owner: Owned, other: { readonly email: string; readonly browser: Owned["browser"] }) => Promise<void>;

const GOINGS: readonly (readonly [string, Going])[] = [
  [
    "removed",
    async (owner, other) => {
      const page = await membersOf(owner);
      await owner.browser.send(formTo(page, `/members/${await memberId(other)}/remove`));
    },
  ],
  [
    "demoted",
    async (owner, other) => {
      const form = formTo(await membersOf(owner), `/members/${await memberId(other)}/role`);
      await owner.browser.send(filled(form, { role: "viewer" }));
    },
  ],
  [
    "gone by herself",
    async (owner, other) => {
      await other.browser.send(formTo(await membersOf({ ...owner, browser: other.browser }), "/leave"));
    },
  ],
  [
    "gone with her account",
    async (_, other) => {
      await other.browser.send(formTo(await other.browser.go(`${CONSOLE_URL}/account`), "/account/delete"));
    },
  ],
];

describe("an owner who is", { timeout: 120_000 }, () => {
  test.for(GOINGS)(
    "%s leaves a list with one button, and takes the access of her terminal along",
    async ([, go], { expect }) => {
      const owner = await owned();
      const other = await secondOwner(owner);
      const mine = { ...owner, browser: other.browser };
      const name = `Hers ${crypto.randomUUID()}`;
      const [hers, terminal, kept] = [
        await newToken(mine, name),
        await terminalToken(mine),
        await newToken(owner, "Mine"),
      ];
      await invite(mine, { role: "viewer" });
      expect(await Promise.all([works(hers), works(terminal), works(kept)])).toEqual([true, true, true]);
      expect((await membersOf(owner)).html).not.toContain("Left behind");
      await go(owner, other);
      await advance(2_000);
      expect(await Promise.all([works(hers), works(terminal), works(kept)])).toEqual([true, false, true]);
      const page = await membersOf(owner);
      for (const text of ["Left behind", name, other.email, "1 open invitation"]) expect(page.html).toContain(text);
      expect(page.html).not.toContain("Access tokens: Mine");
      expect(callsOf(page)).toBeLessThanOrEqual(3);
      const done = await owner.browser.send(formTo(page, "/left-behind"));
      expect(done.html).toContain("Everything of this person is revoked.");
      expect(done.html).not.toContain("Left behind");
      await advance(2_000);
      expect(await Promise.all([works(hers), works(kept)])).toEqual([false, true]);
    },
  );
});

test("a link for a client by an editor who left is listed and revoked", async ({ expect }) => {
  const { project, channel } = await projectWith("twitter", HANDLES.fern);
  const [ownerEmail, editorEmail] = [newEmail(), newEmail()];
  const owner = await signedIn({ email: ownerEmail, project: project.name });
  const editor = await signedIn({ email: editorEmail, project: project.name, role: "editor" });
  const id = Number(/projects\/(\d+)/.exec((await owner.go(CONSOLE_URL)).url)?.[1]);
  const body = { ...channel, post_type: "post", caption_text: "Linked", media_urls: [], publish_mode: "now" };
  const proposed = await project.call("POST", "/social/propose-post", { body });
  const { post_id } = z.object({ data: z.object({ post_id: z.number() }) }).parse(proposed.body).data;
  const form = formTo(await editor.go(`${CONSOLE_URL}/projects/${id}/posts/${post_id}`), "/approval-link");
  const link = /http\S+approve\/[\w.-]+/.exec((await editor.send(form)).html)?.[0] ?? "";
  const client = newConsoleBrowser();
  expect((await client.go(link)).html).toContain("Linked");
  await editor.send(formTo(await editor.go(`${CONSOLE_URL}/projects/${id}/members`), "/leave"));
  const page = await owner.go(`${CONSOLE_URL}/projects/${id}/members`);
  expect(page.html).toContain("1 link for a client");
  await owner.send(formTo(page, "/left-behind"));
  expect((await client.go(link)).html).not.toContain("Linked");
});

describe("an account", () => {
  test("is deleted with its sessions and memberships, and its address can begin again", async ({ expect }) => {
    const owner = await owned();
    const { email, browser } = await secondOwner(owner);
    const form = formTo(await browser.go(`${CONSOLE_URL}/account`), "/account/delete");
    const done = await browser.send(form);
    expect(done.html).toContain("Your account is deleted.");
    expect(await isSignedIn(browser)).toBe(false);
    for (const table of ["people", "users"])
      expect(await env.DB.prepare(`SELECT id FROM ${table} WHERE email = ?`).bind(email).first()).toBeNull();
    expect((await membersOf(owner)).html).not.toContain(`>${email}`);
    const again = await signedIn({ email });
    expect((await again.go(`${CONSOLE_URL}/projects`)).html).toContain("Create your first project");
  });

  test("of a project's only owner is not deleted", async ({ expect }) => {
    const { browser, id } = await owned();
    const form = formTo(await browser.go(`${CONSOLE_URL}/account`), "/account/delete");
    const refused = await browser.send(form);
    expect([refused.status, refused.html]).toEqual([422, expect.stringContaining("only owner of a project")]);
    expect((await peek(browser, `/projects/${id}`)).status).toBe(200);
  });

  test("is notified of a new browser, and not of one that it knows", async ({ expect }) => {
    const received = mails();
    const email = newEmail();
    await signedIn({ email });
    const browser = newConsoleBrowser({}, SENDER);
    const news = async () => (await received(email)).filter(({ subject }) => subject.includes("New sign-in"));
    for (let turn = 0; turn < 2; turn++) {
      const { page, code } = await requestCode(browser, email);
      await enterCode(browser, page, code);
      expect(await isSignedIn(browser)).toBe(true);
      await expect.poll(async () => (await news()).length).toBe(1);
      await browser.send(formTo(await browser.go(`${CONSOLE_URL}/projects`), "/sign-out"));
    }
    expect((await news())[0]?.text).toContain(`${CONSOLE_URL}/account`);
  });

  test("is notified of a token in its name, also of one by a terminal", async ({ expect }) => {
    const received = mails();
    const owner = await owned();
    const browser = await signedIn({ email: owner.email }, newConsoleBrowser({}, SENDER));
    const news = async () => (await received(owner.email)).filter(({ subject }) => subject.includes("access token"));
    expect(await newToken({ ...owner, browser }, "Told")).toMatch(/^blf_/);
    // It is sent after the answer.
    await expect.poll(async () => (await news()).length).toBe(1);
    await terminalToken({ ...owner, browser });
    await expect.poll(async () => (await news()).length).toBe(2);
    expect((await news()).map(({ text }) => /blf_|Told/.test(text))).toEqual([false, false]);
  });
});
