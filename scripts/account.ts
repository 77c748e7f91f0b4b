import { ROLES } from "../src/people/roles.ts";
import { useOperator } from "./support/access.ts";
import { Refusal, readArguments, readProjectId, runCommand, type Scope } from "./support/command.ts";
import { say } from "./support/terminal.ts";

const USAGE = `npm run account -- --email ADDRESS [options]: prints a link that signs in to the console, once, for an hour.
An account with this address is created if there is none.

  --email ADDRESS   the e-mail address of the account
  --project NAME    also makes the account a member of this project, and opens it
  --id NUMBER       the project by its id; needed if several are called NAME
  --role ROLE       ${ROLES.join(", ")} (default: owner)
  --remote          uses the deployed service (BELFRY_URL, BELFRY_OPERATOR_KEY)

The link of a service on this machine works while \`npm start\` runs.`;

const OPTIONS = {
  email: { type: "string" },
  project: { type: "string" },
  id: { type: "string" },
  role: { type: "string" },
  remote: { type: "boolean" },
} as const;

async function main(scope: Scope): Promise<void> {
  const { email, project, id, role, remote } = readArguments(OPTIONS);
  if (email === undefined || !/^\S+@\S+\.\S+$/.test(email)) {
    throw new Refusal("--email must be an e-mail address, such as you@example.com. See --help.");
  }
  if (role !== undefined && !ROLES.some((known) => known === role)) {
    throw new Refusal(`--role must be ${ROLES.join(", ")}, not "${role}".`);
  }
  if (role !== undefined && project === undefined && id === undefined)
    throw new Refusal("--role is for a project: add --project or --id.");
  const named = { ...(project && { project }), ...(id !== undefined && { id: readProjectId(id) }) };
  const operator = await useOperator(scope, remote);
  say(await operator.signInLink({ email, ...named, ...(role && { role }) }));
  process.stderr.write("The link signs in once, within an hour.\n");
}

await runCommand(USAGE, main);
