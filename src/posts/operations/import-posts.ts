import { operation } from "../../http/operation.ts";
import { checkImport } from "../imports/check-import.ts";
import { EXAMPLE_IMPORT, ImportQuery } from "../imports/import-schema.ts";
import { Answered, answerOf, COMMON } from "./import-common.ts";

/** A file of 10,000 posts has 2 to 4 MB. */
export const MAX_FILE_BYTES = 20 * 1024 * 1024;

const EXAMPLE = { import: EXAMPLE_IMPORT, status: true } as const;

export const ImportPosts = operation({
  ...COMMON,
  id: "importPosts",
  method: "post",
  path: "/social/import-posts",
  summary: "Check a CSV file of posts",
  description:
    "A dry run: reads a CSV file of up to 10,000 posts and checks each row as create-post would, without its media. Creates nothing. The first row has names of create-post's fields; those of objects are written with a dot (`options.title`, `post_extra.title`). `channel_id` is required. Without the columns, `channel_type` is the channel's, `post_type` is `post`, `publish_mode` is `scheduled` for rows with a `schedule_time` and else `draft`, and `time_zone` is the project's. `schedule_time` is `2030-03-18 09:00`, any time with the year first or the name of the month, with an offset (`2030-03-18T09:00:00+01:00`), or a number of Excel (`47195.375`); other dates need `date_format`. Separate several `media_urls` by spaces, `alt_texts` by `|`, items of a thread by a line `---`. start-import creates the posts. The file is kept for a week, a `checking` one for a day; `same_as` names an import of the same rows that has started.",
  query: ImportQuery,
  quotas: "files that are not imported yet, bytes of text stored",
  rawBody: { maxBytes: MAX_FILE_BYTES, takesForm: true, of: "csv" },
  answer: Answered,
  answerDescription: "What the import would create, and what is wrong with which row.",
  example: EXAMPLE,
  run: async ({ deps, caller }, { query, file }) => {
    const { date_format: dateOrder = null } = query;
    const { body, charset } = file;
    return await answerOf(deps, await checkImport(deps, caller, body, { charset, dateOrder }));
  },
});
