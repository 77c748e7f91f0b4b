import type { OpenAPIHono } from "@hono/zod-openapi";
import type { AppEnv } from "./environment.ts";

/** The app to which features add their operations; it is mounted at /api/v1. */
export type Api = OpenAPIHono<AppEnv>;
