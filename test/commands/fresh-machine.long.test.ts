import { spawn, spawnSync } from "node:child_process";
import { chownSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { onTestFinished, test } from "vitest";
import { createApi } from "../../scripts/support/api.ts";
import { reach, waitFor } from "../../scripts/support/http.ts";
import { ROOT } from "../../scripts/support/paths.ts";
import { findFreePort } from "../../scripts/support/ports.ts";
import { connectAccounts } from "../../scripts/support/world.ts";
import { createControl } from "../support/control.ts";
import { type Newcomer, runAs, startAs, UNREACHABLE } from "./newcomer.ts";
import { blocksOf } from "./shell.ts";

const NOBODY = 65_534;
const [look, install, use] = blocksOf("README.md");

/** An empty home of another user, who has no caches; of this user where we may not be another one. */
function newcomer(): Newcomer {
  const isRoot = process.getuid?.() === 0;
  if (!isRoot) process.stdout.write("Not run as another user: that takes root. The home and the caches are new.\n");
  // Not the folder of the tests, which other users may not enter.
  const home = mkdtempSync("/tmp/belfry-newcomer-");
  // Two installations: their files take longer to remove than a test may wait for.
  onTestFinished(() => spawn("rm", ["-rf", home], { detached: true, stdio: "ignore" }).unref());
  if (isRoot) chownSync(home, NOBODY, NOBODY);
  return { home, ...(isRoot ? { uid: NOBODY } : {}) };
}

/** The clone of the README, which belongs to the newcomer. */
function cloneFor({ home, uid }: Newcomer): string {
  const folder = join(home, "belfry");
  const { status } = spawnSync("git", ["clone", "-q", ROOT, folder]);
  if (status !== 0) throw new Error("git could not clone this repository.");
  if (uid !== undefined) spawnSync("chown", ["-R", `${uid}:${uid}`, folder]);
  return folder;
}

/** The commands of a page that `blocksOf` leaves out, because they are for another machine. */
function textBlockOf(file: string): string {
  return /^```text\n([\s\S]*?)^```$/m.exec(readFileSync(join(ROOT, file), "utf8"))?.[1] ?? "false";
}

/** `npm start` until the test ends; returns what it prints until it is ready. */
async function startAsNewcomer(who: Newcomer, cwd: string, env: Readonly<Record<string, string>>): Promise<string> {
  const child = startAs(who, ["npm", "start"], { cwd, env });
  let text = "";
  for (const stream of [child.stdout, child.stderr]) stream?.setEncoding("utf8").on("data", (some) => (text += some));
  const exited = new Promise((resolve) => child.once("exit", resolve));
  onTestFinished(async () => {
    if (child.pid !== undefined && child.exitCode === null) process.kill(-child.pid, "SIGINT");
    await exited;
  });
  await waitFor(async () => text.includes("Belfry is ready.") || child.exitCode !== null, { timeoutMs: 600_000 });
  return text;
}

test("both commands of the README run on a fresh machine, and so do its packages", { timeout: 1_500_000 }, async ({
  expect,
  skip,
}) => {
  const who = newcomer();
  const folder = cloneFor(who);
  const [port, sandboxPort] = [await findFreePort(), await findFreePort()];
  expect(look?.text).toContain("npm start");
  const printed = await startAsNewcomer(who, folder, { PORT: String(port), SANDBOX_PORT: String(sandboxPort) });
  skip(UNREACHABLE.test(printed), "npm's registry cannot be reached, so nothing could be installed");
  expect(printed).toContain("Belfry is ready.");

  // The packages, as a user of npm adds them in a folder of their own.
  const shop = join(who.home, "shop");
  mkdirSync(shop);
  if (who.uid !== undefined) chownSync(shop, who.uid, who.uid);
  const sh = (text: string, cwd: string, env = {}) => runAs(who, ["sh", "-ec", text], { cwd, env });
  expect(await sh(install?.text ?? "false", shop)).toMatchObject({ code: 0 });
  const [token = ""] = /blf_\w+/.exec(printed) ?? [];
  const origin = `http://localhost:${port}`;
  const [account = ""] = await createControl(reach, `http://localhost:${sandboxPort}`).accounts("facebook");
  const { channel_ids: channels } = await connectAccounts(createApi(origin, token), {
    platforms: ["facebook"],
    accounts: [account],
  });
  writeFileSync(join(shop, "post.mjs"), (use?.text ?? "").replace("http://localhost:8787", origin));
  const posted = await sh("node post.mjs", shop, { BELFRY_TOKEN: token, CHANNEL: String(channels?.[0]) });
  expect(posted).toMatchObject({ code: 0, stdout: expect.stringMatching(/^https:\/\/www\.facebook\.com\//) });
  const listed = await sh("node_modules/.bin/belfry channels", shop, { BELFRY_URL: origin, BELFRY_TOKEN: token });
  expect(listed).toMatchObject({ code: 0, stdout: expect.stringContaining("facebook") });

  // The guide to n8n, with the clone in ~/belfry.
  const guide = await sh(textBlockOf("docs/guides/n8n.md"), who.home);
  expect(guide).toMatchObject({ code: 0 });
  const loaded = await sh(
    "node -p 'new (require(`n8n-nodes-belfry/dist/Belfry.node.js`).Belfry)().description.displayName'",
    join(who.home, ".n8n", "custom"),
  );
  expect(loaded).toMatchObject({ code: 0, stdout: "Belfry\n" });

  for (const name of ["client", "n8n"]) {
    const ran = await runAs(who, ["npm", "publish", "--dry-run"], { cwd: join(folder, name) });
    expect(ran.code, ran.stderr).toBe(0);
    const warnings = ran.stderr.split("\n").filter((line) => /\bwarn\b/i.test(line));
    expect(warnings.filter((line) => !line.includes("requires you to be logged in"))).toEqual([]);
    expect(ran.stderr).toContain("LICENSE");
  }

  const tested = await runAs(who, ["npm", "test", "--", "test/banners/text.test.ts"], { cwd: folder });
  expect(tested).toMatchObject({ code: 0, stdout: expect.stringMatching(/\d+ passed, 0 failed\n$/) });
});
