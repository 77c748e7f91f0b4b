import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "vitest";
import { listenLocally } from "../../scripts/support/http.ts";
import { zipped } from "../../src/core/zip.ts";
import { npmRun, temporaryFolder } from "./command.ts";
import { testScope } from "./test-scope.ts";

/** An archive with one file; `next` is its comment. */
async function archive(text: string, next: string): Promise<Buffer> {
  const content = [new TextEncoder().encode(text)];
  async function* entries() {
    yield { name: "posts.jsonl", at: Date.UTC(2030, 0, 1), content };
  }
  const chunks: Uint8Array[] = [];
  for await (const chunk of zipped(entries(), () => next)) chunks.push(chunk);
  return Buffer.concat(chunks);
}

interface Call {
  readonly path: string;
  readonly body: unknown;
}

/** A service that answers these calls (503: a proxy in front of it does), and keeps its requests. */
async function service(answer: (call: Call, count: number) => Promise<Buffer | object | 503 | null>) {
  const calls: Call[] = [];
  const port = await listenLocally(testScope(), async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const call = { path: request.url ?? "", body: JSON.parse(Buffer.concat(chunks).toString() || "null") };
    calls.push(call);
    const body = await answer(call, calls.length);
    if (body === 503) return response.writeHead(503).end("<html>Unavailable</html>");
    response.statusCode = body === null ? 404 : 200;
    if (Buffer.isBuffer(body)) return response.end(body);
    response.setHeader("Content-Type", "application/json");
    response.end(JSON.stringify(body ?? { status: false, message: 'There is no project "A B".', code: "not_found" }));
  });
  return { calls, env: { BELFRY_URL: `http://127.0.0.1:${port}`, BELFRY_OPERATOR_KEY: "key" } };
}

describe("npm run project -- --export", () => {
  test("writes one archive after the other, until one says that it is the last", async ({ expect }) => {
    const { calls, env } = await service(async (_, count) => archive(`part ${count}`, count === 1 ? "next=abc" : ""));
    const file = join(temporaryFolder(), "a.zip");
    const ran = await npmRun("project", ["--export", "A B", "--to", file, "--remote"], env);
    expect(ran).toMatchObject({ code: 0, stdout: `${file}\n${file.replace(".zip", "-2.zip")}\n` });
    expect(calls.map(({ body }) => body)).toEqual([{ project: "A B" }, { project: "A B", from: "abc" }]);
    expect(readFileSync(file).toString("latin1")).toContain("part 1");
    const again = await npmRun("project", ["--export", "A B", "--to", file, "--remote"], env);
    expect(again).toMatchObject({ code: 1, stderr: expect.stringContaining("exists already") });
  });

  test("reports an archive that is cut off, and a project that is unknown", async ({ expect }) => {
    const whole = await archive("text", "");
    const cut = await service(async () => whole.subarray(0, 60));
    const file = join(temporaryFolder(), "a.zip");
    const ran = await npmRun("project", ["--export", "A B", "--to", file, "--remote"], cut.env);
    expect(ran).toMatchObject({ code: 1, stderr: expect.stringContaining("is not complete") });
    const none = await service(async () => null);
    const other = join(temporaryFolder(), "b.zip");
    const missing = await npmRun("project", ["--export", "A B", "--to", other, "--remote"], none.env);
    expect(missing).toMatchObject({ code: 1, stderr: expect.stringContaining('There is no project "A B".') });
  });
});

