import { describe, test } from "vitest";
import {
  CONSOLE_URL,
  enterCode,
  formTo,
  invite,
  isSignedIn,
  newAccount,
  newConsoleBrowser,
  newEmail,
  owned,
  requestCode,
} from "./console-browser.ts";

/** Who gets a code, by `SIGN_UP`. */

const WHO = ["an account", "an invited address", "a link for everyone", "another's invitation", "neither"] as const;
type Who = (typeof WHO)[number];

const ADMITTED: Readonly<Record<"closed" | "invited" | "open", readonly Who[]>> = {
  closed: ["an account"],
  invited: ["an account", "an invited address", "a link for everyone"],
  open: WHO,
};

async function comesWith(who: Who): Promise<{ readonly email: string; readonly to: string }> {
  if (who === "an account") return { email: await newAccount(), to: "/console" };
  const email = newEmail();
  if (who === "neither") return { email, to: "/console" };
  const invited = who === "an invited address" ? email : who === "another's invitation" ? newEmail() : "";
  const link = await invite(await owned(), { email: invited, role: "viewer" });
  return { email, to: `/console${link}` };
}

describe.for(["closed", "invited", "open"] as const)("SIGN_UP %s", (mode) => {
  test.for(WHO)("with %s", async (who, { expect }) => {
    const { email, to } = await comesWith(who);
    const browser = newConsoleBrowser({}, { SIGN_UP: mode });
    const { page, code } = await requestCode(browser, email, to);
    expect(code !== "").toBe(ADMITTED[mode].includes(who));
    await enterCode(browser, page, code || "123456");
    expect(await isSignedIn(browser)).toBe(ADMITTED[mode].includes(who));
  });
});

describe("an account by an invitation link", () => {
  test("is created for one person, who becomes the member", async ({ expect }) => {
    const owner = await owned();
    const to = `/console${await invite(owner, { email: "", role: "author" })}`;
    const requested = await Promise.all([1, 2, 3].map(() => requestNew(to)));
    expect(requested.map(({ code }) => code).every((code) => code !== "")).toBe(true);
    await Promise.all(requested.map(({ browser, page, code }) => enterCode(browser, page, code)));
    const entered = await Promise.all(requested.map(({ browser }) => isSignedIn(browser)));
    expect(entered.filter((is) => is)).toHaveLength(1);
    const members = await owner.browser.go(`${CONSOLE_URL}/projects/${owner.id}/members`);
    const shown = requested.filter(({ email }) => members.html.includes(email)).map(({ email }) => email);
    expect(shown).toEqual(requested.filter((_, at) => entered[at]).map(({ email }) => email));
    expect((await requestNew(to)).code).toBe("");
  });

  test("is not created by a browser that did not continue from the link", async ({ expect }) => {
    await invite(await owned(), { email: "", role: "viewer" });
    const { browser, page, code } = await requestNew("/console");
    expect(code).toBe("");
    await enterCode(browser, page, "123456");
    expect(await isSignedIn(browser)).toBe(false);
  });

  test("is not created once the invitation is revoked, although a code was issued", async ({ expect }) => {
    for (const email of ["", newEmail()]) {
      const owner = await owned();
      const to = `/console${await invite(owner, { email, role: "viewer" })}`;
      const { browser, page, code } = await requestNew(to, email || newEmail());
      expect(code).not.toBe("");
      const list = await owner.browser.go(`${CONSOLE_URL}/projects/${owner.id}/members`);
      await owner.browser.send(formTo(list, "/revoke"));
      expect((await enterCode(browser, page, code)).html).toContain("was used or has expired");
      expect(await isSignedIn(browser)).toBe(false);
    }
  });
});

async function requestNew(to: string, email = newEmail()) {
  const browser = newConsoleBrowser();
  return { email, browser, ...(await requestCode(browser, email, to)) };
}

describe("strangers who request codes for an address", () => {
  test("do not keep its owner out of a browser that signed in before", async ({ expect }) => {
    const email = await newAccount();
    const network = { "CF-Connecting-IP": "203.0.113.7" };
    const [own, other] = [newConsoleBrowser(network), newConsoleBrowser(network)];
    const first = await requestCode(own, email);
    await enterCode(own, first.page, first.code);
    const stranger = newConsoleBrowser(network);
    for (let count = 0; count < 30; count++) await requestCode(stranger, count < 10 ? email : newEmail());
    expect((await requestCode(other, email)).code).toBe("");
    const again = await requestCode(own, email);
    await enterCode(own, again.page, again.code);
    expect(await isSignedIn(own)).toBe(true);
    // Its own limit holds (codes that were entered do not count), and it is for this account only.
    for (let count = 0; count < 10; count++) expect((await requestCode(own, email)).code).not.toBe("");
    expect((await requestCode(own, email)).code).toBe("");
    expect((await requestCode(own, await newAccount())).code).toBe("");
  });
});
