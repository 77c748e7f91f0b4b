import { env } from "cloudflare:workers";
import { expect, test } from "vitest";
import { nameInMail } from "../../src/mail/mail-name.ts";
import { advance } from "../support/clock.ts";
import { DAY } from "../support/times.ts";
import { call } from "../support/world.ts";
import { CONSOLE_URL, filled, formTo, invite, newEmail, type Owned, owned } from "./console-browser.ts";

/** Mails to people who did not ask for them: how many, and with whose words. */

async function revokeAll({ browser, id }: Owned): Promise<void> {
  const page = await browser.go(`${CONSOLE_URL}/projects/${id}/members`);
  const path = /\/console(\/projects\/\d+\/invitations\/\d+\/revoke)/.exec(page.html)?.[1];
  if (path) await browser.send(formTo(page, path));
}

/** The answer to a form that was just opened: each acts once. */
async function answered({ browser, id }: Owned, email: string): Promise<readonly [number, string]> {
  const page = await browser.go(`${CONSOLE_URL}/projects/${id}/members/invite`);
  const answer = await browser.send(filled(formTo(page, "/invite"), { email, role: "viewer" }));
  return [answer.status, answer.html];
}

test("an address gets three invitations a day from all projects together", async () => {
  const [first, second] = [await owned(), await owned()];
  const email = newEmail();
  for (const owner of [first, second, first]) {
    expect(await invite(owner, { email, role: "viewer" })).not.toBe("");
    await revokeAll(owner);
  }
  for (const owner of [first, second]) {
    expect(await answered(owner, email)).toEqual([429, expect.stringContaining("Too many invitations today")]);
  }
  expect(await invite(second, { email: newEmail(), role: "viewer" })).not.toBe("");
  expect(await invite(second, { role: "viewer" })).not.toBe("");
  await advance(DAY + 1_000);
  expect(await invite(await owned(), { email, role: "viewer" })).not.toBe("");
});

test("an address has one open invitation to a project", async () => {
  const owner = await owned();
  const email = newEmail();
  const both = await Promise.all([invite(owner, { email, role: "viewer" }), invite(owner, { email, role: "editor" })]);
  expect(both.filter((link) => link !== "")).toHaveLength(1);
  expect(await answered(owner, email)).toEqual([422, expect.stringContaining("has an open invitation")]);
  await revokeAll(owner);
  expect(await invite(owner, { email, role: "viewer" })).not.toBe("");
});

test("a project invites fifty addresses a day", { timeout: 120_000 }, async () => {
  const owner = await owned();
  const statuses: number[] = [];
  for (let count = 0; count < 52; count++) {
    const [status] = await answered(owner, newEmail());
    statuses.push(status);
  }
  expect(statuses.filter((status) => status === 200)).toHaveLength(50);
  expect(statuses.slice(50)).toEqual([429, 429]);
});

test.for([
  ["Acme https://evil.example/pay?x=1", "Acme https evil example pay?x=1"],
  ["pay.evil.example", "pay evil example"],
  ["write to eve@evil.example", "write to eve evil example"],
  ["evil．example。com", "evil example com"],
  ["Two\r\nBcc: all", "Two Bcc all"],
  ["abc\u202Edef\u200B\u0007g", "abc def g"],
  ["St. Mary & Söhne (2)", "St. Mary & Söhne (2)"],
  ["\u200B", "…"],
] as const)("a name in a mail holds no address and nothing unseen: %j", ([name, shown]) => {
  expect(nameInMail(name)).toBe(shown);
});

test.for(["Pay https://evil.example", "www.evil.example", "eve@evil.example", "two\nlines", "abc\u202Edef"])(
  "the operator's command creates no project called %j",
  async (project) => {
    const headers = { "X-Operator-Key": env.OPERATOR_KEY };
    expect((await call("POST", "/internal/tokens", { headers, body: { project } })).status).toBe(422);
  },
);
