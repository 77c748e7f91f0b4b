import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, test } from "vitest";
import { ROOT } from "../../scripts/support/paths.ts";
import { makeScratch } from "../../scripts/support/scratch.ts";
import { runAs, UNREACHABLE } from "./newcomer.ts";

/** What Node 20, 22 and 24 ship, the oldest that works, and the newest. */
const NPMS = ["9.9.4", "10.8.2", "10.9.4", "11.0.0", "latest"];
const NODES = ["20", "22", "24"];

const tools = makeScratch("belfry-npms-");
const folder = join(tools, "belfry");
const home = join(tools, "home");
let isUnreachable = false;

/** The package that has Node for this machine, as in scripts/node. */
const { optionalDependencies } = JSON.parse(readFileSync(join(ROOT, "scripts", "node", "package.json"), "utf8"));
const nodePackage = Object.keys(optionalDependencies).find((name) =>
  name.endsWith(`${process.platform}-${process.arch}`),
);

/** `npm ARGUMENT…` in the clone. */
function npm(version: string, node: string, args: readonly string[]) {
  const cli = join(tools, "node_modules", `npm-${version}`, "bin", "npm-cli.js");
  const bin = join(tools, "node_modules", `node-${node}`, "bin");
  return runAs({ home, node: bin }, [join(bin, "node"), cli, "--silent", ...args], { cwd: folder });
}

beforeAll(async () => {
  mkdirSync(home);
  // A clone in which nothing is installed.
  cpSync(join(ROOT, "package.json"), join(folder, "package.json"));
  const filter = (path: string) => !path.includes("node_modules");
  cpSync(join(ROOT, "scripts"), join(folder, "scripts"), { recursive: true, filter });
  const packages = [
    ...NPMS.map((version) => `npm-${version}@npm:npm@${version}`),
    ...NODES.map((version) => `node-${version}@npm:${nodePackage}@${version}`),
  ];
  const options = ["--prefix", tools, "--no-save", "--no-audit", "--no-fund", "--prefer-offline", "--ignore-scripts"];
  const { code, stderr } = await runAs({ home }, ["npm", "install", ...options, ...packages], { cwd: tools });
  isUnreachable = UNREACHABLE.test(stderr);
  if (code !== 0 && !isUnreachable) throw new Error(stderr);
}, 600_000);

describe.each(NPMS)("npm %s", (version) => {
  describe.each(NODES)("with Node.js %s", (node) => {
    test("prints help, refuses swallowed options, and is not refused itself", async ({ expect, skip }) => {
      skip(isUnreachable, "npm's registry cannot be reached, so the versions of npm were not tried");
      const start = await npm(version, node, ["start", "--", "--help"]);
      expect(start).toMatchObject({ code: 0, stdout: expect.stringContaining("npm start -- [--watch]") });
      const tests = await npm(version, node, ["test", "--", "--help"]);
      expect(tests).toMatchObject({ code: 0, stdout: expect.stringContaining("npm test -- [FILE …]") });
      expect(start.stderr + tests.stderr).not.toContain("for itself");

      const list = await npm(version, node, ["run", "token", "--list"]);
      expect(list.code).not.toBe(0);
      expect(list.stdout).toBe("");
      // npm 12 refuses options that it does not know, before it runs anything.
      if (version !== "latest" || list.stderr.includes("for itself")) {
        expect(list.stderr).toContain("npm took --list for itself, so nothing was run.");
        expect(list.stderr).toContain("`npm run token -- --list`");
      }
      // Nothing was installed.
      expect(readdirSync(folder).sort()).toEqual(["package.json", "scripts"]);
      expect(existsSync(join(folder, "scripts", "node", "node_modules"))).toBe(false);
    });
  });
});

test.for(["node_gyp", "metrics_registry"])("npm's own setting %s is never refused", async (name, { expect }) => {
  const env = { [`npm_config_${name}`]: "x", npm_lifecycle_event: "start" };
  const command = [process.execPath, join("scripts", "run.mjs"), "scripts/start.ts", "--help"];
  const ran = await runAs({ home }, command, { cwd: folder, env });
  expect(ran).toMatchObject({ code: 0, stderr: "" });
});
