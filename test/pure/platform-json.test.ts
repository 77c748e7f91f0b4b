import fc from "fast-check";
import { test } from "vitest";
import { z } from "zod";
import { PlatformId, parseJson } from "../../src/platforms/json.ts";
import { createSend, parseBody } from "../../src/platforms/request.ts";

/** Answers of platforms on their way in: ids above 2^53 keep their digits, everything else is plain JSON. */
const Answer = z.object({ data: z.object({ id: PlatformId, ids: z.array(PlatformId) }) });

async function receive(text: string) {
  const fetch = async () => new Response(text, { headers: { "content-type": "application/json" } });
  const answer = await createSend({ sandboxUrl: null, fetch })({ method: "GET", url: "https://api.example.com/x" });
  if (answer.kind !== "answered") throw new Error(answer.message);
  return answer;
}

const int64 = fc.bigInt({ min: -(2n ** 63n), max: 2n ** 64n - 1n });
const blank = fc.constantFrom("", " ", "\n  ");

test("an id of 64 bits keeps its digits, written as a number or as a string", async ({ expect }) => {
  await fc.assert(
    fc.asyncProperty(int64, blank, async (id, gap) => {
      const answer = await receive(`{"data":{"id":${gap}${id},"ids":[${id},${gap}"${id}",${gap}${id}]}}`);
      const digits = String(id);
      expect(parseBody(Answer, answer)).toEqual({ data: { id: digits, ids: [digits, digits, digits] } });
    }),
  );
});

test("an id that is missing, empty or no whole number is none", async ({ expect }) => {
  for (const id of ["null", '""', "1.5", "true", "{}"]) {
    expect(parseBody(Answer, await receive(`{"data":{"id":${id},"ids":[]}}`))).toBeNull();
  }
  expect(parseBody(Answer, await receive('{"data":{"ids":[]}}'))).toBeNull();
});

test("everything but integers that are too large is read as JSON.parse reads it", ({ expect }) => {
  fc.assert(
    fc.property(fc.json(), (text) => {
      fc.pre(!/\d{16}/.test(text));
      expect(parseJson(`[${text}, 9007199254740993]`)).toEqual([JSON.parse(text), "9007199254740993"]);
    }),
  );
  expect(parseJson('{"a":12345678901234567.5,"b":1e300,"c":"x: 12345678901234567890"}')).toEqual({
    a: 12345678901234568,
    b: 1e300,
    c: "x: 12345678901234567890",
  });
});

test("the text of an answer comes with it, also where it is no JSON", async ({ expect }) => {
  expect(await receive('{"id":9007199254740993}')).toMatchObject({
    text: '{"id":9007199254740993}',
    body: { id: "9007199254740993" },
  });
  expect(await receive("<html>")).toMatchObject({ text: "<html>", body: null });
});
