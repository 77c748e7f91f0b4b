import { operation } from "../../http/operation.ts";
import { createGeneration } from "../create.ts";
import { CreatedView, CreateGenerationBody, EXAMPLE_CREATED, toCreatedView, toWanted } from "../schema.ts";
import { COMMON } from "./common.ts";

export const CreatePostGeneration = operation({
  ...COMMON,
  id: "createPostGeneration",
  method: "post",
  path: "/social/create-post-generation",
  summary: "Generate a post",
  description:
    "Generates a post (text, image, banner or video) from a topic with the configured models. It is `queued`, then `done` or `failed` with the reason: after some seconds for text and images, some minutes for videos. Use its `caption_text` and `media_urls` in create-post to publish it.",
  idempotent: true,
  quotas: "generations per day, stored bytes of files",
  body: CreateGenerationBody,
  answer: CreatedView,
  answerDescription: "It was accepted.",
  example: { ...EXAMPLE_CREATED, request_body: { ...EXAMPLE_CREATED.request_body } },
  run: async ({ deps, caller, origin, once }, { body }) => {
    const wanted = { ...toWanted(body), origin: origin };
    const id = await once(
      body,
      (idempotency) => createGeneration(deps, caller, wanted, idempotency),
      (stored) => stored,
    );
    return toCreatedView(id, body);
  },
});
