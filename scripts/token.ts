import { createInterface } from "node:readline/promises";
import { PERMISSIONS } from "../src/core/permissions.ts";
import { useOperator } from "./support/access.ts";
import type { ListedToken, Operator, TokenRequest } from "./support/api.ts";
import { Refusal, readArguments, readProjectId, runCommand, type Scope } from "./support/command.ts";
import { say, table } from "./support/terminal.ts";

const USAGE = `npm run token -- [options]: creates an access token and prints it to stdout.

  --permissions all|a,b   the permissions (default: all)
  --expires-in-days N     the lifetime in days (fractions allowed); default: unlimited
  --expires-at ISO        the time of expiry: 2030-01-31T12:00:00Z
  --project NAME          the project (default: Demo); created as a test project if it does not exist, or as a live
                          project with --live
  --id NUMBER             an existing project by its id; needed if people have projects of this name too
  --live                  the project publishes to the real platforms; a test project becomes live only while it has no
                          channels and no tokens
  --name TEXT             the purpose, shown by --list
  --list                  shows the tokens instead
  --revoke ID             revokes a token instead
  --remote                uses the deployed service (BELFRY_URL, BELFRY_OPERATOR_KEY)
  --yes                   creates a token with every permission that never expires without confirmation

Without --yes such a token requires a confirmation. Without a terminal it is created only for a local test project.`;

const OPTIONS = {
  permissions: { type: "string" },
  "expires-in-days": { type: "string" },
  "expires-at": { type: "string" },
  project: { type: "string" },
  id: { type: "string" },
  live: { type: "boolean" },
  name: { type: "string" },
  list: { type: "boolean" },
  revoke: { type: "string" },
  remote: { type: "boolean" },
  yes: { type: "boolean", short: "y" },
} as const;
type Options = ReturnType<typeof readArguments<typeof OPTIONS>>;
type Deed = (operator: Operator) => Promise<void>;

const DAY_MS = 86_400_000;
const MAX_DAYS = 36_500;

async function main(scope: Scope): Promise<void> {
  const options = readArguments(OPTIONS);
  const deed = await chooseDeed(options);
  const operator = await useOperator(scope, options.remote);
  await deed(operator);
}

/** Validates the whole request, and has it confirmed, before anything is started or called. */
async function chooseDeed(options: Options): Promise<Deed> {
  if (options.list && options.revoke !== undefined) throw new Refusal("--list and --revoke cannot go together.");
  const extra = OF_ISSUING.find((name) => options[name] !== undefined);
  if (extra && (options.list || options.revoke !== undefined)) {
    throw new Refusal(`--${extra} is for a new token; it cannot go with --list or --revoke.`);
  }
  if (options.list) return list;
  if (options.revoke !== undefined) {
    const id = readId(options.revoke);
    return (operator) => revoke(operator, id);
  }
  const request = readRequest(options);
  if (isUnlimited(request) && !options.yes) await confirmUnlimited(options);
  return (operator) => issue(operator, request);
}

const OF_ISSUING = ["permissions", "expires-in-days", "expires-at", "project", "id", "live", "name"] as const;

const isUnlimited = ({ permissions, expires_at }: TokenRequest) => !permissions && !expires_at;

/**
 * Throws a Refusal unless the user confirms. Without a terminal, a test project on this machine needs no
 * confirmation.
 */
async function confirmUnlimited({ live, remote }: Options): Promise<void> {
  const about = "A token with every permission that never expires";
  if (!process.stdin.isTTY) {
    if (!live && !remote) return;
    throw new Refusal(`${about} needs --yes here. Or limit it: --permissions, --expires-in-days.`);
  }
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  const answer = await terminal.question(`${about}: create it? [y/N] `);
  terminal.close();
  if (!/^y(es)?$/i.test(answer.trim())) throw new Refusal("No token was created.");
}

async function issue(operator: Operator, request: TokenRequest): Promise<void> {
  const issued = await operator.issueToken(request);
  say(issued.token);
  const permissions = request.permissions?.join(", ") ?? "every permission";
  const until = request.expires_at ? `until ${request.expires_at}` : "without end";
  const kind = issued.is_test ? "test project" : "live project";
  sayAside(
    `Token ${issued.id} of the ${kind} "${issued.project}" (${issued.project_id}): ${permissions}; ${until}. It is shown this once.`,
  );
}

