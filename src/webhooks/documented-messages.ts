import { type RouteConfig, z } from "@hono/zod-openapi";
import { LEAVING, LEAVING_NAMES } from "./catalog.ts";
import { COMMON } from "./operations/common.ts";

/** The messages of each type, for `webhooks` of the OpenAPI document. */
export function documentedMessages(): readonly RouteConfig[] {
  return LEAVING_NAMES.map((type) => {
    const { idKey, description, detail } = LEAVING[type];
    const data = z.object({
      [idKey]: z.int(),
      message: z.string().openapi({ description: "What happened, in one sentence." }),
    });
    const schema = z.object({
      type: z.literal(type),
      timestamp: z.string().openapi({ description: "When it happened, ISO 8601." }),
      id: z.string().openapi({ description: "The id of the event, the same as the header `webhook-id`." }),
      revision: z.int().openapi({
        description:
          "Grows with each event of an object: of two messages about it, the higher one is the newer. 0 in a test.",
      }),
      data: data.extend(detail.shape),
    });
    return {
      method: "post",
      path: type,
      operationId: `on${type.replaceAll(/(?:^|[._])([a-z])/g, (_, letter: string) => letter.toUpperCase())}`,
      tags: [COMMON.tag],
      summary: description,
      description: DELIVERY,
      security: [],
      request: {
        headers: z.object({
          "webhook-id": z.string().openapi({ description: "The id of the event: the same in every repeat." }),
          "webhook-timestamp": z.string().openapi({ description: "When the message was sent, Unix seconds." }),
          "webhook-signature": z.string().openapi({ description: "One signature, or two for a day after a rotation." }),
        }),
        body: { required: true, content: { "application/json": { schema } } },
      },
      responses: {
        200: { description: "Any status from 200 to 299 within 15 seconds: delivered." },
        410: { description: "The address is permanently gone. The webhook is disabled." },
      },
    };
  });
}

const DELIVERY =
  "Sent at least once, in no guaranteed order, signed with Standard Webhooks. A failed delivery is retried after 5 s, 5 min, 30 min, 2 h, 5 h, 10 h and 10 h.";
