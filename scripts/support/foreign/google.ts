import { readFileSync } from "node:fs";
import { join } from "node:path";
import { ROOT } from "../paths.ts";
import { type Claim, type Describe, isObject, type Sent } from "./sent.ts";

/**
 * Google's discovery documents, as `@googleapis/youtube` and `@googleapis/youtubeanalytics` carry them:
 * paths, methods, parameters and bodies, and `part` by the properties of the resource. They name no
 * metrics.
 */
interface Operation {
  readonly method: string;
  readonly path: string;
  readonly parameters: ReadonlySet<string>;
  readonly body: string | null;
  /** The schema whose properties are the parts. */
  readonly resource: string | null;
}

class Discovery {
  readonly #schemas = new Map<string, ReadonlyMap<string, string>>();
  readonly operations: readonly Operation[];
  readonly #standard: ReadonlySet<string>;

  constructor(name: string, version: string) {
    const folder = join(ROOT, "node_modules", "@googleapis", name, "build");
    const types = readFileSync(join(folder, `${version}.d.ts`), "utf8");
    const code = readFileSync(join(folder, `${version}.js`), "utf8");
    const interfaces = new Map<string, ReadonlyMap<string, string>>();
    for (const [, title = "", body = ""] of types.matchAll(/interface (\S+)[^{\n]*\{\n([\s\S]*?)^ {4}\}/gm)) {
      const members = [...body.matchAll(/^ {8}'?([\w.$-]+)'?\??: (.*);$/gm)];
      interfaces.set(title, new Map(members.map(([, key = "", type = ""]) => [key, type])));
    }
    for (const [title, members] of interfaces)
      if (title.startsWith("Schema$")) this.#schemas.set(title.slice("Schema$".length), members);
    this.#standard = new Set(interfaces.get("StandardParameters")?.keys());
    this.operations = [...code.matchAll(/class Resource\$(\w+) \{([\s\S]*?)^ {4}\}$/gm)].flatMap(
      ([, of = "", body = ""]) =>
        body
          .split(/^ {8}(?=\w+\(paramsOrCallback)/m)
          .slice(1)
          .map((text) => {
            const name = /^\w+/.exec(text)?.[0] ?? "";
            const title = `${of}$${name.charAt(0).toUpperCase()}${name.slice(1).toLowerCase()}`;
            const members = interfaces.get(`Params$Resource$${title}`) ?? new Map<string, string>();
            const answer = new RegExp(`Params\\$Resource\\$${title.replace("$", "\\$")}\\b[^\\n]*Schema\\$(\\w+)`).exec(
              types,
            )?.[1];
            return {
              method: /method: '(\w+)'/.exec(text)?.[1] ?? "",
              path: /rootUrl \+ '([^']+)'/.exec(text)?.[1] ?? "",
              parameters: new Set(members.keys()),
              body: schemaIn(members.get("requestBody")),
              resource: answer === undefined ? null : (schemaIn(this.#schemas.get(answer)?.get("items")) ?? answer),
            };
          }),
    );
  }

  claims(label: string, { method, path, query, body }: Sent): Claim[] {
    // Files go to the same path under /upload; the session that a POST opens there is sent by PUT.
    const isUpload = path.startsWith("/upload/");
    const plain = isUpload ? path.slice("/upload".length) : path;
    const described = isUpload && method === "PUT" ? "POST" : method;
    const operation = this.operations.find((one) => one.path === plain && one.method === described);
    const at = `${label} ${method} ${path.replace(/^\/(upload\/)?(youtube\/)?v\d\//, "$1")}`;
    if (!operation) return [{ text: at, isKnown: false }];
    const parameters = query.flatMap(([name, value]): Claim[] => {
      const isKnown = operation.parameters.has(name) || this.#standard.has(name);
      const named = { text: `${at}: parameter ${name}`, isKnown };
      if (name === "part") return [named, ...value.split(",").map((part) => this.#part(at, operation, part))];
      const isList = label === "youtubeanalytics" && ["metrics", "dimensions", "sort", "filters"].includes(name);
      if (!isList) return [named];
      const names = value.split(/[,;]/).map((one) => one.replace(/^-|==.*$/g, ""));
      // Values of a filter, such as ids.
      const own = name === "filters" ? names.slice(0, 1) : names;
      return [named, ...own.map((one) => ({ text: `${at}: ${name} ${one}`, isKnown: false }))];
    });
    return [
      { text: at, isKnown: true },
      ...parameters,
      ...(operation.body ? this.#walk(at, operation.body, body) : []),
    ];
  }

  #part(at: string, { resource }: Operation, part: string): Claim {
    return { text: `${at}: part ${part}`, isKnown: this.#schemas.get(resource ?? "")?.has(part) ?? false };
  }

  #walk(at: string, schema: string, value: Sent["body"]): Claim[] {
    if (!isObject(value)) return [];
    const members = this.#schemas.get(schema);
    return Object.entries(value).flatMap(([key, item]) => {
      const inner = schemaIn(members?.get(key));
      const items = Array.isArray(item) ? item : [item];
      const claim = { text: `${at}: field ${schema}.${key}`, isKnown: members?.has(key) ?? false };
      return [claim, ...(inner === null ? [] : items.flatMap((one) => this.#walk(at, inner, one)))];
    });
  }
}

const schemaIn = (type: string | undefined): string | null => /Schema\$(\w+)/.exec(type ?? "")?.[1] ?? null;

export function describeGoogle(): Describe {
  const data = new Discovery("youtube", "v3");
  const analytics = new Discovery("youtubeanalytics", "v2");
  return (sent) => {
    if (sent.host === "youtubeanalytics.googleapis.com") return analytics.claims("youtubeanalytics", sent);
    const isData = sent.host === "www.googleapis.com" || sent.host === "youtube.googleapis.com";
    return isData ? data.claims("youtube", sent) : null;
  };
}
