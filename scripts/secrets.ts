import { basename, relative, resolve } from "node:path";
import { Refusal, runCommand } from "./support/command.ts";
import { ROOT } from "./support/paths.ts";
import { completeSecretsFile, problemsOf, readSecretsFile } from "./support/secrets-file.ts";
import { green, say } from "./support/terminal.ts";

const USAGE = `npm run secrets -- [FILE]: creates the secrets that FILE lacks, and keeps existing ones.

  .dev.vars (default)   for \`npx wrangler dev\`
  .prod.vars            for \`npm run deploy\`, which uploads them. Keep a copy with your passwords: without CREDENTIAL_KEYS the
                        credentials of connected channels are unreadable`;

const DEVELOPMENT_FILE = ".dev.vars";

/** `npm run secrets`: writes files that git ignores and only their owner can read. */
async function secrets(): Promise<void> {
  const [file = DEVELOPMENT_FILE, ...rest] = process.argv.slice(2);
  if (file.startsWith("-") || rest.length > 0) throw new Refusal(`One file at most. See --help.`);
  const path = resolve(ROOT, file);
  const name = relative(ROOT, path);
  const isForDevelopment = basename(path) === DEVELOPMENT_FILE;
  const made = completeSecretsFile(path, isForDevelopment ? { ENVIRONMENT: "development" } : {});
  const problems = problemsOf(readSecretsFile(path) ?? {}, []).filter(() => !isForDevelopment);
  if (problems.length > 0) {
    const lines = problems.map(({ variable, problem }) => `  ${variable} ${problem}.`);
    throw new Refusal(
      `${name} has values that the service refuses. Remove their lines to create new ones:\n${lines.join("\n")}`,
    );
  }
  say(
    made.length > 0 ? `${green("✓")} Created ${made.join(", ")} in ${name}.` : `${green("✓")} ${name} has everything.`,
  );
}

await runCommand(USAGE, secrets);
