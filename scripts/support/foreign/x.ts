import { readFileSync } from "node:fs";
import { join } from "node:path";
import { ROOT } from "../paths.ts";
import { type Claim, type Describe, isObject, type Sent } from "./sent.ts";

/** X's OpenAPI document, as `@xdevplatform/xdk` is generated from it. */
interface Operation {
  readonly method: string;
  readonly path: RegExp;
  readonly template: string;
  readonly parameters: ReadonlySet<string>;
  /** The interface of the body; `any` if it is not described. */
  readonly body: string | null;
}

export function describeX(): Describe {
  const folder = join(ROOT, "node_modules", "@xdevplatform", "xdk", "dist");
  const code = readFileSync(join(folder, "index.js"), "utf8");
  const types = readFileSync(join(folder, "index.d.ts"), "utf8");
  const operations = operationsIn(code, types);
  const lists = listsIn(types);
  const interfaces = new Interfaces(types);
  return (sent) => {
    if (sent.host !== "api.x.com") return null;
    const { method, path, query, body } = sent;
    const fit = operations.filter((one) => one.method === method && one.path.test(path));
    // A path with words wins over one with a placeholder.
    const operation = fit.toSorted((a, b) => placeholders(a) - placeholders(b))[0];
    const at = `x ${method} ${operation?.template ?? path.replace(/\d{3,}/g, "{id}")}`;
    if (!operation) return [{ text: at, isKnown: false }];
    const parameters = query.flatMap(([name, value]): Claim[] => {
      const named = { text: `${at}: parameter ${name}`, isKnown: operation.parameters.has(name) };
      const values = lists.get(name);
      if (!values) return [named];
      return [named, ...value.split(",").map((one) => ({ text: `${at}: ${name} ${one}`, isKnown: values.has(one) }))];
    });
    const fields = operation.body === null ? [] : interfaces.walk(at, operation.body, body);
    return [{ text: at, isKnown: true }, ...parameters, ...fields];
  };
}

const placeholders = ({ template }: Operation): number => template.split("{").length;

function operationsIn(code: string, types: string): Operation[] {
  const bodies = bodiesIn(types);
  return [...code.matchAll(/^var (\w+Client) = class \{([\s\S]*?)^\};/gm)].flatMap(([, client = "", text = ""]) =>
    text.split(/^ {2}(?=async \w+\()/m).flatMap((part) => {
      const template = /let path = "([^"]+)"/.exec(part)?.[1];
      const method = /this\.client\.request\(\s*"(\w+)"/.exec(part)?.[1];
      const name = /^async (\w+)\(/.exec(part)?.[1];
      if (template === undefined || method === undefined || name === undefined) return [];
      const pattern = template.replaceAll(/\{\w+\}/g, "[^/]+");
      const parameters = [...part.matchAll(/params\.append\(\s*"([^"]+)"/g)].map(([, one = ""]) => one);
      return [
        {
          method,
          template,
          path: new RegExp(`^${pattern}$`),
          parameters: new Set(parameters),
          body: bodies.get(`${client}.${name}`) ?? null,
        },
      ];
    }),
  );
}

/** The type of the body of each method, in these declarations by `Client.method`. */
function bodiesIn(types: string): Map<string, string> {
  const classes = [...types.matchAll(/^declare class (\w+Client) \{([\s\S]*?)^\}/gm)];
  return new Map(
    classes.flatMap(([, client = "", text = ""]) =>
      [...text.matchAll(/^ {4}(\w+)\([^)]*?\bbody: ([\w$]+)/gm)].map(([, name = "", type = ""]) => [
        `${client}.${name}`,
        type,
      ]),
    ),
  );
}

/** The values of `post.fields`, `expansions` and the like, of all methods together. */
function listsIn(types: string): Map<string, Set<string>> {
  const lists = new Map<string, Set<string>>();
  for (const [, name = "", values = ""] of types.matchAll(
    /^ {4}(\w+Fields|expansions|eventTypes)\?: Array<([^>]+)>/gm,
  )) {
    const key = name.replace(/Fields$/, ".fields").replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
    const known = lists.get(key) ?? new Set();
    for (const [, value = ""] of values.matchAll(/"([^"]+)"/g)) known.add(value);
    lists.set(key, known);
  }
  return lists;
}

class Interfaces {
  readonly #members = new Map<string, ReadonlyMap<string, string>>();
  readonly #aliases = new Map<string, string>();

  constructor(types: string) {
    for (const [, name = "", body = ""] of types.matchAll(/^interface ([\w$]+) \{\n([\s\S]*?)^\}/gm)) {
      const members = [...body.matchAll(/^ {4}(\w+)\??: (.*);$/gm)];
      this.#members.set(name, new Map(members.map(([, key = "", type = ""]) => [snake(key), type])));
    }
    for (const [, name = "", other = ""] of types.matchAll(/^type ([\w$]+) = ([^;]+);$/gm))
      this.#aliases.set(name, other);
  }

  walk(at: string, type: string, value: Sent["body"]): Claim[] {
    if (!isObject(value)) return [];
    const names = this.#resolve(type);
    const known = names.map((name) => this.#members.get(name)).filter((one) => one !== undefined);
    if (known.length === 0) return Object.keys(value).map((key) => ({ text: `${at}: field ${key}`, isKnown: false }));
    return Object.entries(value).flatMap(([key, item]) => {
      const types = known.flatMap((members) => members.get(key) ?? []);
      const items = Array.isArray(item) ? item : [item];
      const inner = types.flatMap((one) => this.#resolve(one)).filter((one) => this.#members.has(one));
      const claim = { text: `${at}: field ${key}`, isKnown: types.length > 0 };
      const below = items.filter((one) => isObject(one));
      return [claim, ...(inner.length === 0 ? [] : below.flatMap((one) => this.walk(at, inner.join(" | "), one)))];
    });
  }

  /** The names of interfaces in a type: of `Array<A | B>` both. */
  #resolve(type: string): string[] {
    const names = type.match(/[A-Z][\w$]*/g) ?? [];
    return names.flatMap((name) => {
      const other = this.#aliases.get(name);
      return other === undefined ? [name] : this.#resolve(other);
    });
  }
}

const snake = (name: string): string => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