describe("npm run project -- --delete", () => {
  const view = (step: string) => ({
    status: true,
    deletion: {
      project_id: 7,
      project: "A B",
      step,
      is_gone: step === "last_rows",
      gone: { posts: 3 },
      other_rows: 9,
      posts_deleted_at_platforms: 0,
      logins_revoked: 1,
      remaining_at_platforms: { posts: 0, campaigns: 1, logins: 0 },
    },
  });

  test("waits until the project is gone, and lists what is", async ({ expect }) => {
    const { calls, env } = await service(async (_, count) => view(count < 3 ? "settling" : "last_rows"));
    const ran = await npmRun("project", ["--delete", "A B", "--id", "7", "--keep-logins", "--remote", "--yes"], env);
    expect(ran.code).toBe(0);
    for (const text of ['"A B" (project 7) is deleted', "posts", "1 login revoked", "0 posts, 1 campaign, 0 logins"]) {
      expect(ran.stdout).toContain(text);
    }
    expect(ran.stderr).toContain("settling");
    expect(calls[0]).toEqual({
      path: "/internal/projects/delete",
      body: { project: "A B", id: 7, delete_posts: false, revoke_logins: false },
    });
    expect(calls[1]).toEqual({ path: "/internal/projects/deletion", body: { project: "A B", id: 7 } });
  });

  test.for([
    [["--delete", "A B", "--id", "7", "--remote"], "needs --id and --yes"],
    [["--delete", "A B", "--id", "seven", "--yes"], "--id must be the number of a project"],
    [[], "Either --export NAME, --delete NAME or --move NAME"],
    [["--export", "A", "--delete", "A"], "Either --export NAME, --delete NAME or --move NAME"],
    [["--export", "A", "--yes"], "--yes does not go with --export"],
    [["--delete", "A", "--to", "x", "--yes"], "--to does not go with --delete"],
  ] as const)("refuses %j", async ([args, words], { expect }) => {
    const { calls, env } = await service(async () => null);
    const ran = await npmRun("project", args, env);
    expect(ran).toMatchObject({ code: 1, stdout: "", stderr: expect.stringContaining(words) });
    expect(calls).toEqual([]);
  });
});

describe("npm run project -- --move", () => {
  const view = (step: string, more: object = {}) => ({
    status: true,
    move: {
      project: "A B",
      from: 0,
      to: 2,
      step,
      is_served: step === "draining",
      is_undone: false,
      rows: 1_204,
      ...more,
    },
  });

  test("of the deployed service waits until it is served, over answers that do not come", async ({ expect }) => {
    const answers = [view("freezing"), 503, view("copying"), view("draining")] as const;
    const { calls, env } = await service(async (_, count) => answers[count - 1] ?? null);
    const ran = await npmRun("project", ["--move", "A B", "--to", "2", "--remote"], env);
    expect(ran).toMatchObject({ code: 0, stderr: expect.stringMatching(/freezing[\s\S]*copying/) });
    expect(ran.stdout).toContain('"A B" is served by database 2 (1204 rows moved from database 0).');
    expect(calls.map(({ path }) => path)).toEqual(Array.from({ length: 4 }, () => "/internal/projects/move"));
    expect(calls.map(({ body }) => body)).toEqual([{ project: "A B", to: 2 }, ...Array(3).fill({ project: "A B" })]);
  });

  test("takes a move back, and reports one that was given up", async ({ expect }) => {
    const undone = view("undone", { is_served: true, is_undone: true });
    const { calls, env } = await service(async () => undone);
    const back = await npmRun("project", ["--move", "A B", "--undo", "--remote"], env);
    expect(back).toMatchObject({ code: 0, stdout: '"A B" is served by database 0 as before.\n' });
    expect(calls[0]?.body).toEqual({ project: "A B", undo: true });
    const given = await npmRun("project", ["--move", "A B", "--to", "2", "--remote"], env);
    expect(given).toMatchObject({ code: 1, stderr: expect.stringContaining("The copy differed three times") });
  });

  test.for([
    [["--move", "A"], "needs --to NUMBER or --undo"],
    [["--move", "A", "--to", "2", "--undo"], "needs --to NUMBER or --undo"],
    [["--move", "A", "--to", "two"], "must be the number of a database"],
    [["--move", "A", "--to", "2", "--yes"], "--yes does not go with --move"],
  ] as const)("refuses %j", async ([args, words], { expect }) => {
    const { calls, env } = await service(async () => null);
    const ran = await npmRun("project", [...args, "--remote"], env);
    expect(ran).toMatchObject({ code: 1, stdout: "", stderr: expect.stringContaining(words) });
    expect(calls).toEqual([]);
  });
});
