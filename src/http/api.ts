import type { OpenAPIHono } from "@hono/zod-openapi";
import type { AppEnv } from "./environment.ts";

/** The app that features add their operations to; it is mounted at /api/v1. */
export type Api = OpenAPIHono<AppEnv>;
