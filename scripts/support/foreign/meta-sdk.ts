import { readFileSync } from "node:fs";
import { join } from "node:path";
import { ROOT } from "../paths.ts";

/** An object of the Graph API, as Meta's SDK (`facebook-nodejs-business-sdk`) has it. */
export interface GraphObject {
  readonly name: string;
  readonly fields: ReadonlySet<string>;
  /** By method and edge, such as `GET comments`: the file of the object that it answers, null for none. */
  readonly edges: ReadonlyMap<string, string | null>;
  /** `Metric`, `Period` and the like, by their words in lower case. */
  readonly values: ReadonlyMap<string, ReadonlySet<string>>;
  /** What may be done with the node itself. */
  readonly methods: ReadonlySet<string>;
}

const FOLDER = join(ROOT, "node_modules", "facebook-nodejs-business-sdk", "src", "objects");
const known = new Map<string, GraphObject>();

/** The object in this file of the SDK, such as `ig-user`. */
export function graphObject(file: string): GraphObject {
  const object = known.get(file) ?? readObject(file);
  known.set(file, object);
  return object;
}

function readObject(file: string): GraphObject {
  const text = readFileSync(join(FOLDER, `${file}.js`), "utf8");
  const imports = [...text.matchAll(/^import (\w+) from '\.\/([\w-]+)'/gm)];
  const name = /^export default class (\w+)/m.exec(text)?.[1] ?? file;
  const files = new Map(imports.map(([, one = "", path = ""]) => [one, path])).set(name, file);
  const lists = [...text.matchAll(/static get (\w+) \(\): Object \{\s*return Object\.freeze\(\{([^}]*)\}/g)].map(
    ([, title = "", body = ""]) =>
      [title, new Set([...body.matchAll(/: '([^']*)'/g)].map(([, value = ""]) => value))] as const,
  );
  const values = new Map(lists);
  const edges = new Map<string, string | null>();
  for (const [, target = "", edge = ""] of text.matchAll(
    /getEdge\(\s*(\w+),\s*fields,\s*params,\s*fetchFirstPage,\s*'\/(\w+)'/g,
  ))
    edges.set(`GET ${edge}`, files.get(target) ?? null);
  for (const [, edge = "", target = ""] of text.matchAll(/createEdge\(\s*'\/(\w+)',\s*fields,\s*params,\s*(\w+)/g))
    edges.set(`POST ${edge}`, files.get(target) ?? null);
  for (const [, edge = ""] of text.matchAll(/deleteEdge\(\s*'\/(\w+)'/g)) edges.set(`DELETE ${edge}`, null);
  const methods = new Set(
    [
      /^ {2}get \(/m.test(text) && "GET",
      /^ {2}update \(/m.test(text) && "POST",
      /^ {2}delete \(/m.test(text) && "DELETE",
    ].filter((one) => one !== false),
  );
  return {
    name,
    fields: values.get("Fields") ?? new Set(),
    edges,
    values: new Map(lists.map(([title, list]) => [title.toLowerCase(), list])),
    methods,
  };
}
