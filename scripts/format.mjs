import "./support/bootstrap.mjs";
import { runCommand } from "./support/command.mjs";
import { runTool } from "./support/tools.mjs";

/** `npm run format`: formats, sorts imports and applies the linter's safe fixes. */
await runCommand(async () => (await runTool("biome", ["check", "--write"], { stdio: "inherit" })).code);
