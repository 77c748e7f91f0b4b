import { readFileSync } from "node:fs";
import { join } from "node:path";
import { ROOT } from "../paths.ts";
import { type Claim, type Describe, isObject, metricClaims, type Sent, withoutIds } from "./sent.ts";

/**
 * Threads has no SDK. `threads-graph-api` is a client that others wrote after Meta's pages, in 2024: paths,
 * parameters, fields and metrics are known if it names them.
 */
export function describeThreads(): Describe {
  const folder = join(ROOT, "node_modules", "threads-graph-api", "src");
  const client = readFileSync(join(folder, "api-client.ts"), "utf8");
  const names = new Set(`${client}\n${readFileSync(join(folder, "types.ts"), "utf8")}`.match(/\b[a-z]+(_[a-z]+)*\b/g));
  const paths = new Set(
    [...client.matchAll(/[`'"]\/(?:v[\d.]+\/)?((?:me|\$\{[^}]+\}|[a-z_]+)(?:\/[a-z_]+)*)[`'"]/g)].map(([, path = ""]) =>
      path.replaceAll(/\$\{[^}]+\}/g, "{id}"),
    ),
  );
  return (sent) => {
    const { host, method, path, query, body } = sent;
    if (host !== "graph.threads.net") return null;
    const plain = withoutIds(path.replace(/^\/(v\d+\.\d+\/)?/, ""));
    const at = `threads ${method} ${plain}`;
    const isKnown =
      paths.has(plain) || paths.has(plain.replace(/^me\b/, "{id}")) || paths.has(plain.replace("{id}", "me"));
    const asked: [string, Sent["body"]][] = [...query, ...(isObject(body) ? Object.entries(body) : [])];
    const claims = asked.flatMap(([name, value]): Claim[] => {
      if (name === "access_token") return [];
      if (name === "metric") return metricClaims(at, sent, (one) => names.has(one));
      const named = { text: `${at}: parameter ${name}`, isKnown: names.has(name) };
      if (name !== "fields" || typeof value !== "string") return [named];
      const list = value.split(",");
      return [named, ...list.map((one) => ({ text: `${at}: ${name} ${one}`, isKnown: names.has(one) }))];
    });
    return [{ text: at, isKnown }, ...claims];
  };
}
