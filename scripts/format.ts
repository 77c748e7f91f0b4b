import { runCommand } from "./support/command.ts";
import { runTool } from "./support/tools.ts";

/** `npm run format`: formats, sorts imports and applies the linter's safe fixes. */
await runCommand(async () => (await runTool("biome", ["check", "--write"], { stdio: "inherit" })).code);
