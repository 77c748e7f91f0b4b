import { runCommand } from "./support/command.ts";
import { runTool } from "./support/tools.ts";

const USAGE = `npm run format: formats, sorts imports and applies the linter's safe fixes. Takes no options.`;

/** `npm run format`: formats, sorts imports and applies the linter's safe fixes. */
await runCommand(USAGE, async () => (await runTool("biome", ["check", "--write"], { stdio: "inherit" })).code);
