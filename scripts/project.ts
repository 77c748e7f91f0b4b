import { createWriteStream, existsSync, openAsBlob } from "node:fs";
import { createInterface } from "node:readline/promises";
import { pipeline } from "node:stream/promises";
import { setTimeout as sleep } from "node:timers/promises";
import { plural } from "../src/core/text.ts";
import { useOperator } from "./support/access.ts";
import type { NamedProject, Operator } from "./support/api.ts";
import { Refusal, readArguments, readProjectId, runCommand, type Scope, Unavailable } from "./support/command.ts";
import { clock, say, table } from "./support/terminal.ts";

const USAGE = `npm run project -- --export NAME [--id NUMBER] [--to FILE] [--remote]
npm run project -- --delete NAME --id NUMBER [--delete-posts] [--keep-logins] [--remote] [--yes]
npm run project -- --move NAME [--id NUMBER] --to NUMBER [--remote]
npm run project -- --move NAME [--id NUMBER] --undo [--remote]

  --export NAME   writes everything of a project into a zip archive: rows as JSON lines, a file for each kind, and the
                  files in the bucket. A very large project has several archives: FILE-2.zip and so on
  --to FILE       the archive (default: NAME.zip in this folder); existing files are kept
  --delete NAME   deletes a project with everything that it has, and lists what is gone. Access ends at once. Campaigns that
                  may still spend are ended first. Shows whose projects have this name, and asks for the id, unless --id and --yes.
                  Repeated, it shows how far the deletion is
  --delete-posts  also deletes published posts at the platforms
  --keep-logins   leaves the logins of the channels valid at the platforms
  --move NAME     moves a project into the database --to NUMBER, which must be higher than its own. Meanwhile, for some minutes,
                  its requests are answered with 423 and its posts wait; nothing is lost. Repeated, it shows how far the move is
  --undo          takes the move back, as long as the project is not served by the new database
  --id NUMBER     the project by its id: people choose names, so several projects may have one
  --remote        uses the deployed service (BELFRY_URL, BELFRY_OPERATOR_KEY)`;

const OPTIONS = {
  export: { type: "string" },
  id: { type: "string" },
  to: { type: "string" },
  delete: { type: "string" },
  "delete-posts": { type: "boolean" },
  "keep-logins": { type: "boolean" },
  move: { type: "string" },
  undo: { type: "boolean" },
  yes: { type: "boolean", short: "y" },
  remote: { type: "boolean" },
} as const;

type Options = ReturnType<typeof readArguments<typeof OPTIONS>>;

async function project(scope: Scope): Promise<void> {
  const options = readArguments(OPTIONS);
  const [wanted, ...more] = COMMANDS.filter(({ option }) => options[option] !== undefined);
  if (!wanted || more.length > 0)
    throw new Refusal("Either --export NAME, --delete NAME or --move NAME is needed. See --help.");
  const others = COMMANDS.flatMap(({ takes }) => takes).filter((name) => !wanted.takes.includes(name));
  const extra = others.find((name) => options[name] !== undefined);
  if (extra) throw new Refusal(`--${extra} does not go with --${wanted.option}.`);
  const name = options[wanted.option] ?? "";
  const named = { project: name, ...(options.id === undefined ? {} : { id: readProjectId(options.id) }) };
  if (wanted.option === "delete") return deleteProject(scope, options, named);
  if (wanted.option === "move") return moveProject(scope, options, named);
  const file = options.to ?? `${name.replace(/[^\p{L}\p{N}._-]+/gu, "-")}.zip`;
  if (existsSync(file)) throw new Refusal(`${file} exists already. Name another file with --to.`);
  await writeArchives(await useOperator(scope, options.remote), named, file);
}

interface Command {
  readonly option: "export" | "delete" | "move";
  readonly takes: readonly ("to" | "delete-posts" | "keep-logins" | "yes" | "undo")[];
}
const COMMANDS: readonly Command[] = [
  { option: "export", takes: ["to"] },
  { option: "delete", takes: ["delete-posts", "keep-logins", "yes"] },
  { option: "move", takes: ["to", "undo"] },
];

/**
 * Moves a project, and returns once it is served again; the service deletes the rows left behind by itself.
 */
async function moveProject(scope: Scope, options: Options, named: NamedProject): Promise<void> {
  const to = options.to === undefined ? undefined : Number(options.to);
  if ((to === undefined) !== (options.undo ?? false)) throw new Refusal("--move needs --to NUMBER or --undo.");
  if (to !== undefined && !Number.isInteger(to)) throw new Refusal("--to must be the number of a database.");
  const operator = await useOperator(scope, options.remote);
  let move = await operator.moveProject({ ...named, ...(to === undefined ? { undo: true } : { to }) });
  let shown = "";
  while (!move.is_served) {
    if (move.step !== shown) process.stderr.write(`${clock()} ${move.step}\n`);
    shown = move.step;
    move = await progress(() => operator.moveProject(named));
  }
  const { project, from, rows } = move;
  if (to !== undefined && move.is_undone)
    throw new Refusal(`The copy differed three times, so "${project}" stays in database ${from}. The log says more.`);
  if (move.is_undone) return say(`"${project}" is served by database ${from} as before.`);
  say(`"${project}" is served by database ${move.to} (${plural(rows, "row")} moved from database ${from}).`);
}

