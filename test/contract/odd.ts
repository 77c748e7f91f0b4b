type Json = null | boolean | number | string | Json[] | { [key: string]: Json };

const ID = /^(id|urn|videoId|item_id|post_id)$/;
const TEXT = /text|message|caption|commentary|title|description/i;
const TIME = /time|created|published/i;

/** The item with every field of these names changed, at any depth; undefined leaves the field out. */
function changed(item: Json, names: RegExp, change: (value: Json) => Json | undefined): Json {
  if (Array.isArray(item)) return item.map((one) => changed(one, names, change));
  if (item === null || typeof item !== "object") return item;
  const fields = Object.entries(item).flatMap(([name, value]) => {
    const isMeant = names.test(name) && (value === null || typeof value !== "object");
    const next = isMeant ? change(value) : changed(value, names, change);
    return next === undefined ? [] : [[name, next] as const];
  });
  return Object.fromEntries(fields);
}

const FUTURE = Date.parse("2031-01-01T00:00:00Z");

/** A time in the form that the platform writes. */
const inFuture = (value: Json): Json => {
  if (typeof value === "number") return value > 1e11 ? FUTURE : FUTURE / 1000;
  return new Date(FUTURE).toISOString();
};

/** What a list of posts may hold beside posts as documented, made from another author's post. */
export const oddItems: readonly (readonly [string, (template: Json) => Json])[] = [
  ["null", () => null],
  ["a string", () => "a post"],
  ["a number", () => 7],
  ["true", () => true],
  ["an empty object", () => ({})],
  ["an empty list", () => []],
  ["a nested list", (item) => [[item]]],
  ["no id", (item) => changed(item, ID, () => undefined)],
  ["an id of null", (item) => changed(item, ID, () => null)],
  ["an empty id", (item) => changed(item, ID, () => "")],
  ["an id that is a number", (item) => changed(item, ID, () => 1234)],
  ["an id that is an object", (item) => changed(item, ID, () => ({ id: "1" }))],
  ["no text", (item) => changed(item, TEXT, () => undefined)],
  ["a text of null", (item) => changed(item, TEXT, () => null)],
  ["a text that is a number", (item) => changed(item, TEXT, () => 42)],
  ["a text that is an object", (item) => changed(item, TEXT, () => ({ text: "a" }))],
  ["a text that is a list", (item) => changed(item, TEXT, () => ["a", null])],
  ["a text of entities", (item) => changed(item, TEXT, () => "&lt;b&gt; &amp;amp; &#39;x&#x27;")],
  ["no time", (item) => changed(item, TIME, () => undefined)],
  ["a time of null", (item) => changed(item, TIME, () => null)],
  ["a time as text", (item) => changed(item, TIME, (value) => String(value))],
  ["a time that is none", (item) => changed(item, TIME, () => "yesterday")],
  ["a time in the future", (item) => changed(item, TIME, inFuture)],
  ["a time that is an object", (item) => changed(item, TIME, () => ({ seconds: 1 }))],
];
