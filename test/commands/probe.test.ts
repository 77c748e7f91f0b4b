import { describe, test } from "vitest";
import { listenLocally } from "../../scripts/support/http.ts";
import { npmRun } from "./command.ts";
import { testScope } from "./test-scope.ts";

/**
 * `npm run probe` beside a service of this file: whom it asks, what it leaves, and how it ends. What it
 * publishes is tested in the sandbox (test/platforms/probe.test.ts).
 */

const text = { max: 300 };
const PLATFORM = {
  channel_type: "bluesky",
  deletes_on_platform: true,
  permalink: { shown: "at_once" },
  post_types: ["post", "thread"].map((post_type) => ({ post_type, text, privacy: null, options: [] })),
};
const CHANNEL = {
  channel_id: 7,
  channel_type: "bluesky",
  name: "Fern and Oak",
  capabilities: [{ name: "publish", health: "connected" }],
};

interface Call {
  readonly method: string;
  readonly path: string;
  readonly body: unknown;
}

/** A service with one project and one account, whose posts end like this. */
async function service({ STATUS, deletes = true }: { readonly STATUS: string; readonly deletes?: boolean }) {
  const calls: Call[] = [];
  let ids = 0;
  const ANSWERS: readonly (readonly [string, (body: unknown) => object])[] = [
    [
      "POST /internal/projects/find",
      () => ({ projects: [{ id: 3, name: "Our accounts", owners: [], created_at: "" }] }),
    ],
    ["POST /internal/tokens/revoke", () => ({ message: "Revoked." })],
    ["POST /internal/tokens", () => ({ id: 5, token: "t", project: "Our accounts", project_id: 3, is_test: false })],
    ["GET /api/v1/social/get-channels", () => ({ channels: { data: [CHANNEL] } })],
    ["GET /api/v1/social/get-platforms", () => ({ platforms: [{ ...PLATFORM, deletes_on_platform: deletes }] })],
    ["POST /api/v1/social/upload-media", () => ({ data: { url: "https://files.example/a" } })],
    ["POST /api/v1/social/create-post", () => ({ data: { post_id: ++ids } })],
    ["DELETE /api/v1/social/delete-post", () => ({ message: "Deleted." })],
    [
      "GET /api/v1/social/post/",
      () => ({
        post: {
          post_id: ids,
          STATUS,
          permalink: "https://bsky.app/1",
          error: STATUS === "failed" ? "Too long." : null,
        },
      }),
    ],
    [
      "GET /api/v1/social/get-post-events/",
      () => ({ events: [{ type: "post.removed", message: "Gone.", created_at: "" }] }),
    ],
  ];
  const port = await listenLocally(testScope(), async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const sent = Buffer.concat(chunks).toString();
    const { method = "", url: path = "" } = request;
    const body: unknown = sent.startsWith("{") ? JSON.parse(sent) : null;
    calls.push({ method, path, body });
    const found = ANSWERS.find(([start]) => `${method} ${path}`.startsWith(start));
    const isAsked = path.includes("/posting-options");
    response.writeHead(isAsked || !found ? 422 : 200, { "Content-Type": "application/json" });
    response.end(JSON.stringify({ status: !isAsked, ...(isAsked ? {} : found?.[1](body)) }));
  });
  return { calls, env: { BELFRY_URL: `http://127.0.0.1:${port}`, BELFRY_OPERATOR_KEY: "key" } };
}

const NAMED = ["--project", "Our accounts", "--remote"];
const posted = (calls: readonly Call[]) => calls.filter(({ path }) => path.endsWith("/create-post"));

describe("npm run probe", () => {
  test("publishes nothing without a project, without a terminal or --yes, and for an unknown project", async ({
    expect,
  }) => {
    const { calls, env } = await service({ STATUS: "published" });
    expect(await npmRun("probe", ["--remote", "--yes"], env)).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("Name the project"),
    });
    expect(await npmRun("probe", NAMED, env)).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("needs --yes"),
    });
    expect(calls).toEqual([]);
    expect(await npmRun("probe", [...NAMED, "--id", "4", "--yes"], env)).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('There is no project "Our accounts" with the id 4'),
    });
    // Issuing a token would create a project of this name.
    expect(calls.map(({ path }) => path)).toEqual(["/internal/projects/find"]);
  });

  test("publishes each kind, deletes it, prints a table, and revokes its token", async ({ expect }) => {
    const { calls, env } = await service({ STATUS: "published" });
    const ran = await npmRun("probe", [...NAMED, "--yes"], env);
    expect(ran.stderr).toBe("");
    expect(ran.code).toBe(0);
    for (const part of ["Fern and Oak (bluesky)", "public, deleted at once", "as the rules say", "https://bsky.app/1"])
      expect(ran.stdout).toContain(part);
    const created = posted(calls);
    expect(created.length).toBeGreaterThan(2);
    expect(calls.filter(({ method }) => method === "DELETE")).toHaveLength(created.length);
    expect(created[0]?.body).toMatchObject({ channel_id: 7, publish_mode: "now" });
    expect(calls.at(-1)).toEqual({ method: "POST", path: "/internal/tokens/revoke", body: { id: 5 } });
  });

  test("ends with 1 when a platform refuses what the rules allow", async ({ expect }) => {
    const { env } = await service({ STATUS: "failed" });
    const ran = await npmRun("probe", [...NAMED, "--yes"], env);
    expect(ran.code).toBe(1);
    expect(ran.stdout).toContain("The platform refuses what the rules allow: Too long.");
    expect(ran.stdout).toContain("posts differ from the rules.");
  });

  test("leaves out what nothing hides or deletes, unless it is asked to leave posts", async ({ expect }) => {
    const { calls, env } = await service({ STATUS: "published", deletes: false });
    const ran = await npmRun("probe", [...NAMED, "--yes"], env);
    expect(ran.stdout).toContain("Left out, because nothing hides or deletes them");
    expect(posted(calls)).toEqual([]);
    await npmRun("probe", [...NAMED, "--yes", "--leave-posts"], env);
    expect(posted(calls).length).toBeGreaterThan(2);
    expect(calls.filter(({ method }) => method === "DELETE")).toEqual([]);
  });
});
