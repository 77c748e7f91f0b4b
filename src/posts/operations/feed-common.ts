import { z } from "@hono/zod-openapi";
import type { FeedId } from "../../core/ids.ts";
import { readPathId } from "../../http/page.ts";
import { FeedView } from "../feeds/feed-schema.ts";

export const COMMON = { tag: "Posts", extension: true } as const;

export const READING = { permission: "social-read-posts", permits: "to read posts" } as const;

export const Answered = z.object({ feed: FeedView, status: z.literal(true) });

export const idIn = (text: string): FeedId => readPathId("feed", text);
