import { type GraphObject, graphObject } from "./meta-sdk.ts";
import { type Claim, type Describe, isObject, jsonIn, metricClaims, type Sent, withoutIds } from "./sent.ts";

/**
 * The Graph API by the field and edge lists of Meta's SDK. It does not say which kind of node has an id, so
 * an edge is known if one of the nodes that the host serves has it, and fields if one of them has them all.
 * It does not say which parameters an edge takes when something is created: fields of what it creates are
 * known.
 */
const FACEBOOK = [
  "page",
  "page-post",
  "post",
  "photo",
  "ad-video",
  "comment",
  "user",
  "unified-thread",
  "stories",
  "application",
];
const INSTAGRAM = ["ig-user", "ig-media", "ig-comment", "shadow-ig-media-builder"];
const INSTAGRAM_LOGIN = ["ig-user-for-ig-only-api", "ig-media-for-ig-only-api", ...INSTAGRAM, "unified-thread"];
const ADS = ["ad-account", "campaign", "ad-set", "ad", "ad-creative"];

const NODES: Readonly<Record<string, readonly string[]>> = {
  "graph.facebook.com": [...FACEBOOK, ...INSTAGRAM, ...ADS],
  "graph.instagram.com": INSTAGRAM_LOGIN,
};

/** Parameters of every call: tokens, the choice of fields, pages of a list. */
const EVERYWHERE = [
  "access_token",
  "appsecret_proof",
  "fields",
  "limit",
  "after",
  "before",
  "since",
  "until",
  "summary",
];
/** Parameters of insights whose values the SDK lists, by the names of the lists. */
const LISTED: Readonly<Record<string, string>> = {
  period: "period",
  metric_type: "metrictype",
  date_preset: "datepreset",
  breakdown: "breakdown",
};
const INSIGHTS = ["insights-result", "instagram-insights-result"];
/** Objects within a parameter. */
const WITHIN: Readonly<Record<string, string>> = {
  targeting: "targeting",
  geo_locations: "targeting-geo-location",
  promoted_object: "ad-promoted-object",
};

export const describeMeta: Describe = (sent) => {
  const nodes = NODES[sent.host];
  if (!nodes) return null;
  const batch = isObject(sent.body) && typeof sent.body.batch === "string" ? jsonIn(sent.body.batch) : undefined;
  if (Array.isArray(batch)) return batch.flatMap((one) => claimsOf(inBatch(sent, one), nodes));
  return claimsOf(sent, nodes);
};

function inBatch(sent: Sent, one: Sent["body"]): Sent {
  const { method = "GET", relative_url: url = "", body = "" } = isObject(one) ? one : {};
  const address = new URL(String(url), "https://graph.example/");
  return {
    ...sent,
    method: String(method),
    path: address.pathname,
    query: [...address.searchParams],
    body: Object.fromEntries(new URLSearchParams(String(body))),
  };
}

function claimsOf(sent: Sent, nodes: readonly string[]): Claim[] {
  const { host, method, path, query, body } = sent;
  const parts = path.replace(/^\/(v\d+\.\d+\/?)?/, "").split("/");
  const [node = "", edge, ...rest] = parts;
  const objects = nodes.map(graphObject);
  const own = node.startsWith("act_") ? [graphObject("ad-account")] : objects;
  const label = host.split(".")[1] ?? host;
  const at = `${label} ${method} ${withoutIds(parts.join("/"))}`;
  const fit = own.filter((one) => (edge === undefined ? one.methods.has(method) : one.edges.has(`${method} ${edge}`)));
  const isNode = /\d/.test(node) || node === "me";
  const metrics = () => metricClaims(at, sent, (one) => isListed("metric", one));
  if (fit.length === 0 || rest.length > 0 || !isNode) return [{ text: at, isKnown: false }, ...metrics()];
  const answered = edge === undefined ? fit : fit.flatMap((one) => targetOf(one, `${method} ${edge}`));
  const asked = [...query, ...(isObject(body) ? Object.entries(body) : [])];
  const claims = asked.flatMap(([name, value]): Claim[] => {
    const text = typeof value === "string" ? value : JSON.stringify(value);
    // Of a subscription the fields are those of webhooks.
    if (name === "fields" && method === "GET") return fieldClaims(at, answered, text);
    if (name === "metric") return metrics();
    const list = LISTED[name];
    if (list !== undefined) return [{ text: `${at}: ${name} ${text}`, isKnown: isListed(list, text) }];
    const isKnown = EVERYWHERE.includes(name) || answered.some(({ fields }) => fields.has(name));
    return [{ text: `${at}: parameter ${name}`, isKnown }, ...within(at, name, jsonIn(text))];
  });
  return [{ text: at, isKnown: true }, ...claims];
}

const isListed = (list: string, value: string): boolean =>
  INSIGHTS.some((file) => graphObject(file).values.get(list)?.has(value));

const targetOf = (object: GraphObject, edge: string): GraphObject[] => {
  const file = object.edges.get(edge);
  return file === undefined || file === null ? [] : [graphObject(file)];
};

/** Names in the JSON of a parameter, such as `targeting`. */
function within(at: string, name: string, value: Sent["body"] | undefined): Claim[] {
  const file = WITHIN[name];
  if (file === undefined || !isObject(value)) return [];
  const { fields } = graphObject(file);
  return Object.entries(value).flatMap(([key, item]) => [
    { text: `${at}: ${name}.${key}`, isKnown: fields.has(key) },
    ...within(at, key, item),
  ]);
}

interface Field {
  readonly name: string;
  readonly inner: string | null;
}

/** `id,from{id,name},replies.limit(3){id}` as names, each with what it asks of the object. */
function fieldsIn(text: string): Field[] {
  const fields: Field[] = [];
  let depth = 0;
  let start = 0;
  for (let at = 0; at <= text.length; at += 1) {
    const sign = text[at] ?? ",";
    if (sign === "{" || sign === "(") depth += 1;
    if (sign === "}" || sign === ")") depth -= 1;
    if (sign !== "," || depth > 0) continue;
    const part = text.slice(start, at);
    const [, name = "", inner] = /^(\w+)(?:\.\w+\([^)]*\))*(?:\{(.*)\})?$/.exec(part) ?? [];
    fields.push({ name: name === "" ? part : name, inner: inner ?? null });
    start = at + 1;
  }
  return fields;
}

function fieldClaims(at: string, objects: readonly GraphObject[], text: string): Claim[] {
  const fields = fieldsIn(text);
  const has = (object: GraphObject, name: string) => object.fields.has(name) || object.edges.has(`GET ${name}`);
  const missing = (object: GraphObject) => fields.filter(({ name }) => !has(object, name)).length;
  // The kind of object that fits best.
  const best = objects.toSorted((a, b) => missing(a) - missing(b))[0];
  return fields.flatMap(({ name, inner }): Claim[] => {
    const claim = { text: `${at}: field ${name}`, isKnown: best !== undefined && has(best, name) };
    const target = best && targetOf(best, `GET ${name}`);
    // The SDK does not say of which kind the object in a field is.
    return [claim, ...(inner === null || !target?.length ? [] : fieldClaims(`${at}: ${name}`, target, inner))];
  });
}
