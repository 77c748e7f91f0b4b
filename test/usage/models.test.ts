import { expect, test } from "vitest";
import { z } from "zod";
import { generate, INPUT } from "../support/generations.ts";
import { Project } from "../support/world.ts";

/** Calls of models are counted with what their servers report, whether or not the answer can be used. */
const Usage = z.object({
  usage: z.array(
    z.object({
      service: z.string(),
      operation: z.string(),
      calls: z.int(),
      units: z.int(),
      input_tokens: z.int(),
      output_tokens: z.int(),
    }),
  ),
});

async function linesOf(project: Project) {
  const { usage } = Usage.parse((await project.call("GET", "/social/get-usage")).body);
  const ofModels = usage.filter(({ service }) => service === "models");
  return Object.fromEntries(ofModels.map(({ operation, ...line }) => [operation, line]));
}

const some = expect.toSatisfy((count: number) => count > 0);

test("a text and an image: calls, images, and the tokens of both", async () => {
  const project = await Project.create();
  expect(await generate(project, "ai_image_post")).toMatchObject({ status: "done" });
  const { generation, text, image } = await linesOf(project);
  expect(generation).toMatchObject({ calls: 1 });
  expect(text).toMatchObject({ calls: 1, input_tokens: some, output_tokens: some });
  // The sandbox's image server reports a token for each thousand pixels.
  expect(image).toMatchObject({ calls: 1, units: 1, input_tokens: some, output_tokens: 1049 });
});

test("a video counts its seconds, its voice a call", async () => {
  const project = await Project.create();
  expect(await generate(project, "talking_reel")).toMatchObject({ status: "done" });
  const { video, speech } = await linesOf(project);
  expect(video).toMatchObject({ calls: 1, units: some });
  expect([4, 8, 12]).toContain(video?.units);
  if (speech) expect(speech).toMatchObject({ calls: 1, units: 1 });
});

test.for([
  ["garbage", 2],
  ["refuse", 1],
] as const)("the tokens of an answer that cannot be used count: %s", async ([mark, calls]) => {
  const project = await Project.create();
  const done = await generate(project, "text_only", { input: `${INPUT} [model:${mark}]` });
  expect(done).toMatchObject({ status: "failed" });
  expect((await linesOf(project)).text).toMatchObject({ calls, input_tokens: some, output_tokens: some });
});
