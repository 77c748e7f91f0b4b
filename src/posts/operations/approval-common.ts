import { z } from "@hono/zod-openapi";
import { Done } from "../../http/operation.ts";
import { EXAMPLE_POST, PostView } from "../view-schema.ts";

export const Decided = z.object({ message: z.string(), post: PostView, status: Done });

export const WAITING = { ...EXAMPLE_POST, STATUS: "draft" } as const;
