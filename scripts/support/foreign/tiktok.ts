import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { ROOT } from "../paths.ts";
import { type Claim, type Describe, isObject, jsonIn, type Sent } from "./sent.ts";

/** TikTok's API for Business, by its own SDK (`tiktok-business-api-sdk-official`): ads, comments, logins. */
interface Operation {
  readonly parameters: ReadonlySet<string>;
  readonly body: string | null;
}
/** The model of each property, null for what has no properties. */
type Model = ReadonlyMap<string, string | null>;

export function describeTikTok(): Describe {
  const folder = join(ROOT, "node_modules", "tiktok-business-api-sdk-official", "src");
  const operations = operationsIn(join(folder, "api"));
  const models = new Map<string, Model>();
  const modelOf = (name: string): Model => {
    const model = models.get(name) ?? readModel(join(folder, "model", `${name}.js`));
    models.set(name, model);
    return model;
  };
  const walk = (at: string, name: string, value: Sent["body"]): Claim[] => {
    if (!isObject(value)) return [];
    const model = modelOf(name);
    return Object.entries(value).flatMap(([key, item]) => {
      const inner = model.get(key) ?? null;
      const items = Array.isArray(item) ? item : [item];
      const claim = { text: `${at}: field ${key}`, isKnown: model.has(key) };
      return [claim, ...(inner === null ? [] : items.flatMap((one) => walk(at, inner, one)))];
    });
  };
  return ({ method, host, path, query, body }) => {
    if (host !== "business-api.tiktok.com") return null;
    const at = `tiktok ${method} ${path.replace("/open_api/v1.3/", "")}`;
    const operation = operations.get(`${method} ${path}`);
    if (!operation) return [{ text: at, isKnown: false }];
    const parameters = query.flatMap(([name, value]): Claim[] => {
      const named = { text: `${at}: parameter ${name}`, isKnown: operation.parameters.has(name) };
      // The SDK has no list of the names that a report takes.
      const fields = name === "fields" || name === "metrics" ? jsonIn(value) : undefined;
      if (!Array.isArray(fields)) return [named];
      return [named, ...fields.map((one) => ({ text: `${at}: ${name} ${String(one)}`, isKnown: false }))];
    });
    return [{ text: at, isKnown: true }, ...parameters, ...(operation.body ? walk(at, operation.body, body) : [])];
  };
}

function operationsIn(folder: string): Map<string, Operation> {
  const operations = new Map<string, Operation>();
  for (const file of readdirSync(folder)) {
    const parts = readFileSync(join(folder, file), "utf8").split("* Callback function to receive");
    for (const part of parts) {
      const [, path, method] = /callApi\(\s*'([^']+)', '(\w+)'/.exec(part) ?? [];
      if (path === undefined || method === undefined) continue;
      const query = /let queryParams = \{([\s\S]*?)\};/.exec(part)?.[1] ?? "";
      operations.set(`${method} ${path}`, {
        parameters: new Set([...query.matchAll(/'(\w+)':/g)].map(([, name = ""]) => name)),
        body: /@param \{module:model\/(\w+)\} (?:opts\.)?body/.exec(part)?.[1] ?? null,
      });
    }
  }
  return operations;
}

function readModel(path: string): Model {
  const text = readFileSync(path, "utf8");
  const members = [...text.matchAll(/hasOwnProperty\('(\w+)'\)\)\s*obj\.\w+ = ([^;]+);/g)];
  return new Map(
    members.map(([, name = "", read = ""]) => {
      const model = /\[(\w+)\]/.exec(read)?.[1] ?? /^(\w+)\.constructFromObject/.exec(read)?.[1];
      return [name, model === undefined || /^(String|Number|Object|Boolean|Date|data)$/.test(model) ? null : model];
    }),
  );
}
