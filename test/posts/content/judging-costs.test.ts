import { test } from "vitest";
import { z } from "zod";
import { AppError } from "../../../src/core/errors.ts";
import { shapeOf } from "../../../src/http/shape.ts";
import { unknownFields } from "../../../src/http/unknown-fields.ts";
import { PLATFORM_NAMES } from "../../../src/platforms/names.ts";
import { planContent } from "../../../src/posts/content/content.ts";
import { expectLinearTime } from "../../support/cost.ts";

/** What a request may say at most takes little CPU time to judge. */

const PIECES = ["a.a ", "a.", "😀", "e\u0301", "あ", "http://a.com ", "👩‍👩‍👧", "#a ", "@a ", "한"];

test.for(PIECES)("the longest posts of %j, on any platform", (piece, { expect }) => {
  for (const platform of PLATFORM_NAMES) {
    const channel = { platform, attributes: {} } as Parameters<typeof planContent>[1];
    const judging = (contentOf: (size: number) => Parameters<typeof planContent>[0]) => (size: number) => {
      const content = contentOf(size);
      return () => {
        try {
          planContent(content, channel, false, new Map());
        } catch (error) {
          expect(error).toBeInstanceOf(AppError);
        }
      };
    };
    const textOf = (size: number) => piece.repeat(size / piece.length);
    const post = judging((size) => ({
      post_type: "post",
      caption_text: textOf(size),
      media_urls: [],
      first_comment: textOf(size * 0.4),
    }));
    const thread = judging((size) => ({
      post_type: "thread",
      twitter_threads: Array.from({ length: 25 }, (_, index) => ({ message: `${textOf(size * 0.039)}${index}` })),
      first_comment: textOf(size * 0.4),
    }));
    for (const prepare of [post, thread])
      expectLinearTime(expect, `${piece} on ${platform}`, { prepare, size: 100_000, budgetMs: 50 });
  }
});

test("thousands of unknown fields", ({ expect }) => {
  const shape = shapeOf(z.object({ caption_text: z.string() }));
  const prepare = (size: number) => {
    const names = Array.from({ length: size }, (_, index) => [`${"caption_text".repeat(14)}${index}`, 1]);
    const body = Object.fromEntries(names);
    return () => unknownFields(shape, body, 15);
  };
  expectLinearTime(expect, "5,000 fields", { prepare, size: 5_000, budgetMs: 50 });
});
