import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { onTestFinished, test } from "vitest";
import { reach, waitFor } from "../../scripts/support/http.ts";
import { knownPlatforms } from "../../scripts/support/kinds.ts";
import { ROOT } from "../../scripts/support/paths.ts";
import { findFreePort } from "../../scripts/support/ports.ts";
import { Browser } from "../support/browser.ts";
import { createControl } from "../support/control.ts";
import { connectThrough } from "../support/person.ts";
import {
  buildPackage,
  createThroughProxy,
  forwardedTypes,
  runBelfry,
  runExample,
  uploadBytes,
} from "./client-package.ts";
import { npmRun, temporaryFolder } from "./command.ts";

/** The commands of the tour, a string a block, as they stand there. */
function blocksOfTour(): readonly string[] {
  const tour = readFileSync(join(ROOT, "docs", "tour.md"), "utf8");
  return Array.from(tour.matchAll(/^```sh\n([\s\S]*?)^```/gm), ([, block = ""]) => block);
}

const DONE = "--- done ---";

/** A shell as a person has it open: what one block sets, the next one finds. */
class Shell {
  readonly #child: ChildProcessWithoutNullStreams;
  #text = "";

  constructor(env: Readonly<Record<string, string>>) {
    this.#child = spawn("bash", ["-u"], { cwd: ROOT, env: { ...process.env, ...env } });
    for (const stream of [this.#child.stdout, this.#child.stderr]) {
      stream.setEncoding("utf8").on("data", (text) => (this.#text += text));
    }
    onTestFinished(() => void this.#child.kill());
  }

  /** What it prints, errors too. */
  async run(block: string): Promise<string> {
    this.#text = "";
    this.#child.stdin.write(`${block}\necho; echo '${DONE}'\n`);
    const isOver = await waitFor(async () => this.#text.includes(DONE), { timeoutMs: 90_000 });
    if (!isOver) throw new Error(`It did not end:\n${block}\n${this.#text}`);
    return this.#text.slice(0, this.#text.indexOf(DONE)).trim();
  }
}

/** `npm start` in its other window, until the test ends. */
async function startHere(env: Readonly<Record<string, string>>): Promise<void> {
  const child = spawn(process.execPath, [join("scripts", "run.mjs"), join("scripts", "start.ts")], {
    cwd: ROOT,
    env: { ...process.env, ...env, NO_COLOR: "1" },
  });
  const exited = new Promise((resolve) => child.once("exit", resolve));
  onTestFinished(async () => {
    child.kill("SIGINT");
    await exited;
  });
  let text = "";
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding("utf8").on("data", (some) => (text += some));
  const isReady = await waitFor(async () => text.includes("Belfry is ready.") || child.exitCode !== null, {
    timeoutMs: 180_000,
  });
  if (!isReady || child.exitCode !== null) throw new Error(`It did not start:\n${text}`);
}

test("the tour does what it says, to the last line", async ({ expect }) => {
  const [port, sandboxPort] = [await findFreePort(), await findFreePort()];
  const env = { STATE_DIR: temporaryFolder(), PORT: String(port), SANDBOX_PORT: String(sandboxPort) };
  await startHere(env);
  const shell = new Shell(env);
  const blocks = blocksOfTour().map((block) =>
    block.replaceAll(":8787", `:${port}`).replaceAll(":8788", `:${sandboxPort}`),
  );
  expect(blocks).toHaveLength(14);
  const [setUp = "", begin = "", look = "", publish = "", read = "", schedule = "", lost = ""] = blocks;
  const [makeBot = "", comment = "", log = "", generate = "", use = "", boost = "", end = ""] = blocks.slice(7);

  expect(await shell.run(setUp)).toMatch(/every permission; until 20/);
  const address = await shell.run(begin);
  expect(address).toMatch(/^http:\/\/localhost:\d+\/connect\/\S+$/);
  // A person who ticks everything: more channels than one page of get-channels has.
  const control = createControl(reach, `http://localhost:${sandboxPort}`);
  const known = knownPlatforms();
  const offered = await Promise.all(known.map(({ name }) => control.accounts(name)));
  const everything = { platforms: known.flatMap(({ logins }) => logins), accounts: offered.flat() };
  await connectThrough(new Browser(reach), address, everything);
  expect(await shell.run(look)).toContain('"connect_status":"success"');
  expect(await shell.run(publish)).toBe("");
  expect(await shell.run(read)).toContain('"STATUS":"published"');
  expect(await shell.run(schedule)).toMatch(/"schedule_time":"10AM, 5th of March, 2030"[\s\S]*"status":true/);
  const survived = await shell.run(lost);
  expect(survived).toContain("post.published");
  expect(survived.split("\n").at(-1)).toBe("1");

  expect(await shell.run(makeBot)).toContain('"would_reply":true');
  const answered = await shell.run(comment);
  expect(answered).toContain('"text":"Every day from nine to five."');
  expect(answered).toContain('"text":"Shall we keep a table for you?"');
  expect(await shell.run(log)).toContain('"message":"Answered."');

  expect(await shell.run(generate)).toContain('"status":"done"');
  expect(await shell.run(use)).toContain('"post_id":');

  expect(await shell.run(boost)).toContain('"status":"in_review"');
  expect((await shell.run(end)).split("\n").at(-1)).toBe("0");

  // The client package, against the same service.
  const served = {
    url: `http://localhost:${port}`,
    token: (await shell.run("echo $TOKEN")).trim(),
    channelId: Number(await shell.run("echo $CHANNEL")),
  };
  expect(await buildPackage()).toEqual(expect.arrayContaining(["index.js", "index.d.ts", "openapi.d.ts"]));
  expect(await runExample(served)).toMatch(/^https:\/\/www\.facebook\.com\//);
  const channelId = String(served.channelId);
  const types = await forwardedTypes(served, "post.published", async () => {
    const posted = await runBelfry(served, "post", "From a terminal", "--channel", channelId);
    expect(posted).toEqual([expect.objectContaining({ STATUS: "published" })]);
  });
  expect(types).toContain("post.published");
  // Its webhook is gone with it.
  expect(await shell.run("call $API/social/get-webhooks")).toContain('"webhooks":[]');
  expect(await runBelfry(served, "posts", "--status", "published", "--limit", "1")).toHaveLength(1);
  expect(await runBelfry(served, "channels", "--platform", "facebook")).not.toHaveLength(0);
  const picture = new Uint8Array(await (await reach(new Request(control.media("square.jpg")))).arrayBuffer());
  expect(await uploadBytes(served, picture)).toBe(picture.length);
  const { wanted, created, listed, fates } = await createThroughProxy(served);
  expect(listed.toSorted()).toEqual(created.toSorted());
  expect(new Set(created).size).toBe(wanted);
  // Each thing that a network does was met.
  expect(fates.size).toBe(8);

  // What runs here is also what `npm run doctor` looks at.
  const examined = await npmRun("doctor", [], env);
  expect(examined).toMatchObject({ code: 0, stderr: "", stdout: expect.stringContaining("Nothing is wrong.") });
  expect(examined.stdout).toMatch(/✓ All \d+ migrations are applied\./);
  expect(examined.stdout).toContain("✓ Meta knows the app as");
});
