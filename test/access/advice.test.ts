import { describe, test } from "vitest";
import { z } from "zod";
import { adviceOn } from "../../src/core/advice.ts";
import { ERROR_CODES, ERRORS } from "../../src/core/errors.ts";
import { FAILURE_CODES, FAILURES } from "../../src/core/failures.ts";
import { call, door, ORIGIN } from "../support/world.ts";

/** Every error response that any test receives has its advice: test/support/world.ts checks it. */
describe("the advice on a code", () => {
  test.for([...ERROR_CODES, ...FAILURE_CODES])("%s is what the code's definition says", (code, { expect }) => {
    const { remedy, retry } = { ...ERRORS, ...FAILURES }[code];
    expect(adviceOn(code, ORIGIN)).toEqual({ fix: remedy, again: retry, docs_url: `${ORIGIN}/docs/errors#${code}` });
  });

  test("is in the response, and its page exists with every code once", async ({ expect }) => {
    const refused = await call("GET", "/social/upcoming-posts");
    const { docs_url } = z.object({ docs_url: z.url() }).parse(refused.body);
    expect(refused.body).toMatchObject({ code: "unauthenticated", again: "no", fix: ERRORS.unauthenticated.remedy });
    const page = await door(new Request(docs_url.replace(/#.*/, "")));
    expect([page.status, page.headers.get("Content-Type")]).toEqual([200, expect.stringMatching(/^text\/html/)]);
    expect(page.headers.get("Content-Security-Policy")).toContain("default-src 'none'");
    const [, main = ""] = (await page.text()).split(' id="content"');
    const anchors = [...main.matchAll(/ id="(\w+)"/g)].map(([, id]) => id);
    expect(anchors.toSorted()).toEqual([...new Set([...ERROR_CODES, ...FAILURE_CODES])].sort());
  });
});
