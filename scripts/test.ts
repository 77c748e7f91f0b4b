import { runCommand } from "./support/command.ts";
import { say } from "./support/terminal.ts";
import { runVitest } from "./support/vitest.ts";

/** `npm test`: everything, or what the arguments name (they go to vitest). The last line is plain: N passed, N failed. */
await runCommand(async (scope) => {
  const { code, tally } = await runVitest(scope, process.argv.slice(2));
  if (tally !== null) say(tally);
  return code;
});
