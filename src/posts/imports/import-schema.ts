import { z } from "@hono/zod-openapi";
import type { ImportId } from "../../core/ids.ts";
import { isoUtc } from "../../core/time.ts";
import { pathId } from "../../http/page.ts";
import { DATE_ORDERS } from "./row-times.ts";
import type { Import } from "./store.ts";
import { IMPORT_STATES } from "./table.ts";

/** Shapes of the operations for files of posts. */

export const ImportParam = z.object({ import_id: pathId("import_id") });

export const ImportQuery = z.object({
  date_format: z.enum(DATE_ORDERS).optional().openapi({
    description:
      "How the file writes dates such as 03/04/2030: `dmy` with the day first, `mdy` with the month. Without it, rows with such dates are refused.",
  }),
});

export const StartImportBody = z
  .object({
    skip_refused: z.boolean().optional().openapi({
      description: "Whether refused rows are left out. Without it, a file with refused rows is not imported.",
      example: true,
    }),
    again: z.boolean().optional().openapi({
      description: "Whether posts are created once more if another import of the same rows has started (`same_as`).",
      example: false,
    }),
  })
  .openapi("StartImport", { example: { skip_refused: true } });

export const ImportView = z
  .object({
    import_id: z.int(),
    state: z.enum(IMPORT_STATES).openapi({
      description: "`checked`: the dry run is complete, and nothing was created. Then `importing` and `done`.",
    }),
    rows: z.int(),
    encoding: z.string().nullable().openapi({
      description:
        "How the file was read: `utf-8`, the charset of its Content-Type, `utf-16le` or `utf-16be` by its byte order mark, else `windows-1252` (`macintosh` if its lines end as those of a Macintosh). Null before its end.",
      example: "utf-8",
    }),
    valid: z.int().openapi({ description: "Rows that passed all checks when the file was read." }),
    refused: z.int(),
    created: z.int().openapi({ description: "Posts that exist." }),
    failed: z.int().openapi({ description: "Rows that were refused when they were imported." }),
    failed_rows: z.array(z.int()).openapi({ description: "All of these rows, by their numbers in the file." }),
    wait_reason: z.string().nullable().openapi({
      description:
        "Why the rest of the file waits, such as a full quota or a channel that must be reconnected. It goes on by itself.",
    }),
    problems: z
      .array(z.object({ row: z.int(), column: z.string().nullable(), code: z.string(), message: z.string() }))
      .openapi({
        description:
          "What is wrong, by row and column: of the dry run, then of the import. Row 1 has the names of the columns. At most 200.",
      }),
    same_as: z.int().nullable().openapi({
      description: "Of a `checked` file: the newest import of the same rows in the last week that has started.",
    }),
    created_at: z.string(),
    updated_at: z.string(),
  })
  .openapi("Import");

export const EXAMPLE_IMPORT = {
  import_id: 7,
  state: "checked",
  rows: 120,
  encoding: "utf-8",
  valid: 119,
  refused: 1,
  created: 0,
  failed: 0,
  failed_rows: [],
  wait_reason: null,
  problems: [{ row: 17, column: "caption_text", code: "invalid_request", message: "caption_text must not be blank." }],
  same_as: null,
  created_at: "2030-03-05T09:00:00.000+00:00",
  updated_at: "2030-03-05T09:00:04.000+00:00",
} as const satisfies z.input<typeof ImportView>;

export function toImportView(found: Import, sameAs: ImportId | null): z.output<typeof ImportView> {
  const { id: import_id, state, rows, encoding, refused, created, failed, problems } = found;
  return {
    import_id,
    state,
    rows,
    encoding,
    valid: rows - refused,
    refused,
    created,
    failed,
    failed_rows: found.failedRows.toSorted((one, other) => one - other),
    wait_reason: found.wait?.message ?? null,
    problems: problems.map(({ row, column, code, message }) => ({ row, column, code, message })),
    same_as: sameAs,
    created_at: isoUtc(found.createdAt),
    updated_at: isoUtc(found.updatedAt),
  };
}
