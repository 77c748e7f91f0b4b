import { spawn } from "node:child_process";
import { statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { expect } from "vitest";
import { z } from "zod";
import { reach } from "../../scripts/support/http.ts";
import { Browser } from "../support/browser.ts";
import { connectThrough } from "../support/person.ts";
import { BELFRY, runBelfry, type Served } from "./client-package.ts";
import { runToEnd, temporaryFolder } from "./command.ts";

/** `belfry login`, `connect`, `events`, `explain`, `insights` and `import` against the service of a test. */

/** What `login` stores is used by the next commands. A wrong token is not stored. */
export async function checkLogin({ url, token }: Served): Promise<void> {
  const folder = temporaryFolder();
  const env = { XDG_CONFIG_HOME: folder, BELFRY_URL: "", BELFRY_TOKEN: "" };
  const belfry = (...args: readonly string[]) => runToEnd(process.execPath, [BELFRY, ...args], env);
  const unknown = await belfry("login", "--url", url, "--token", `${token.slice(0, -1)}-`);
  expect(unknown).toMatchObject({ code: 1, stdout: "" });
  expect(JSON.parse(unknown.stderr)).toMatchObject({ code: "unauthenticated", again: "no" });
  expect(await belfry("channels")).toMatchObject({
    code: 1,
    stderr: expect.stringContaining("belfry login --url URL"),
  });
  expect(await belfry("login", "--url", url, "--token", token)).toMatchObject({ code: 0, stderr: "" });
  expect(statSync(join(folder, "belfry", "config.json")).mode & 0o777).toBe(0o600);
  expect(await belfry("channels")).toMatchObject({ code: 0, stdout: expect.stringContaining('"channel_type"') });
}

/** `connect` prints an address, and the channels once the account owner has been there. */
export async function checkConnect({ url, token }: Served, account: string): Promise<void> {
  const child = spawn(process.execPath, [BELFRY, "connect", "--user", "terminal-user"], {
    env: { ...process.env, BELFRY_URL: url, BELFRY_TOKEN: token },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const lines = createInterface(child.stdout)[Symbol.asyncIterator]();
  const readLine = async () => JSON.parse((await lines.next()).value ?? "null");
  const { connect_url: address } = await readLine();
  await connectThrough(new Browser(reach), address, { platforms: ["facebook"], accounts: [account] });
  expect(await readLine()).toEqual({ channel_ids: [expect.any(Number)], account_name: expect.any(String) });
}

export async function checkTimeline(served: Served, postId: number): Promise<void> {
  const events = await runBelfry(served, "events", String(postId));
  expect(events).toContainEqual(expect.objectContaining({ type: "post.published", message: expect.any(String) }));
  const [explanation] = await runBelfry(served, "explain", String(postId));
  expect(explanation).toMatchObject({ post_id: postId, STATUS: "published", what_happened: expect.any(String) });
}

const Newest = z.tuple([z.looseObject({ post_id: z.number() })]);

/** The numbers of a post, and a file of posts: `import` alone creates nothing. */
export async function checkResults(served: Served, channelId: string): Promise<void> {
  const [{ post_id }] = Newest.parse(await runBelfry(served, "posts", "--status", "published", "--limit", "1"));
  const [insights] = await runBelfry(served, "insights", String(post_id));
  expect(insights).toMatchObject({ post_id, metrics: expect.any(Object) });
  const file = join(temporaryFolder(), "plan.csv");
  writeFileSync(file, `channel_id,caption_text\n${channelId},First\n${channelId},Second\n${channelId},\n`);
  const checked = await runBelfry(served, "import", file);
  expect(checked).toEqual([
    expect.objectContaining({ row: 4, column: "caption_text" }),
    expect.objectContaining({ state: "checked", valid: 2, refused: 1, created: 0 }),
  ]);
  const done = await runBelfry(served, "import", file, "--start", "--skip-refused");
  expect(done.at(-1)).toMatchObject({ state: "done", created: 2, failed: 1 });
}
