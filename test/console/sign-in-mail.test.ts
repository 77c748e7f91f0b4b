import { load } from "cheerio";
import { beforeEach, describe, test, vi } from "vitest";
import { answering, quiet } from "../support/between.ts";
import type { Page } from "../support/browser.ts";
import { PRODUCTION } from "../support/production.ts";
import {
  CONSOLE_URL,
  enterCode,
  filled,
  formTo,
  invite,
  isSignedIn,
  newAccount,
  newConsoleBrowser,
  newEmail,
  owned,
  requestCode,
} from "./console-browser.ts";

/** E-mail of a deployed service, whose pages never show a code. */

const SENDER = { MAIL_FROM: "belfry@example.com", MAIL_URL: "https://mail.test/send", MAIL_TOKEN: "the mail token" };
const newVisitor = (variables: object = SENDER) => newConsoleBrowser({}, { ...PRODUCTION, ...variables });

/** A mail server, and the requests that reach it. */
function mailServer(answer: () => Response = () => new Response(null, { status: 202 })): Request[] {
  const received: Request[] = [];
  answering((request) => {
    if (request.url !== SENDER.MAIL_URL) return null;
    received.push(request.clone());
    return answer();
  });
  return received;
}

const textOf = ({ html }: Page) => load(html)("main").text();
const codeIn = (message: unknown) => /code for \S+ is (\d{6})/.exec(JSON.stringify(message))?.[1] ?? "";

beforeEach(quiet);

describe("a code by e-mail", () => {
  test("is sent to the address in one authorized request, and signs in", async ({ expect }) => {
    const received = mailServer();
    const email = await newAccount();
    const browser = newVisitor();
    const { page } = await requestCode(browser, email);
    expect(received.map(({ method, headers }) => [method, headers.get("Authorization")])).toEqual([
      ["POST", "Bearer the mail token"],
    ]);
    const message = await received[0]?.json();
    const code = codeIn(message);
    expect(message).toEqual({
      from: "belfry@example.com",
      to: email,
      subject: `${code} is your Belfry code`,
      text: expect.stringContaining(`is ${code}.`),
    });
    expect(page.html).not.toContain(code);
    await enterCode(browser, page, code);
    expect(await isSignedIn(browser)).toBe(true);
  });

  test("is sent through the binding MAIL", async ({ expect }) => {
    const sent: unknown[] = [];
    const MAIL = { send: async (message: unknown) => void sent.push(message) };
    const email = await newAccount();
    const browser = newVisitor({ MAIL_FROM: SENDER.MAIL_FROM, MAIL });
    const { page } = await requestCode(browser, email);
    expect(sent).toEqual([expect.objectContaining({ from: SENDER.MAIL_FROM, to: email })]);
    await enterCode(browser, page, codeIn(sent[0]));
    expect(await isSignedIn(browser)).toBe(true);
  });

  test("is not sent to an address that may not sign in, and the page shows no difference", async ({ expect }) => {
    const received = mailServer();
    const [known, unknown] = [await newAccount(), newEmail()];
    const [first, second] = [await requestCode(newVisitor(), known), await requestCode(newVisitor(), unknown)];
    const messages = await Promise.all(received.map((request) => request.json()));
    expect(messages).toEqual([expect.objectContaining({ to: known })]);
    expect(first.page.status).toBe(200);
    expect(second.page.status).toBe(200);
    expect(textOf(second.page).replace(unknown, known)).toBe(textOf(first.page));
  });

  test.for([
    ["an error", () => new Response("mailbox backend-7 is full", { status: 500 })],
    ["a redirect", () => new Response(null, { status: 302, headers: { Location: "https://elsewhere.test/" } })],
    [
      "no answer",
      () => {
        throw new Error("connection to backend-7 refused");
      },
    ],
  ] as const)("whose mail server gives %s is in the operator's log only", async ([, answer], { expect }) => {
    const received = mailServer(answer);
    const email = await newAccount();
    const log = vi.spyOn(console, "error").mockImplementation(() => undefined);
    const { page } = await requestCode(newVisitor(), email);
    const lines = log.mock.calls.flat().map(String);
    log.mockRestore();
    expect([page.status, received.length]).toEqual([200, 1]);
    expect(textOf(page)).toContain(`If ${email} may sign in`);
    expect(page.html).not.toContain("backend-7");
    expect(lines.filter((line) => line.includes("mail_not_sent"))).toHaveLength(1);
    const code = codeIn(await received[0]?.json());
    for (const hidden of [code, "the mail token"]) expect(lines.join("\n")).not.toContain(hidden);
  });
});

describe("without a way to send e-mail", () => {
  test.for([
    ["nothing", {}],
    ["only a sender", { MAIL_FROM: "belfry@example.com" }],
    ["only a server", { MAIL_URL: SENDER.MAIL_URL }],
  ] as const)("but %s, the page names what is missing and issues no code", async ([, variables], { expect }) => {
    const received = mailServer();
    const browser = newVisitor(variables);
    const email = await newAccount();
    const { page, code } = await requestCode(browser, email);
    expect([page.status, code, received]).toEqual([503, "", []]);
    expect(textOf(page)).not.toMatch(/\d{6}/);
    expect(textOf(page)).not.toContain("on its way");
    for (const part of ["MAIL_FROM", "MAIL_URL", "npm run account -- --email"]) expect(textOf(page)).toContain(part);
  });
});

test("an invitation is sent to its address, with the link", async ({ expect }) => {
  const received = mailServer();
  const owner = await owned();
  const browser = newVisitor();
  const { page } = await requestCode(browser, owner.email);
  await enterCode(browser, page, codeIn(await received[0]?.json()));
  const email = newEmail();
  const link = await invite({ browser, id: owner.id }, { email, role: "viewer" });
  // The second one tells the owner of a new browser.
  expect(await received[2]?.json()).toEqual({
    from: SENDER.MAIL_FROM,
    to: email,
    subject: `Invitation to ${owner.project.name} on Belfry`,
    text: expect.stringContaining(`${CONSOLE_URL}${link}\n`),
  });
  const form = await browser.go(`${CONSOLE_URL}/projects/${owner.id}/members/invite`);
  await browser.send(filled(formTo(form, "/invite"), { email: "", role: "viewer" }));
  expect(received).toHaveLength(3);
});
