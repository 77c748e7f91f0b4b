import { cpSync, existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "vitest";
import { ROOT } from "../../scripts/support/paths.ts";
import { commandFiles } from "../../scripts/support/usages.ts";
import { crossed } from "../contract/sample.ts";
import { fakeCloudflare } from "./cloudflare.ts";
import { npmRun, runToEnd, temporaryFolder } from "./command.ts";

const { scripts } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8"));
/** npm runs postinstall itself; `help` prints the list of the others. */
const NAMES = Object.keys(scripts).filter((name) => !["postinstall", "help"].includes(name));

/** `npm ARGUMENT…` itself, as a person types it. */
const npm = (args: readonly string[], env: Readonly<Record<string, string>>) => runToEnd("npm", args, env);

/** The options of a command where npm keeps them for itself. */
describe("options before `--`", () => {
  test("of a deployment: --dry-run deploys nothing", async ({ expect }) => {
    const fake = await fakeCloudflare({ secrets: ["CREDENTIAL_KEYS", "SIGNING_KEY", "OPERATOR_KEY"] });
    const ran = await npm(["run", "deploy", "--dry-run"], fake.env);
    expect(ran.stdout).toContain("Nothing was deployed: this was a dry run.");
    expect(ran.code).toBe(0);
    expect(fake.calls).toEqual([]);
  });

  test.for([
    ["token", "--list"],
    ["token", "--permissions=social-view-post"],
    ["deploy", "--dryrun"],
    ["verify", "--no-tests"],
  ])(
    "npm run %s %s runs nothing, and the answer is the right command",
    async ([name = "", option = ""], { expect }) => {
      const state = join(temporaryFolder(), "state");
      const ran = await npm(["run", name, option], { STATE_DIR: state });
      expect(ran.code).not.toBe(0);
      expect(ran.stderr).toMatch(new RegExp(`npm took --\\S+ for itself.*npm run ${name} -- --`));
      expect(ran.stdout).not.toContain("blf_");
      expect(existsSync(state)).toBe(false);
    },
  );

  test("settings of npm that the person's environment or npmrc has are no options", async ({ expect }) => {
    const userconfig = join(temporaryFolder(), "npmrc");
    // `email` is an option of `npm run account` too.
    writeFileSync(userconfig, "some-setting=1\nemail = me@example.com\n");
    const env = { npm_config_python: "python3", npm_config_name: "mine", npm_config_userconfig: userconfig };
    const ran = await npm(["run", "token", "--", "--help"], env);
    expect(ran).toMatchObject({ code: 0, stdout: expect.stringContaining("npm run token") });
  });
});

describe("--help", () => {
  test("names every option of its command, so that npm's own options are not taken for ours", ({ expect }) => {
    const usages: Readonly<Record<string, string>> = JSON.parse(
      readFileSync(join(ROOT, "scripts", "usages.json"), "utf8"),
    );
    expect(Object.keys(usages)).toEqual(commandFiles());
    for (const [file, usage] of Object.entries(usages)) {
      const source = readFileSync(join(ROOT, file), "utf8");
      const options = Array.from(source.matchAll(/"?([a-z][a-z-]*)"?: \{ type: "(?:boolean|string)"/g));
      const missing = options.flatMap(([, name = ""]) => (usage.includes(`--${name}`) ? [] : [name]));
      expect(missing, file).toEqual([]);
    }
  });

  test("needs no package: it is printed in a clone where nothing is installed", async ({ expect }) => {
    const folder = temporaryFolder();
    cpSync(join(ROOT, "package.json"), join(folder, "package.json"));
    cpSync(join(ROOT, "scripts"), join(folder, "scripts"), {
      recursive: true,
      filter: (path) => !path.includes("node_modules"),
    });
    const ran = await npm(["start", "--silent", "--prefix", folder, "--", "--help"], {});
    expect(ran).toMatchObject({ code: 0, stdout: expect.stringContaining("npm start -- [--watch]"), stderr: "" });
    expect(readdirSync(folder).sort()).toEqual(["package.json", "scripts"]);
  });

  test.for(crossed("help", NAMES, 6))(
    "of `npm run %s` says what it does and runs nothing",
    async (name, { expect }) => {
      const file = /run\.mjs (\S+)$/.exec(scripts[name])?.[1] ?? "";
      const args = [join("scripts", "run.mjs"), file, "--help"];
      const state = join(temporaryFolder(), "state");
      const ran = await runToEnd(process.execPath, args, { STATE_DIR: state });
      expect(ran).toMatchObject({ code: 0, stderr: "" });
      const command = name === "start" || name === "test" ? `npm ${name}` : `npm run ${name}`;
      expect(ran.stdout).toContain(`${command}`);
      expect(ran.stdout.split("\n").length).toBeLessThan(40);
      expect(existsSync(state)).toBe(false);
    },
  );
});

describe("a token with every permission that never expires", () => {
  test.for([["--remote"], ["--live"]])(
    "is not created without --yes where no person can be asked: %s",
    async (args, { expect }) => {
      const env = { BELFRY_URL: "http://localhost:9", BELFRY_OPERATOR_KEY: "k", STATE_DIR: temporaryFolder() };
      const ran = await npmRun("token", args, env);
      expect(ran).toMatchObject({ code: 1, stdout: "", stderr: expect.stringContaining("needs --yes") });
    },
  );
});

describe("a STATE_DIR that cannot hold anything", () => {
  test.for(["start", "token"])("is refused with a sentence by %s", async (name, { expect }) => {
    const file = join(temporaryFolder(), "state");
    writeFileSync(file, "");
    const states = [
      [file, "it is a file"],
      [join(file, "deeper"), "a part of its path is a file"],
      ["/sys/belfry", "cannot hold the state"],
    ] as const;
    for (const [state, why] of name === "start" ? states.slice(0, 1) : states) {
      const ran = await npmRun(name, [], { STATE_DIR: state });
      expect(ran).toMatchObject({ code: 1, stdout: "", stderr: expect.stringContaining(why) });
      expect(ran.stderr.trim().split("\n")).toHaveLength(1);
    }
  });
});
