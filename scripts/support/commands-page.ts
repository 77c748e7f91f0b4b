import { readFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { ROOT } from "./paths.ts";

const Commands = z.object({
  groups: z.record(z.string(), z.string()),
  commands: z.array(z.object({ name: z.string(), group: z.string(), does: z.string() })),
});

/** The npm scripts that people call, with what each does, in groups: scripts/commands.json. */
export function readCommands(): z.output<typeof Commands> {
  return Commands.parse(JSON.parse(readFileSync(join(ROOT, "scripts", "commands.json"), "utf8")));
}

/** The first table after this heading. */
const TABLE = /(?<=^## Commands\n(?:(?!## |\|).*\n)*)(?:\|.*\n)+/m;

/** docs/README.md with its table of commands made from scripts/commands.json; the rest is written by hand. */
export function commandsPage(): string {
  const { groups, commands } = readCommands();
  const rows = Object.entries(groups).flatMap(([group, title]) =>
    commands
      .filter((command) => command.group === group)
      .map(({ name, does }, at) => `| ${at === 0 ? `**${title}**` : ""} | \`${calledBy(name)}\` | ${does} |`),
  );
  const table = ["| Task | Command | What it does |", "| --- | --- | --- |", ...rows].join("\n");
  return readFileSync(join(ROOT, "docs", "README.md"), "utf8").replace(TABLE, `${table}\n`);
}

/** npm runs these two by their name alone. */
const SHORT = ["start", "test"];
const calledBy = (name: string): string => `npm ${SHORT.includes(name) ? name : `run ${name}`}`;
