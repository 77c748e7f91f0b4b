import { test } from "vitest";
import { expectLiveAfter, TROUBLED, troubled } from "./contract-trouble.ts";
import { shapeOf } from "./contract-world.ts";

/** Deliveries that die: wherever it was, the post is live once in the end. */
const homes = troubled();

test.for(TROUBLED)("%s: %s is live once when a delivery dies at any one of its acts", async ([name, shape]) => {
  await expectLiveAfter("dies", homes, name, shapeOf(name, shape));
});
