import { useOperator } from "./support/access.ts";
import { Refusal, readArguments, runCommand, type Scope } from "./support/command.ts";
import { say } from "./support/terminal.ts";

const USAGE = `npm run ceiling -- --project NAME --currency EUR [--most N] [--remote]

Shows the ceiling for the cost of all boost campaigns of a project, in whole units of a currency, or sets it with --most. A new
campaign that could exceed the ceiling is refused; running campaigns continue. The default is MAX_SPEND.

  --remote   uses the deployed service (BELFRY_URL, BELFRY_OPERATOR_KEY)`;

const OPTIONS = {
  project: { type: "string" },
  currency: { type: "string" },
  most: { type: "string" },
  remote: { type: "boolean" },
} as const;

async function ceiling(scope: Scope): Promise<void> {
  const { project, currency, most, remote } = readArguments(OPTIONS);
  if (project === undefined || currency === undefined)
    throw new Refusal("--project and --currency are needed. See --help.");
  if (!/^[A-Z]{3}$/.test(currency))
    throw new Refusal(`--currency must be an ISO 4217 code such as EUR, not "${currency}".`);
  if (most !== undefined && !/^\d{1,9}$/.test(most)) throw new Refusal(`--most must be a whole number, not "${most}".`);
  const operator = await useOperator(scope, remote);
  const request = { project, currency, ...(most === undefined ? {} : { most: Number(most) }) };
  const shown = await operator.ceiling(request);
  const whose = shown.is_standard ? "the standard one" : "its own";
  say(`Campaigns of "${shown.project}" may cost ${shown.most} together (${whose}); they come to ${shown.committed}.`);
}

await runCommand(USAGE, ceiling);
