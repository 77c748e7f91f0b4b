import { readdirSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { z } from "zod";
import { reach } from "../../scripts/support/http.ts";
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
import { checkInspector } from "./inspector.ts";
import { checkReceiver } from "./receivers.ts";
import { blocksOf, Shell, startHere } from "./shell.ts";
import { checkConnect, checkLogin, checkResults, checkTimeline } from "./terminal.ts";

const GUIDES = "docs/guides";

/** What the last answer of a block has to say beyond its status. */
const ANSWERS: Readonly<Record<string, RegExp>> = {
  "failures.md": /^1$/m,
  "bots.md": /Every day from nine to five\.[\s\S]*Shall we keep a table for you\?/,
  "boosts.md": /^0$/m,
};

/** Runs every block of a guide. JSON right after commands is part of their last answer; "…" is any text. */
async function runGuide(shell: Shell, name: string, local: (text: string) => string): Promise<void> {
  const blocks = blocksOf(`${GUIDES}/${name}`);
  const printed: string[] = [];
  for (const [at, block] of blocks.entries()) {
    if (block.language === "json") JSON.parse(block.text);
    else if (block.language !== "sh") await checkReceiver(block);
    else {
      const answer = await shell.run(local(block.text));
      printed.push(answer);
      const [next] = blocks.slice(at + 1);
      const isShown = next?.language === "json" && next.isNext;
      const shown = isShown ? JSON.parse(next.text) : {};
      const last: unknown = isShown ? JSON.parse(answer.split("\n").at(-1) ?? "") : {};
      expect.soft(last, name).toEqual(partly(shown));
      if (shown.status !== false) expect.soft(answer, name).not.toContain('"status":false');
    }
  }
  expect.soft(printed.join("\n"), name).toMatch(ANSWERS[name] ?? /(?:)/);
}

/** Matches what has these keys and values, at any depth. */
function partly(shown: unknown): unknown {
  if (shown === "…") return expect.any(String);
  if (typeof shown === "string" && shown.endsWith("…")) return expect.stringContaining(shown.slice(0, -1));
  if (Array.isArray(shown)) return expect.arrayContaining(shown.map(partly));
  if (typeof shown !== "object" || shown === null) return shown;
  return expect.objectContaining(Object.fromEntries(Object.entries(shown).map(([key, one]) => [key, partly(one)])));
}

// Hundreds of processes, one after the other: four minutes, and more beside other tests.
test("every block of the guides runs, and so do the client and the terminal", { timeout: 900_000 }, async () => {
  const [port, sandboxPort] = [await findFreePort(), await findFreePort()];
  const env = { STATE_DIR: temporaryFolder(), PORT: String(port), SANDBOX_PORT: String(sandboxPort) };
  await startHere(env);
  const shell = new Shell(env);
  const local = (text: string) => text.replaceAll(":8787", `:${port}`).replaceAll(":8788", `:${sandboxPort}`);
  expect(await buildPackage()).toEqual(expect.arrayContaining(["index.js", "index.d.ts", "openapi.d.ts"]));

  // The first guide is read with a browser beside it.
  const [setUp, begin, ...others] = blocksOf(`${GUIDES}/start.md`).map(({ text }) => local(text));
  expect(await shell.run(setUp ?? "")).toMatch(/every permission; until 20/);
  const address = await shell.run(begin ?? "");
  expect(address).toMatch(/^http:\/\/localhost:\d+\/connect\/\S+$/);
  // A person who ticks everything: more channels than one page of get-channels has.
  const control = createControl(reach, `http://localhost:${sandboxPort}`);
  const known = knownPlatforms();
  const offered = await Promise.all(known.map(({ name }) => control.accounts(name)));
  const everything = { platforms: known.flatMap(({ logins }) => logins), accounts: offered.flat() };
  await connectThrough(new Browser(reach), address, everything);
  const answers = [];
  for (const block of others.slice(0, -1)) answers.push(await shell.run(block));
  expect(answers[0]).toContain('"connect_status":"success"');
  expect(JSON.parse(answers.at(-1) ?? "")).toEqual(partly(JSON.parse(others.at(-1) ?? "")));

  const guides = readdirSync(join(ROOT, GUIDES)).filter((name) => name !== "start.md");
  for (const name of guides) await runGuide(shell, name, local);

  // The client package, against the same service.
  const served = {
    url: `http://localhost:${port}`,
    token: (await shell.run("echo $TOKEN")).trim(),
    channelId: Number(await shell.run("echo $CHANNEL")),
  };
  expect(await runExample(served)).toMatch(/^https:\/\/www\.facebook\.com\//);
  const channelId = String(served.channelId);
  const types = await forwardedTypes(served, "post.published", async () => {
    const posted = await runBelfry(served, "post", "From a terminal", "--channel", channelId);
    expect(posted).toEqual([expect.objectContaining({ STATUS: "published" })]);
    await checkTimeline(served, z.tuple([z.looseObject({ post_id: z.number() })]).parse(posted)[0].post_id);
  });
  expect(types).toContain("post.published");
  // Its webhook is gone with it.
  expect(await shell.run("call $API/social/get-webhooks")).toContain('"webhooks":[]');
  expect(await runBelfry(served, "posts", "--status", "published", "--limit", "1")).toHaveLength(1);
  expect(await runBelfry(served, "channels", "--platform", "facebook")).not.toHaveLength(0);
  await checkLogin(served);
  await checkConnect(served, (await control.accounts("facebook"))[0] ?? "");
  await checkInspector(served);
  const picture = new Uint8Array(await (await reach(new Request(control.media("square.jpg")))).arrayBuffer());
  expect(await uploadBytes(served, picture)).toBe(picture.length);
  const { wanted, created, listed, fates } = await createThroughProxy(served);
  expect(listed.toSorted()).toEqual(created.toSorted());
  expect(new Set(created).size).toBe(wanted);
  // Each thing that a network does was met.
  expect(fates.size).toBe(8);
  await checkResults(served, channelId);

  // What runs here is also what `npm run doctor` checks.
  const examined = await npmRun("doctor", [], env);
  expect(examined).toMatchObject({ code: 0, stderr: "", stdout: expect.stringContaining("Nothing is wrong.") });
  expect(examined.stdout).toMatch(/✓ All \d+ migrations are applied\./);
  expect(examined.stdout).toContain("✓ Meta knows the app as");
});
