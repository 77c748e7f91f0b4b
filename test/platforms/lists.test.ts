import { describe, expect, test } from "vitest";
import { z } from "zod";
import { PlatformId } from "../../src/platforms/json.ts";
import {
  hasPerhapsOurs,
  lenient,
  lenientList,
  parseItems,
  readList,
  shownText,
  shownTime,
} from "../../src/platforms/lists.ts";
import { down, perhapsLive, rejected, unknown, unreadable, weighRefusal } from "../../src/platforms/outcomes.ts";
import { foldText } from "../../src/platforms/similar-text.ts";

const Item = z.object({
  id: PlatformId,
  text: shownText,
  at: shownTime,
  parent: lenient(z.object({ id: PlatformId })),
  files: lenientList(z.object({ id: PlatformId })),
});

describe("a list is parsed item by item", () => {
  test("what cannot be read is set aside, the rest stays in its order", () => {
    const odd = [null, "text", 7, [], [{ id: "9" }], {}, { id: null }, { id: "" }, { id: {} }];
    const { items, odd: aside } = parseItems(Item, [{ id: "1" }, ...odd, { id: 2 }]);
    expect(items.map(({ id }) => id)).toEqual(["1", "2"]);
    expect(aside).toEqual(odd);
  });

  test.for([
    [undefined, ""],
    [null, ""],
    ["a &amp; b", "a &amp; b"],
    [12, "12"],
    [{ text: "a" }, null],
    [["a"], null],
  ])("a text of %j is %j", ([written, read]) => {
    expect(Item.parse({ id: "1", text: written }).text).toBe(read);
  });

  const AT = Date.parse("2026-11-22T10:00:00Z");
  test.for([
    ["2026-11-22T10:00:00Z", AT],
    ["2026-11-22T11:00:00+0100", AT],
    [AT, AT],
    [AT / 1000, AT],
    [String(AT), AT],
    [String(AT / 1000), AT],
    ["yesterday", Number.NaN],
    ["", Number.NaN],
    [null, Number.NaN],
    [undefined, Number.NaN],
    [{}, Number.NaN],
  ])("a time of %j is %d", ([written, read]) => {
    expect(Item.parse({ id: "1", at: written }).at).toBe(read);
  });

  test("what stands inside an item may be odd too", () => {
    expect(Item.parse({ id: "1", parent: "x", files: [{ id: 1 }, null, [], { id: "2" }] })).toMatchObject({
      parent: undefined,
      files: [{ id: "1" }, { id: "2" }],
    });
    expect(Item.parse({ id: "1", parent: null, files: "none" })).toMatchObject({ parent: undefined, files: undefined });
  });

  test("the odd items of all pages are kept", async () => {
    const pages = [[1, null], ["x"]];
    const listed = await readList(5, async (cursor) => {
      const at = Number(cursor ?? 0);
      return { kind: "page", ...parseItems(z.number(), pages[at] ?? []), isLast: at === 1, next: String(at + 1) };
    });
    expect(listed).toEqual({ kind: "ok", items: [1], odd: [null, "x"], isWhole: true });
  });
});

test("an odd item may be ours only where it shows our text, and neither its id nor its time rules that out", () => {
  const oldest = Date.parse("2026-11-22T10:00:00Z");
  const attempt = { oldest, taken: new Set(["5"]), isAlike: (shown: string) => shown === "ours" };
  const mayBe = (item: unknown) => hasPerhapsOurs([item], attempt);
  expect(mayBe({ text: "ours" })).toBe(true);
  expect(mayBe({ text: "ours", created_time: "2026-11-22T10:00:01+0000" })).toBe(true);
  expect(mayBe({ text: "ours", created_time: "2026-11-22T09:59:59+0000" })).toBe(false);
  expect(mayBe({ text: "ours", timestamp: oldest / 1000 - 1 })).toBe(false);
  expect(mayBe({ text: "ours", id: 5 })).toBe(false);
  for (const foreign of [null, "ours", 7, ["ours"], {}, { text: "another's" }, { text: null }, { text: "" }]) {
    expect(mayBe(foreign)).toBe(false);
  }
});

test.for([
  ["Rock &amp; roll", "Rock & roll"],
  ["Rock &#38; roll", "Rock & roll"],
  ["Rock &#x26; roll", "Rock & roll"],
  ["Rock &amp;amp; roll", "Rock & roll"],
  ["&lt;b&gt; &quot;x&quot; &apos;y&#39; a&nbsp;b", `<b> "x" 'y' a b`],
  ["&#128512;", "😀"],
] as const)("%j is the same text as %j", ([escaped, plain]) => {
  expect(foldText(escaped)).toBe(foldText(plain));
});

test.for(["&#0;", "&#9999999;", "&unknown;", "& amp;", "a & b", "&#xD800;", "&;", "&#;"])(
  "%j is read without a fault, and alike each time",
  (text) => {
    expect(foldText(foldText(text))).toBe(foldText(text));
  },
);

test("a documented refusal is believed unless a look-up speaks against it", () => {
  const refusal = rejected("No.");
  const doubt = unknown("No.");
  expect(weighRefusal(refusal, { kind: "absent" })).toBe(refusal);
  expect(weighRefusal(refusal, unreadable("Nothing can be read."))).toBe(refusal);
  expect(weighRefusal(refusal, unknown("Not all was seen."))).toBe(refusal);
  expect(weighRefusal(refusal, { kind: "failed", reason: "token_expired", message: "Over." })).toBe(refusal);
  expect(weighRefusal(refusal, { kind: "found" })).toEqual(doubt);
  expect(weighRefusal(refusal, perhapsLive("Something is there."))).toEqual(doubt);
  expect(weighRefusal(refusal, down("Not now."))).toEqual(doubt);
  expect(weighRefusal(down("Not yet."), down("Not now."))).toEqual(down("Not yet."));
  const revoked = { kind: "failed", reason: "token_expired", message: "Over." } as const;
  expect(weighRefusal(revoked, down("Not now."))).toBe(revoked);
  expect(weighRefusal(revoked, { kind: "found" })).toEqual(unknown("Over."));
});
