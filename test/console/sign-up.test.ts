import { describe, test } from "vitest";
import {
  enterCode,
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
