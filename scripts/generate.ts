import { Refusal, runCommand } from "./support/command.ts";
import { GENERATED } from "./support/generated.ts";
import { makeSources } from "./support/sources.ts";

const USAGE = `npm run generate: writes everything that is generated and committed (migrations, docs/openapi.json, docs/errors.md, the tables
of docs/costs.md and docs/README.md, binding types), after its sources changed. Takes no options.`;

/** `npm run generate`: writes all generated files that are committed, then those that are not. */
async function generate(): Promise<void> {
  for (const { name, write } of GENERATED) {
    const { code, output } = await write();
    process.stdout.write(output);
    if (code !== 0) throw new Refusal(`${name} could not be generated.`);
  }
  await makeSources();
}

await runCommand(USAGE, generate);
