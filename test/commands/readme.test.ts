import { existsSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "vitest";
import { createApi } from "../../scripts/support/api.ts";
import { reach } from "../../scripts/support/http.ts";
import { ROOT } from "../../scripts/support/paths.ts";
import { findFreePort } from "../../scripts/support/ports.ts";
import { connectAccounts } from "../../scripts/support/world.ts";
import { crossed } from "../contract/sample.ts";
import { createControl } from "../support/control.ts";
import { buildPackage } from "./client-package.ts";
import { runToEnd, temporaryFolder } from "./command.ts";
import { folderWithClient } from "./receivers.ts";
import { blocksOf, Shell, startHere } from "./shell.ts";

/** Machine time from the clone to the post, without the download of the packages. */
const MOST_MS = 90_000;
const [look, install, use, ...others] = blocksOf("README.md");

describe("the README", () => {
  test("is short, and its ways in are its only blocks", ({ expect }) => {
    expect(readFileSync(join(ROOT, "README.md"), "utf8").split("\n").length).toBeLessThanOrEqual(150);
    expect([look?.language, install?.language, use?.language, others]).toEqual(["sh", "sh", "js", []]);
    expect(look?.text.trim().split("\n").length).toBeLessThanOrEqual(8);
    expect(use?.text.trim().split("\n").length).toBeLessThanOrEqual(8);
  });

  test("links to files that exist", ({ expect }) => {
    const links = readFileSync(join(ROOT, "README.md"), "utf8").matchAll(/\]\(([^)#]+)[^)]*\)/g);
    // Other products have pages, by https.
    const files = Array.from(links, ([, to = ""]) => to).filter((to) => URL.parse(to)?.protocol !== "https:");
    expect(files.length).toBeGreaterThan(10);
    expect(files.filter((file) => !existsSync(join(ROOT, file)))).toEqual([]);
  });

  // In CI twice: nothing depends on what the first time left behind.
  test.for(crossed("from a clone", [1, 2], 1))(
    "leads from a clone to a post in the sandbox, time %s",
    async (_, { expect }) => {
      await buildPackage();
      const since = Date.now();
      const parent = temporaryFolder();
      const [port, sandboxPort] = [await findFreePort(), await findFreePort()];
      const commands = look?.text.trim().split("\n") ?? [];
      expect(commands.at(-1)).toBe("npm start");
      await new Shell({}, parent).run(commands.slice(0, -1).join("\n").replace("ADDRESS", `"${ROOT}"`));
      const folder = join(parent, "belfry");
      // `npm start` would download them.
      for (const packages of ["node_modules", "scripts/node/node_modules"]) {
        symlinkSync(join(ROOT, packages), join(folder, packages));
      }
      const env = { STATE_DIR: temporaryFolder(), PORT: String(port), SANDBOX_PORT: String(sandboxPort) };
      const printed = await startHere(env, folder);

      const [link = ""] = /http:\S+\/console\/sign-in\/link\/\S+/.exec(printed) ?? [];
      expect((await reach(new Request(link))).status).toBe(200);
      const [token = ""] = /blf_\w+/.exec(printed) ?? [];
      const origin = `http://localhost:${port}`;
      const api = createApi(origin, token);
      const [account = ""] = await createControl(reach, `http://localhost:${sandboxPort}`).accounts("facebook");
      const { channel_ids: channels } = await connectAccounts(api, { platforms: ["facebook"], accounts: [account] });

      const file = join(folderWithClient(), "example.mjs");
      writeFileSync(file, (use?.text ?? "").replace("http://localhost:8787", origin));
      const ran = await runToEnd(process.execPath, [file], { BELFRY_TOKEN: token, CHANNEL: String(channels?.[0]) });
      expect(ran).toMatchObject({ code: 0, stdout: expect.stringMatching(/^https:\/\/www\.facebook\.com\//) });
      expect(Date.now() - since).toBeLessThan(MOST_MS);
    },
  );
});
