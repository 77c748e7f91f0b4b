import { z } from "@hono/zod-openapi";
import type { ImportId } from "../../core/ids.ts";
import { readPathId } from "../../http/page.ts";
import type { Deps } from "../../service/deps.ts";
import { ImportView, toImportView } from "../imports/import-schema.ts";
import { findTwin, type Import } from "../imports/store.ts";

export const COMMON = { tag: "Posts", permission: "social-create-post", extension: true } as const;

export const Answered = z.object({ import: ImportView, status: z.literal(true) });

export const answerOf = async ({ db }: Deps, found: Import) =>
  ({ import: toImportView(found, (await findTwin(db, found))?.id ?? null), status: true }) as const;

export const idIn = (text: string): ImportId => readPathId("import", text);
