import { runCommand } from "./support/command.ts";
import { makeSources } from "./support/sources.ts";
import { checkStatements } from "./support/statements.ts";
import { red, say, yellow } from "./support/terminal.ts";
import { runVitest } from "./support/vitest.ts";

const USAGE = `npm test -- [FILE …] [-t WORDS]: runs all tests, or those of the files named. Options go to vitest.

  npm test -- test/posts/timetable/slots.test.ts               one file
  npm test -- test/boosts/withdraw.test.ts -t "a login"        its tests whose name has these words

Without files it leaves out those that take long, which TESTS=long runs too, as .ci/run does, and draws fewer samples. TESTS=all
adds every case that repeats a promise on another platform or in another size.
CONTRACT=all runs every case where a test draws samples, TEST_RUNS=3 three times as many as usual; CONTRACT_SEED=7 draws others.
TEST_ORDER=reversed, or a seed, runs the files in another order: files that share a runtime share its database.`;

/**
 * `npm test`: runs all tests, or those that the arguments name (passed to vitest). The last line is plain: N
 * passed, N failed.
 */
await runCommand(USAGE, async (scope) => {
  await makeSources();
  const { code, tally } = await runVitest(scope, process.argv.slice(2));
  const unbounded = checkStatements();
  if (unbounded.length > 0) {
    say(red("Statements read more than they need (scripts/support/statements.ts):"));
    for (const problem of unbounded) say(`\n${problem}`);
    say(
      "\nGive each an index, a window or `isOwnAmong`, or list it in scripts/support/statement-list.ts with its bound and reason.\n",
    );
  }
  // The descriptions are in packages that only the tests install.
  const { checkCalls } = await import("./support/foreign/check.ts");
  const unknown = checkCalls();
  if (unknown.length > 0) {
    say(red("Adapters sent what the vendors' descriptions do not have (scripts/support/foreign/check.ts):\n"));
    for (const flaw of unknown) say(flaw);
    say(
      "\nCorrect the adapter, or list it in scripts/support/foreign/exceptions.ts with its reason, source and date.\n",
    );
  }
  const { missingCalls } = await import("./support/sent-calls.ts");
  const missing = missingCalls();
  if (missing.length > 0) {
    say(yellow("Adapters sent requests that the pages of their platforms do not list:\n"));
    for (const flaw of missing) say(flaw);
    say("\nAdd them by `npm run generate`.\n");
  }
  if (tally !== null) say(tally);
  return unbounded.length > 0 || unknown.length > 0 ? 1 : code;
});
