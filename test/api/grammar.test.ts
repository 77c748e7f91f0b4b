import { describe, test } from "vitest";
import { OPERATIONS } from "../../src/api/operations.ts";

/** The grammar of our own paths (docs/guides/api.md), over the list of operations. */
const own = OPERATIONS.filter(({ extension }) => extension);

/** A part replaces itself; the specification (4.19) names the other, which takes a body. */
const EXCEPTIONS: Readonly<Record<string, string>> = { "upload-part": "put", "get-reach-estimate": "post" };
const PARAMETERS = /^\{(?:[a-z]+_)?id\}$/;

/** Nouns that are their own plural: one path serves the list, and with an id the item. */
const LISTS: Readonly<Record<string, string>> = { listSeries: "get-series", listMedia: "get-media" };

const METHODS: Readonly<Record<string, string>> = {
  get: "get",
  search: "get",
  explain: "get",
  export: "get",
  update: "put",
  delete: "delete",
};

const camel = (name: string) => name.replaceAll(/-([a-z])/g, (_, letter: string) => letter.toUpperCase());

describe.for(own.map(({ id, method, path }) => ({ id, method, path })))("$id", ({ id, method, path }) => {
  const [, area = "", name = "", parameter, ...more] = path.split("/");
  const [verb = ""] = name.split("-");

  test("has a path of a verb with a noun, and at most one id", ({ expect }) => {
    expect(["social", "boost-campaigns"]).toContain(area);
    expect(name).toMatch(/^[a-z]+(?:-[a-z]+)+$/);
    if (parameter !== undefined) expect(parameter).toMatch(PARAMETERS);
    expect(more).toEqual([]);
  });

  test("is named after its path", ({ expect }) => {
    expect(LISTS[id] ?? name).toBe(name);
    if (!(id in LISTS)) expect(id).toBe(camel(name));
  });

  test("has the method of its verb", ({ expect }) => {
    expect([name, method]).toEqual([name, EXCEPTIONS[name] ?? METHODS[verb] ?? "post"]);
  });
});

test("the list has our operations", ({ expect }) => {
  expect(own.length).toBeGreaterThan(80);
});
