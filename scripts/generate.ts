import { Refusal, runCommand } from "./support/command.ts";
import { GENERATED } from "./support/generated.ts";

/** `npm run generate`: everything that is generated and committed. */
async function generate(): Promise<void> {
  for (const { name, write } of GENERATED) {
    const { code, output } = await write();
    process.stdout.write(output);
    if (code !== 0) throw new Refusal(`${name} could not be generated.`);
  }
}

await runCommand(generate);
