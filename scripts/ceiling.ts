import { useOperator } from "./support/access.ts";
import type { Operator } from "./support/api.ts";
import { Refusal, readArguments, readProjectId, runCommand, type Scope } from "./support/command.ts";
import { say } from "./support/terminal.ts";

const USAGE = `npm run ceiling -- --project NAME --currency EUR [--most N] [--remote]
npm run ceiling -- --project NAME --platform-cost [--most N] [--remote]

Shows or sets (--most) a ceiling of a project, in whole units of the currency:

  --currency EUR    what its boost campaigns may cost together. A campaign that could exceed it is refused; running
                    campaigns continue. Default: MAX_SPEND
  --platform-cost   what platforms may charge for its calls in a calendar month (UTC), in US dollars. Calls beyond it
                    wait for the next month, or for a higher ceiling. Default: MAX_PLATFORM_COST

  --id NUMBER       the project by its id, instead of --project or with it; needed if several have the name
  --remote          uses the deployed service (BELFRY_URL, BELFRY_OPERATOR_KEY)`;

const OPTIONS = {
  project: { type: "string" },
  id: { type: "string" },
  currency: { type: "string" },
  "platform-cost": { type: "boolean" },
  most: { type: "string" },
  remote: { type: "boolean" },
} as const;

async function ceiling(scope: Scope): Promise<void> {
  const { project, id, currency, most, remote, "platform-cost": isPlatformCost = false } = readArguments(OPTIONS);
  if ((project === undefined && id === undefined) || (currency === undefined) !== isPlatformCost)
    throw new Refusal("--project or --id, and either --currency or --platform-cost, are needed. See --help.");
  if (currency !== undefined && !/^[A-Z]{3}$/.test(currency))
    throw new Refusal(`--currency must be an ISO 4217 code such as EUR, not "${currency}".`);
  if (most !== undefined && !/^\d{1,9}$/.test(most)) throw new Refusal(`--most must be a whole number, not "${most}".`);
  const operator = await useOperator(scope, remote);
  const wanted = {
    ...(project === undefined ? {} : { project }),
    ...(id === undefined ? {} : { id: readProjectId(id) }),
    ...(most === undefined ? {} : { most: Number(most) }),
  };
  if (currency === undefined) return showCostCeiling(await operator.costCeiling(wanted));
  const found = await operator.ceiling({ currency, ...wanted });
  const whose = found.is_standard ? "the standard one" : "its own";
  say(`Campaigns of "${found.project}" may cost ${found.most} together (${whose}); they come to ${found.committed}.`);
}

type CostCeiling = Awaited<ReturnType<Operator["costCeiling"]>>;

function showCostCeiling({ project, most, spent }: CostCeiling): void {
  const limit = most === null ? "without a ceiling" : `up to ${most}`;
  say(`Platforms may charge "${project}" ${limit} in a month; this month they have charged ${spent}.`);
}

await runCommand(USAGE, ceiling);
