import type { Project } from "../accounts/store.ts";
import { isoUtc } from "../core/time.ts";
import { EXPORT_KINDS } from "./export-kinds.ts";

interface About {
  readonly project: Project;
  readonly now: number;
  /** Where the next archive is; null for the last one. */
  readonly continuation: string | null;
  /** Rows by kind. */
  readonly counts: ReadonlyMap<string, number>;
  /** Files that were deleted while the archive was written. */
  readonly missing: readonly string[];
}

/** The text that explains the files of an archive. */
export function readmeOf({ project, now, continuation, counts, missing }: About): string {
  const kinds = EXPORT_KINDS.flatMap(({ name, about }) => {
    const count = counts.get(name);
    return count === undefined ? [] : [`  ${`${name}.jsonl`.padEnd(28)} ${String(count).padStart(8)}  ${about}`];
  });
  return [
    `Export of the project ${project.name}, made by Belfry at ${isoUtc(now)}.`,
    "",
    "Each .jsonl file has one JSON object a line, in the order of its key. Times are ISO 8601 in UTC.",
    "Names that end with _id refer to the id of a row in another file: post_id to posts.jsonl.",
    "Addresses that end with /media/NAME are the file media/NAME in this archive.",
    "Access tokens, credentials of channels and secrets of webhooks are not in it.",
    "Rows that changed while the archive was written may be as before or as after the change.",
    "",
    ...(kinds.length > 0 ? ["  File                             Rows  Content", ...kinds, ""] : []),
    ...(missing.length > 0 ? ["Files that were deleted meanwhile:", ...missing.map((path) => `  ${path}`), ""] : []),
    continuation === null
      ? "Nothing follows: this is the last archive of the export."
      : `The project is larger than one archive. It continues in the archive at\n${continuation}`,
    "",
  ].join("\n");
}