async function list(operator: Operator): Promise<void> {
  const tokens = await operator.listTokens();
  if (tokens.length === 0) return sayAside("There are no tokens yet.");
  const day = (time: number | null) =>
    time === null ? "" : new Date(time).toISOString().slice(0, 16).replace("T", " ");
  const state = (token: ListedToken) => {
    if (token.revokedAt !== null) return `revoked ${day(token.revokedAt)}`;
    if (token.expiresAt === null) return "works";
    return `${new Date(token.expiresAt) <= new Date() ? "expired" : "until"} ${day(token.expiresAt)}`;
  };
  const rows = tokens.map((token) => [
    token.id,
    token.project,
    token.name,
    token.hint,
    state(token),
    day(token.createdAt),
    token.permissions.length === PERMISSIONS.length ? "all" : token.permissions.join(","),
  ]);
  say(table(["ID", "PROJECT", "NAME", "TOKEN", "STATE", "CREATED (UTC)", "PERMISSIONS"], rows));
}

async function revoke(operator: Operator, id: number): Promise<void> {
  const { message } = await operator.revokeToken(id);
  sayAside(message);
}

function readRequest(options: Options): TokenRequest {
  const expiresAt = readExpiry(options);
  const permissions = readPermissions(options.permissions);
  return {
    ...(options.project === undefined ? {} : { project: readText("--project", options.project) }),
    ...(options.id === undefined ? {} : { id: readProjectId(options.id) }),
    ...(options.live ? { live: true } : {}),
    ...(options.name === undefined ? {} : { name: readText("--name", options.name) }),
    ...(permissions ? { permissions } : {}),
    ...(expiresAt ? { expires_at: expiresAt } : {}),
  };
}

function readText(option: string, text: string): string {
  const trimmed = text.trim();
  if (trimmed.length >= 1 && trimmed.length <= 100) return trimmed;
  throw new Refusal(`${option} must have 1 to 100 characters.`);
}

function readPermissions(text: string | undefined): readonly string[] | null {
  if (text === undefined || text === "all") return null;
  const known: readonly string[] = PERMISSIONS;
  const wanted = text.split(",").map((name) => name.trim());
  const unknown = wanted.filter((name) => !known.includes(name));
  if (unknown.length === 0) return [...new Set(wanted)];
  const names = unknown.map((name) => `"${name}"`).join(", ");
  throw new Refusal(`There is no permission ${names}. There are: all, ${known.join(", ")}.`);
}

/** ISO 8601 with zone, or null. A past time is allowed: it creates an expired token for tests. */
function readExpiry(options: Options): string | null {
  const days = options["expires-in-days"];
  const moment = options["expires-at"];
  if (days !== undefined && moment !== undefined) {
    throw new Refusal("--expires-in-days and --expires-at exclude each other; give one.");
  }
  if (days !== undefined) {
    const count = Number(days);
    if (days.trim() === "" || !(count > 0 && count <= MAX_DAYS)) {
      throw new Refusal(`--expires-in-days must be a number above 0, at most ${MAX_DAYS}, not "${days}".`);
    }
    return new Date(Date.now() + count * DAY_MS).toISOString();
  }
  if (moment === undefined) return null;
  const isIso = /^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d))?$/.test(moment);
  // Date.parse reads February 30 as March 1.
  const isRealDay =
    isIso && new Date(`${moment.slice(0, 10)}T00:00:00Z`).toJSON()?.slice(0, 10) === moment.slice(0, 10);
  if (!isRealDay || Number.isNaN(Date.parse(moment))) {
    throw new Refusal(`--expires-at must be a date such as 2030-01-31 or 2030-01-31T12:00:00Z, not "${moment}".`);
  }
  return new Date(moment).toISOString();
}

function readId(text: string): number {
  if (/^[1-9]\d{0,14}$/.test(text)) return Number(text);
  throw new Refusal(`--revoke takes the number that --list shows, not "${text}".`);
}

const sayAside = (text: string) => void process.stderr.write(`${text}\n`);

await runCommand(USAGE, main);
