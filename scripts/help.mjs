// `npm run help`: what each command is for. Plain JavaScript without packages, so that it runs on a fresh
// clone with any Node.
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

/** @type {{ groups: Record<string, string>, commands: { name: string, group: string, does: string }[] }} */
const { groups, commands } = JSON.parse(readFileSync(fileURLToPath(new URL("commands.json", import.meta.url)), "utf8"));

/** npm runs these two by their name alone. */
const SHORT = ["start", "test"];
const called = (/** @type {string} */ name) => `npm ${SHORT.includes(name) ? name : `run ${name}`}`;
const width = Math.max(...commands.map(({ name }) => called(name).length));

const parts = Object.entries(groups).map(([group, title]) => {
  const own = commands.filter((command) => command.group === group);
  return [title, ...own.map(({ name, does }) => `  ${called(name).padEnd(width)}  ${does}`)].join("\n");
});
process.stdout.write(`${parts.join("\n\n")}\n\nEach explains its options: \`npm run token -- --help\`.\n`);
