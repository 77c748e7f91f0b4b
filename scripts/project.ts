import { createWriteStream, existsSync, openAsBlob } from "node:fs";
import { createInterface } from "node:readline/promises";
import { pipeline } from "node:stream/promises";
import { setTimeout as sleep } from "node:timers/promises";
import { plural } from "../src/core/text.ts";
import { useOperator } from "./support/access.ts";
import type { Operator } from "./support/api.ts";
import { Refusal, readArguments, runCommand, type Scope } from "./support/command.ts";
import { clock, say, table } from "./support/terminal.ts";

const USAGE = `npm run project -- --export NAME [--to FILE] [--remote]
npm run project -- --delete NAME [--delete-posts] [--keep-logins] [--remote] [--yes]

  --export NAME   writes everything of a project into a zip archive: rows as JSON lines, a file for each kind, and the
                  files in the bucket. A very large project has several archives: FILE-2.zip and so on
  --to FILE       the archive (default: NAME.zip in this folder); existing files are kept
  --delete NAME   deletes a project with everything that it has, and lists what is gone. Access ends at once. Campaigns that
                  may still spend are ended first. Asks first, unless --yes. Repeated, it shows how far the deletion is
  --delete-posts  also deletes published posts at the platforms
  --keep-logins   leaves the logins of the channels valid at the platforms
  --remote        uses the deployed service (BELFRY_URL, BELFRY_OPERATOR_KEY)`;

const OPTIONS = {
  export: { type: "string" },
  to: { type: "string" },
  delete: { type: "string" },
  "delete-posts": { type: "boolean" },
  "keep-logins": { type: "boolean" },
  yes: { type: "boolean", short: "y" },
  remote: { type: "boolean" },
} as const;

type Options = ReturnType<typeof readArguments<typeof OPTIONS>>;

async function project(scope: Scope): Promise<void> {
  const options = readArguments(OPTIONS);
  if ((options.export === undefined) === (options.delete === undefined))
    throw new Refusal("Either --export NAME or --delete NAME is needed. See --help.");
  const extra = (options.delete === undefined ? OF_DELETING : OF_EXPORTING).find((name) => options[name] !== undefined);
  if (extra) throw new Refusal(`--${extra} does not go with --${options.delete === undefined ? "export" : "delete"}.`);
  if (options.delete !== undefined) return deleteProject(scope, options, options.delete);
  const name = options.export ?? "";
  const file = options.to ?? `${name.replace(/[^\p{L}\p{N}._-]+/gu, "-")}.zip`;
  if (existsSync(file)) throw new Refusal(`${file} exists already. Name another file with --to.`);
  await writeArchives(await useOperator(scope, options.remote), name, file);
}

const OF_DELETING = ["delete-posts", "keep-logins", "yes"] as const;
const OF_EXPORTING = ["to"] as const;

async function deleteProject(scope: Scope, options: Options, name: string): Promise<void> {
  if (!options.yes) await confirm(name);
  const operator = await useOperator(scope, options.remote);
  const wanted = { delete_posts: options["delete-posts"] ?? false, revoke_logins: !options["keep-logins"] };
  let deletion = await operator.deleteProject({ project: name, ...wanted });
  let shown = "";
  while (!deletion.is_gone) {
    if (deletion.step !== shown) process.stderr.write(`${clock()} ${deletion.step}\n`);
    shown = deletion.step;
    await sleep(POLL_MS);
    deletion = await operator.projectDeletion({ project: name });
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

/** Throws a Refusal unless the user types the name. */
async function confirm(name: string): Promise<void> {
  if (!process.stdin.isTTY)
    throw new Refusal(`Deleting "${name}" cannot be undone. Without a terminal it needs --yes.`);
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  const typed = await terminal.question(`Everything of "${name}" will be deleted, for good. Type its name: `);
  terminal.close();
  if (typed.trim() !== name) throw new Refusal("This is not its name. Nothing was deleted.");
}

/** One archive after the other: each ends with the position of the next one. */
async function writeArchives(operator: Operator, name: string, file: string): Promise<void> {
  let from: string | null = null;
  for (let part = 1; part === 1 || from !== null; part++) {
    const path = part === 1 ? file : file.replace(/(\.zip)?$/, `-${part}.zip`);
    const archive = await operator.exportProject({ project: name, ...(from === null ? {} : { from }) });
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