async function deleteProject(scope: Scope, options: Options, given: NamedProject): Promise<void> {
  if (!process.stdin.isTTY && !options.yes)
    throw new Refusal(`Deleting "${given.project}" cannot be undone. Without a terminal it needs --id and --yes.`);
  const operator = await useOperator(scope, options.remote);
  // With --yes and no id, the service refuses, and lists whose projects have this name.
  const named = options.yes ? given : await confirmed(operator, given);
  const wanted = { delete_posts: options["delete-posts"] ?? false, revoke_logins: !options["keep-logins"] };
  let deletion = await operator.deleteProject({ ...named, ...wanted });
  let shown = "";
  while (!deletion.is_gone) {
    if (deletion.step !== shown) process.stderr.write(`${clock()} ${deletion.step}\n`);
    shown = deletion.step;
    deletion = await progress(() => operator.projectDeletion(named));
  }
  const { posts, campaigns, logins } = deletion.remaining_at_platforms;
  say(`"${deletion.project}" (project ${deletion.project_id}) is deleted. Gone:`);
  say(table(["What", "Count"], [...Object.entries(deletion.gone), ["other rows", deletion.other_rows]]));
  const [deleted, revoked] = [
    plural(deletion.posts_deleted_at_platforms, "post"),
    plural(deletion.logins_revoked, "login"),
  ];
  say(`At platforms: ${deleted} deleted, ${revoked} revoked.`);
  const remaining = [plural(posts, "post"), plural(campaigns, "campaign"), plural(logins, "login")];
  if (posts + campaigns + logins > 0) say(`Remain there: ${remaining.join(", ")}. End them at the platforms.`);
}

const POLL_MS = 2_000;
const MOST_TRIES = 30;

/** What the service reports a moment later. An answer that does not come is requested again, for a minute. */
async function progress<T>(look: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries++) {
    await sleep(POLL_MS);
    try {
      return await look();
    } catch (error) {
      if (!(error instanceof Unavailable)) throw error;
      if (tries < MOST_TRIES) continue;
      throw new Refusal(`${error.message} The service continues by itself: repeat the command to see how far it is.`);
    }
  }
}

/** The project whose id the user types, after its owner is shown; another answer throws a Refusal. */
async function confirmed(operator: Operator, named: NamedProject): Promise<NamedProject> {
  for (const { id, name, owners, created_at: createdAt } of await operator.findProjects(named)) {
    process.stderr.write(`Project ${id} "${name}": owner ${owners.join(", ")}, created ${createdAt.slice(0, 10)}\n`);
  }
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  const typed = await terminal.question("Everything of it will be deleted, for good. Type the id of the project: ");
  terminal.close();
  const id = readProjectId(typed.trim());
  if (named.id !== undefined && named.id !== id) throw new Refusal("This is not its id. Nothing was deleted.");
  return { ...named, id };
}

/** One archive after the other: each ends with the position of the next one. */
async function writeArchives(operator: Operator, named: NamedProject, file: string): Promise<void> {
  let from: string | null = null;
  for (let part = 1; part === 1 || from !== null; part++) {
    const path = part === 1 ? file : file.replace(/(\.zip)?$/, `-${part}.zip`);
    const archive = await operator.exportProject({ ...named, ...(from === null ? {} : { from }) });
    await pipeline(archive, createWriteStream(path, { flags: "wx", mode: 0o600 }));
    say(path);
    from = await positionAfter(path);
  }
}

/** The comment at the end of an archive; null for the last one. Throws for an archive that is cut off. */
async function positionAfter(path: string): Promise<string | null> {
  const blob = await openAsBlob(path);
  const end = Buffer.from(await blob.slice(Math.max(0, blob.size - END_BYTES)).arrayBuffer());
  const at = end.lastIndexOf(END_MARK);
  if (at < 0) throw new Refusal(`${path} is not complete: the connection ended early. Delete it and try again.`);
  return /^next=([\w-]+)$/.exec(end.subarray(at + END_LENGTH).toString())?.[1] ?? null;
}

/** The last record of a zip archive: its mark, its length, and room for the comment. */
const END_MARK = Buffer.from([0x50, 0x4b, 0x05, 0x06]);
const END_LENGTH = 22;
const END_BYTES = 4_096;

await runCommand(USAGE, project);
