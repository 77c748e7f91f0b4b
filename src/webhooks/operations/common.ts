import { z } from "@hono/zod-openapi";
import { Done } from "../../http/operation.ts";
import { Secret, WebhookView } from "../schema.ts";

export const COMMON = { tag: "Webhooks", permission: "manage-webhooks", extension: true } as const;

export const Created = z.object({ message: z.string(), webhook: WebhookView, secret: Secret, status: Done });
