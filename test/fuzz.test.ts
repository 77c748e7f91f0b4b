import fc from "fast-check";
import { beforeAll, test } from "vitest";
import { advance } from "./support/clock.ts";
import { queue } from "./support/queue.ts";
import { type ChannelRef, call, type Project, projectWith } from "./support/world.ts";

let project: Project;
let channel: ChannelRef;
beforeAll(async () => {
  ({ project, channel } = await projectWith("twitter"));
});

/** Values that trip parsers: wrong types, extremes, odd characters. */
const odd = fc.oneof(
  fc.constantFrom<unknown>(
    null,
    true,
    0,
    -1,
    1.5,
    1e308,
    "",
    " ",
    "\u0000",
    "\ud800",
    "'; DROP TABLE posts; --",
    "__proto__",
  ),
  fc.string({ unit: "binary", maxLength: 50 }),
  fc.integer(),
  fc.double(),
  fc.array(fc.anything({ maxDepth: 1 }), { maxLength: 5 }),
  fc.dictionary(fc.string(), fc.anything({ maxDepth: 1 }), { maxKeys: 5 }),
);

async function neverAnError(
  method: string,
  path: string,
  body?: unknown,
  headers?: Record<string, string>,
): Promise<void> {
  const answer = await project.call(method, path, {
    ...(body === undefined ? {} : { body }),
    ...(headers ? { headers } : {}),
  });
  // The clock moves so that the rate limit is not what is tested.
  await advance(20);
  queue.loseAll();
  if (answer.status >= 500) throw new Error(`${method} ${path} ${JSON.stringify(body)}: ${answer.status}`);
}

test("nothing in a body makes a 500", async ({ expect }) => {
  const base = {
    ...channel,
    post_type: "post",
    caption_text: "x",
    media_urls: [],
    publish_mode: "queued",
    schedule_time: "2030-01-01 10:00",
    time_zone: "UTC",
    hash_tags: "a b",
    twitter_threads: [{ message: "m", media_urls: [] }],
    post_extra: { title: "t" },
  };
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom("/social/create-post", "/social/validate-post", "/social/connect-channel"),
      fc.dictionary(fc.constantFrom(...Object.keys(base), "userId", "redirectUrl", "constructor"), odd, { maxKeys: 4 }),
      async (path, change) => {
        await neverAnError("POST", path, { ...base, userId: "u", ...change });
        expect(true).toBe(true);
      },
    ),
    { numRuns: 250 },
  );
});

test("nothing in an address or a header makes a 500", async ({ expect }) => {
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(
        "get-posts?channels=",
        "upcoming-posts?limit=",
        "connect-status?connect_token=",
        "post/",
        "get-channels?limit=",
      ),
      fc.string({ unit: "binary", maxLength: 80 }),
      async (path, text) => {
        await neverAnError("GET", `/social/${path}${encodeURIComponent(text.replace(/[\ud800-\udfff]/g, "?"))}`);
        const token = encodeURIComponent(text.replace(/[\ud800-\udfff]/g, "?"));
        const page = await call("GET", `https://belfry.test/connect/${token}`, { token: null });
        expect(page.status).toBeLessThan(500);
        const callback = await call(
          "GET",
          `https://belfry.test/connect/callback/${token}?state=${token}&code=${token}`,
        );
        expect(callback.status).toBeLessThan(500);
      },
    ),
    { numRuns: 150 },
  );
  for (const authorization of ["Bearer", "Bearer ", "Basic eA==", "bearer blf_", `Bearer ${"x".repeat(5000)}`]) {
    const answer = await call("GET", "/social/upcoming-posts", { headers: { Authorization: authorization } });
    expect([authorization.slice(0, 20), answer.status]).toEqual([authorization.slice(0, 20), 401]);
  }
});
