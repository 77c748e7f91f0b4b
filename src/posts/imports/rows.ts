import { selectChannels } from "../../channels/store.ts";
import type { Caller } from "../../core/caller.ts";
import { said } from "../../core/checks.ts";
import { AppError, type FieldProblem, invalidFields, type Problem } from "../../core/errors.ts";
import { type ChannelId, idOf } from "../../core/ids.ts";
import { fieldOf, shown } from "../../core/sentences.ts";
import { textsIn } from "../../core/text-faults.ts";
import type { Deps } from "../../service/deps.ts";
import { type Item, readItem } from "../many/item-schema.ts";
import { readRowTime } from "./row-times.ts";
import type { RowProblem, StoredRow } from "./table.ts";

/** Rows of a file as posts, with the defaults of a table: a channel and a text are enough. */

/** The types of the project's channels; each is read once. */
export class ChannelTypes {
  readonly #types = new Map<number, string | null>();

  async read({ db }: Deps, { projectId }: Caller, rows: readonly StoredRow[]): Promise<void> {
    const ids = new Set(
      rows.flatMap(({ fields }) => (typeof fields.channel_id === "number" ? [fields.channel_id] : [])),
    );
    const missing = [...ids].filter((id) => !this.#types.has(id));
    if (missing.length === 0) return;
    const channels = await selectChannels(
      db,
      projectId,
      missing.map((id) => idOf<ChannelId>(id)),
    );
    for (const id of missing) this.#types.set(id, null);
    for (const { id, platform } of channels) this.#types.set(id, platform);
  }

  of(id: unknown): string | null {
    return typeof id === "number" ? (this.#types.get(id) ?? null) : null;
  }
}

/** The row as create-post would read it. */
export function toItem({ fields }: StoredRow, { timeZone }: Caller, types: ChannelTypes): Item {
  const [lost, ...others] = lostLetters(fields);
  if (lost) return { body: invalidFields([lost, ...others]), warnings: [] };
  const time = ambiguousTime(fields);
  if (time) return { body: invalidFields([time]), warnings: [] };
  const isTimed = fields.schedule_time !== undefined;
  const type = types.of(fields.channel_id);
  const defaults = {
    // The sentence about an unknown channel is more use than that of its type.
    channel_type: type ?? "facebook",
    post_type: fields.twitter_threads === undefined ? "post" : "thread",
    media_urls: [],
    publish_mode: isTimed ? "scheduled" : "draft",
    ...(isTimed ? { time_zone: timeZone } : {}),
  };
  return readItem(defaults, fields);
}

/** The program that wrote the file had no letter for these: they are lost, and would be published so. */
function lostLetters(fields: StoredRow["fields"]): FieldProblem[] {
  return [...textsIn(fields)].flatMap(({ path, text }) => {
    if (!text.includes("\ufffd")) return [];
    const field = fieldOf(path);
    const sentence = `${field} must not have the replacement character \ufffd: a letter was lost before the file was sent. Save the file as "CSV UTF-8".`;
    return [{ field, code: "invalid_request", ...said(sentence, "lost_letter") }];
  });
}

/** Any time with an order of day and month that the file names was read before (row-times.ts). */
function ambiguousTime({ schedule_time: time }: StoredRow["fields"]): FieldProblem | null {
  if (typeof time !== "string" || readRowTime(time, null).kind !== "ambiguous") return null;
  const found = shown(time);
  const sentence = `schedule_time must show which number is the day, not ${found}: write it as 2030-03-18 09:00, or send the date_format of the file, dmy or mdy.`;
  return { field: "schedule_time", code: "invalid_request", ...said(sentence, "ambiguous_date", found) };
}

/** What is wrong with the row, by column. */
export function problemsOf(
  row: number,
  { code, message, details }: AppError,
  columnOf: (field: string) => string | null,
): readonly RowProblem[] {
  const errors = Object.entries(details.errors ?? {});
  const found: readonly (Problem & { readonly field: string })[] =
    details.problems ??
    errors.flatMap(([field, sentences]) => sentences.map((sentence) => ({ field, message: sentence })));
  if (found.length === 0) return [{ row, column: null, code, message }];
  return found.map(({ field, message: sentence, check }) => ({
    row,
    column: columnOf(field) ?? field,
    code,
    message: sentence,
    ...(check ? { check } : {}),
  }));
}

export function refusalsOf(
  rows: readonly StoredRow[],
  outcomes: readonly unknown[],
  columnOf: (field: string) => string | null,
) {
  const refused = outcomes.flatMap((outcome, index) => {
    const row = rows[index]?.row;
    return outcome instanceof AppError && row !== undefined ? [{ row, error: outcome }] : [];
  });
  const problems = refused.flatMap(({ row, error }) => problemsOf(row, error, columnOf));
  return { count: refused.length, problems, failedRows: refused.map(({ row }) => row) };
}
