import { z } from "@hono/zod-openapi";
import type { SeriesId } from "../../core/ids.ts";
import { readPathId } from "../../http/page.ts";
import { EXAMPLE_SERIES, SeriesView } from "../series/series-schema.ts";

export const COMMON = { tag: "Posts", extension: true } as const;

export const Answered = z.object({ series: SeriesView, status: z.literal(true) });

export const EXAMPLE = { series: EXAMPLE_SERIES, status: true } as const;

export const idIn = (text: string): SeriesId => readPathId("series", text);
