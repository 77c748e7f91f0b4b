import { env } from "cloudflare:workers";
import { afterAll, beforeAll, describe, test } from "vitest";
import { z } from "zod";
import recorded from "../../../scripts/real/answers.json" with { type: "json" };
import { type Answers, callServer } from "../../../scripts/support/bluesky-calls.ts";
import { APPS } from "../../../src/platforms/apps.ts";
import { Browser } from "../../support/browser.ts";
import { resetSandbox } from "../../support/clock.ts";
import { SANDBOX, sandbox } from "../../support/sandbox.ts";
import { shapeDifferences } from "../exchanges/shape.ts";

/**
 * The simulated server beside a real one: it answers the same calls, in the same order, as the real server
 * answered them when `npm run real -- --record` wrote them down.
 */
const HOST = "pds.harbour.social";
const REDIRECT = "https://belfry.example/connect/callback/bluesky";
/** What the version that was recorded takes. */
const VERSION = { bluesky_image_max_bytes: 2_000_000 };

let answers: Answers = {};
beforeAll(async () => {
  await sandbox.control("POST", "reset");
  await sandbox.settings(VERSION);
  const clock = z.object({ now: z.iso.datetime() }).parse(await sandbox.control("GET", "clock"));
  const offset = Date.parse(clock.now) - Date.now();
  const did = (await sandbox.accounts("bluesky")).at(-1) ?? "";
  const { id, secret } = APPS.bluesky.sandbox;
  const [kid = "", key = ""] = secret.split(":");
  const reach = (url: string, init: RequestInit = {}) =>
    env.SANDBOX.fetch(new Request(url.replace("https://", `${SANDBOX}/`), { redirect: "manual", ...init }));
  answers = await callServer({
    origin: `https://${HOST}`,
    did,
    handle: "harbourradio.harbour.social",
    client: { id, redirectUri: REDIRECT, kid, key },
    fetch: reach,
    async authorize(url) {
      const browser = new Browser(
        (one) => env.SANDBOX.fetch(one),
        ({ href }) => !href.startsWith(REDIRECT),
      );
      const page = await browser.go(url.replace("https://", `${SANDBOX}/`));
      const tick = ({ value }: { readonly value: string }) => (value === did ? true : undefined);
      return (await browser.submit(page, tick, { name: "decision", value: "allow" })).url;
    },
    deactivate: () => sandbox.settings({ bluesky_deactivated: true }),
    activate: () => sandbox.settings({ bluesky_deactivated: false }),
    now: () => Date.now() + offset,
  });
});
afterAll(resetSandbox);

const Said = z.object({ body: z.object({ message: z.string().optional(), error_description: z.string().optional() }) });

describe("the simulated server answers like the real one", () => {
  test.for(Object.entries(recorded))("%s", ([name, real], { expect }) => {
    const { headers, ...simulated } = answers[name] ?? { headers: {} };
    const type = (one: object) => String(Reflect.get(one, "content-type") ?? "").replace(/;.*/, "");
    expect(
      shapeDifferences(real, { ...simulated, headers: { ...headers, "content-type": type(headers) } }, {}),
    ).toEqual([]);
    // What a person reads, and what the adapter's table looks for.
    expect(Said.safeParse(simulated).data).toEqual(Said.safeParse(real).data);
  });

  test("and is called as the real one was", ({ expect }) => {
    expect(Object.keys(answers)).toEqual(Object.keys(recorded));
  });
});
