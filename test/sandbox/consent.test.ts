import { afterEach, describe, expect, test } from "vitest";
import { platforms } from "../../src/platforms/registry.ts";
import { begun, choose, decide } from "../support/connecting.ts";
import { send } from "../support/platform.ts";
import { sandbox } from "../support/sandbox.ts";

/** The platforms' consent pages: unknown parameters, and apps that are not live. */
afterEach(() => sandbox.settings({ facebook_app_mode: "live", instagram_app_mode: "live", threads_app_mode: "live" }));

describe.for(Object.values(platforms).map(({ name }) => name))("the dialog of %s", (name) => {
  test("ignores parameters that it does not know", async () => {
    const { connection, browser } = await begun();
    const chosen = await choose(browser, connection, [name]);
    // A login that requests a server first proposes one.
    const consent = new URL(chosen.url).host === "belfry.test" ? await browser.submit(chosen) : chosen;
    const url = new URL(consent.url.replace("http://sandbox.test/", "https://"));
    url.searchParams.set("utm_source", "newsletter");
    url.searchParams.set("prompt_hint", "none");
    const answer = await send(url.href, {});
    expect(answer).toMatchObject({ status: 200, text: expect.stringContaining('value="allow"') });
  });
});

describe("an app of Threads in development mode", () => {
  test("takes testers only who have accepted their invitation", async () => {
    await sandbox.settings({ threads_app_mode: "development" });
    const [tester = "", other = ""] = await sandbox.accounts("threads");
    const { connection, browser } = await begun();
    const consent = await choose(browser, connection, ["threads"]);
    const refused = await decide(browser, consent, "allow", [other]);
    expect([refused.status, refused.html]).toEqual([400, expect.stringContaining("has not accepted the invitation")]);
    const end = await decide(browser, consent, "allow", [tester]);
    expect([end.status, end.html]).toEqual([200, expect.stringContaining("Connected")]);
  });
});
