import { cpSync, globSync, mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "vitest";
import { commandsPage, readCommands } from "../../scripts/support/commands-page.ts";
import { ROOT } from "../../scripts/support/paths.ts";
import { runToEnd, temporaryFolder } from "./command.ts";

const { scripts } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8"));
/** npm runs these itself. */
const HOOKS = /^(pre|post)(install|pare|test|pack|publish)|^prepare$/;
const NAMES = Object.keys(scripts).filter((name) => !HOOKS.test(name));
const { groups, commands } = readCommands();

describe("the list of commands", () => {
  test("has every npm script once, each in a group with a line, and no other", ({ expect }) => {
    expect(commands.map(({ name }) => name).sort()).toEqual(NAMES.sort());
    expect(Object.keys(groups)).toEqual(["use", "operate", "develop"]);
    for (const { name, group, does } of commands) {
      expect(Object.keys(groups), name).toContain(group);
      expect(does.length, name).toBeGreaterThan(10);
    }
  });

  test("is printed by `npm run help`, on a clone without packages", async ({ expect }) => {
    const clone = temporaryFolder();
    mkdirSync(join(clone, "scripts"));
    for (const file of ["package.json", "scripts/help.mjs", "scripts/commands.json"]) {
      cpSync(join(ROOT, file), join(clone, file));
    }
    const ran = await runToEnd("npm", ["--prefix", clone, "run", "--silent", "help"], {});
    expect(ran).toMatchObject({ code: 0, stderr: "" });
    const printed = ran.stdout.split("\n").filter((line) => line.startsWith("  "));
    expect(printed).toHaveLength(commands.length);
    for (const { name, does } of commands) {
      expect(printed).toContainEqual(expect.stringMatching(new RegExp(`^ {2}npm (run )?${name} +${escaped(does)}$`)));
    }
    expect(ran.stdout.split("\n").filter((line) => /^\w+$/.test(line))).toEqual(Object.values(groups));
  });

  test("is the table of docs/README.md", ({ expect }) => {
    const page = readFileSync(join(ROOT, "docs", "README.md"), "utf8");
    expect(page).toBe(commandsPage());
    for (const { name, does } of commands)
      expect(page).toMatch(new RegExp(`\`npm (run )?${name}\` \\| ${escaped(does)} \\|`));
  });

  test("has every command that the documentation names", ({ expect }) => {
    const files = globSync("docs/**/*.md", { cwd: ROOT, exclude: (name) => name === "decisions" });
    const texts = [...files, "README.md", "CONTRIBUTING.md"].map((file) => readFileSync(join(ROOT, file), "utf8"));
    const called = texts.join("\n").matchAll(/npm run (?:-s )?([a-z-]+)/g);
    // A script of n8n/package.json, in its own folder.
    const known = new Set([...NAMES, "build"]);
    expect(Array.from(called, ([, name = ""]) => name).filter((name) => !known.has(name))).toEqual([]);
  });
});

const escaped = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
