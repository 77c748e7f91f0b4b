import { happens, oneOf, type Random, seededRandom, whole } from "../support/random.ts";
import { aFile, breakBody, jsonBytes } from "./bodies.ts";
import type { Api, Operation } from "./document.ts";
import { inheritedKey, longText, oddText } from "./odd.ts";
import { fitting, type Making, type World } from "./values.ts";

/**
 * Requests made from the document, whole and broken, alike for a seed and a number. In workerd and in Node.
 */

/** Whose token a request carries; `raw` for a header without one of our tokens. */
export type Bearer = "own" | "stranger" | "expired" | "revoked" | "limited" | { readonly raw: string | null };

export type Header = readonly [name: string, value: string];

export interface Case {
  readonly number: number;
  /** The operation that it should reach; null when the address or the method is not its own. */
  readonly operation: Operation | null;
  /** What is wrong with it. */
  readonly what: string;
  readonly method: string;
  /** Path and query, as they are sent. */
  readonly target: string;
  readonly bearer: Bearer;
  readonly headers: readonly Header[];
  readonly body: Uint8Array<ArrayBuffer> | null;
}

type Draft = { -readonly [Key in keyof Case]: Case[Key] } & { isBodyBroken: boolean };

/** The case of this number: the same one each time, whatever came before it. */
export function makeCase(api: Api, world: World, seed: number, number: number): Case {
  // Neighbours must differ: what a generator of this kind gives first hangs closely on its seed.
  const random = seededRandom(Math.imul(seed, 0x9e3779b1) ^ Math.imul(number + 1, 0x85ebca6b));
  const operation = anOperation(random, api);
  const making = { api, world, random };
  const { body, value } = bodyOf(making, operation);
  const draft: Draft = {
    number,
    operation,
    what: "whole",
    method: operation.method,
    target: `${api.base}${pathOf(making, operation)}${queryOf(making, operation)}`,
    bearer: "own",
    headers: [...typeOf(operation), ...keyOf(random, operation)],
    body,
    isBodyBroken: false,
  };
  if (happens(random, 0.12)) return draft;
  const whats: string[] = [];
  const twists = happens(random, 0.25) ? 2 : 1;
  for (let twist = 0; twist < twists; twist++) whats.push(breakOne(making, draft, value));
  return { ...draft, what: whats.join(", ") };
}

/** Those with a body more often: there is more to get wrong. */
function anOperation(random: Random, { operations }: Api): Operation {
  const operation = oneOf(random, operations);
  return operation.body === null && happens(random, 0.4) ? oneOf(random, operations) : operation;
}

function breakOne(making: Making, draft: Draft, value: unknown): string {
  const { random } = making;
  const ways = draft.body === null || draft.operation?.takesFile ? 5 : 13;
  switch (whole(random, 0, ways)) {
    case 0:
      return breakHeaders(random, draft);
    case 1:
      return breakBearer(random, draft);
    case 2:
      return breakAddress(making, draft);
    case 3:
    case 4:
      return breakQuery(making, draft);
    case 5:
      return breakMethod(random, draft);
    default: {
      // Broken once already: the second break would undo the first.
      if (draft.isBodyBroken) return breakHeaders(random, draft);
      const broken = breakBody(random, value);
      draft.body = broken.bytes;
      draft.isBodyBroken = true;
      return broken.what;
    }
  }
}

function typeOf({ body, takesFile }: Operation): Header[] {
  if (takesFile) return [["content-type", "application/octet-stream"]];
  return body === null ? [] : [["content-type", "application/json"]];
}

function bodyOf(
  making: Making,
  { body, takesFile }: Operation,
): { body: Uint8Array<ArrayBuffer> | null; value: unknown } {
  // Of a file every part is odd enough: what is sent is broken already, or whole.
  if (takesFile) return { body: aFile(making.random), value: null };
  if (body === null) return { body: null, value: null };
  const value = fitting(making, body);
  return { body: jsonBytes(value), value };
}

function pathOf(making: Making, { path, parameters }: Operation): string {
  return path.replace(/\{(\w+)\}/g, (_, name: string) => {
    const schema = parameters.find((one) => one.in === "path" && one.name === name)?.schema ?? {};
    return encodeURIComponent(String(fitting(making, schema, name)));
  });
}

function queryOf(making: Making, { parameters }: Operation): string {
  const pairs = parameters.flatMap(({ in: place, name, required, schema }) =>
    place === "query" && (required || happens(making.random, 0.3))
      ? [`${name}=${encodeURIComponent(wellFormed(String(fitting(making, schema, name))))}`]
      : [],
  );
  return pairs.length > 0 ? `?${pairs.join("&")}` : "";
}

function keyOf(random: Random, { parameters }: Operation): Header[] {
  const isIdempotent = parameters.some(({ name }) => name === "Idempotency-Key");
  return isIdempotent && happens(random, 0.2) ? [["idempotency-key", `key ${whole(random, 1, 200)}`]] : [];
}

const CONTENT_TYPES = [
  "text/plain",
  "application/x-www-form-urlencoded",
  "multipart/form-data; boundary=x",
  "application/json; charset=utf-16",
  "application/json;;;",
  "APPLICATION/JSON",
  "application/problem+json",
  "application/json, text/html",
  "*/*",
  "",
] as const;

function breakHeaders(random: Random, draft: Draft): string {
  const add = (name: string, value: string, what: string): string => {
    draft.headers = [...draft.headers, [name, value]];
    return what;
  };
  switch (whole(random, 0, 9)) {
    case 0:
    case 1: {
      const type = oneOf(random, CONTENT_TYPES);
      draft.headers = [...draft.headers.filter(([name]) => name !== "content-type"), ["content-type", type]];
      return `the content type is ${JSON.stringify(type)}`;
    }
    case 2:
      return add(
        "accept",
        oneOf(random, [
          "text/html",
          "image/*;q=0",
          "x",
          "application/xml",
          longText(random, 3_000).replace(/[^ -~]/g, "a"),
        ]),
        "an odd Accept",
      );
    case 3:
      return add(
        "content-encoding",
        oneOf(random, ["gzip", "br", "identity", "zstd, gzip", "x"]),
        "an odd Content-Encoding",
      );
    case 4:
      return add(
        "idempotency-key",
        oneOf(random, ["", " ", "é".repeat(10), "k".repeat(255), "k".repeat(256), "k".repeat(6_000), "a, b"]),
        "an odd Idempotency-Key",
      );
    case 5:
      draft.headers = [
        ...draft.headers,
        ["idempotency-key", "one"],
        ["idempotency-key", "two"],
        ["authorization", "Bearer two"],
      ];
      return "headers that come twice";
    case 6:
      return add(
        oneOf(random, ["x-long", "cookie", "referer", "origin"]),
        "v".repeat(oneOf(random, [1_000, 7_000])),
        "an oversized header",
      );
    case 7:
      draft.headers = [...draft.headers, ...Array.from({ length: 90 }, (_, index): Header => [`x-many-${index}`, "1"])];
      return "ninety headers";
    case 8:
      return add(
        oneOf(random, [
          "x-http-method-override",
          "x-forwarded-host",
          "x-original-url",
          "forwarded",
          "range",
          "if-none-match",
          "upgrade-insecure-requests",
        ]),
        oneOf(random, ["DELETE", "evil.example", "/healthz", "bytes=0-", "*", "1"]),
        "a header that proxies obey",
      );
    default:
      return add(inheritedKey(random).replaceAll("_", "-"), "1", "a header with an inherited name");
  }
}

function breakBearer(random: Random, draft: Draft): string {
  draft.bearer = oneOf<Bearer>(random, [
    "stranger",
    "expired",
    "revoked",
    "limited",
    { raw: null },
    { raw: "Bearer" },
    { raw: "Bearer " },
    { raw: "Basic eDp5" },
    { raw: `Bearer blf_${"a".repeat(42)}` },
    { raw: `Bearer ${"x".repeat(6_000)}` },
    { raw: "Bearer __proto__" },
    { raw: "bearer é" },
  ]);
  return `the token is ${typeof draft.bearer === "string" ? draft.bearer : JSON.stringify(draft.bearer.raw)?.slice(0, 40)}`;
}

const IDS = [
  "0",
  "-1",
  "1.5",
  "1e3",
  "01",
  "%31",
  "1%00",
  "%00",
  "%ff",
  "%",
  "%zz",
  "9007199254740993",
  "99999999999999999999",
  "..",
  "%2e%2e%2f",
  "a%2Fb",
  "%F0%9F%9A%B2",
  "constructor",
  "__proto__",
  "1;DROP",
  "x".repeat(5_000),
] as const;

const ADDRESSES = [
  "/",
  "//",
  "/api",
  "/api/v1",
  "/api/v1/",
  "/api/v1/social",
  "/api/v1/social//get-posts",
  "/api/v2/social/get-posts",
  "/API/V1/SOCIAL/GET-POSTS",
  "/api/v1/social/__proto__",
  "/api/v1/social/get-posts/",
  "/api/v1/social/get-posts%00",
  "/api/v1/social/%67et-posts?channels=facebook",
  "/api/v1/openapi.json",
  "/api/v1/constructor",
  "/docs",
  "/docs/%00",
  "/healthz?x=%ff",
  "/internal/tokens",
  "/connect/x",
  "/connect/%00",
  "/connect/callback/facebook?state=%ff&code=",
  "/connect/callback/constructor?state=x&code=y",
  "/connect/__proto__/facebook",
  "/favicon.ico",
  "/.env",
  `/${"a/".repeat(2_000)}`,
  `/api/v1/social/post/${"9".repeat(3_000)}`,
] as const;

function breakAddress({ random, api }: Making, draft: Draft): string {
  const { operation } = draft;
  if (operation?.path.includes("{") && happens(random, 0.7)) {
    const id = oneOf(random, IDS);
    draft.target = `${api.base}${operation.path.replace(/\{\w+\}/, id)}`;
    // What a client resolves, or no router can read, is another address.
    if (/\.\.|^%$|%zz|%ff/.test(id)) draft.operation = null;
    return `the id in the path is ${id.slice(0, 40)}`;
  }
  draft.operation = null;
  draft.target = oneOf(random, ADDRESSES);
  return "an odd address";
}

function breakQuery({ random }: Making, draft: Draft): string {
  const names = (draft.operation?.parameters ?? []).flatMap((one) => (one.in === "query" ? [one.name] : []));
  const [first = "limit", ...others] = names;
  const name = oneOf(random, [first, ...others]);
  const [path = "", query = ""] = draft.target.split(/\?(.*)/s);
  const [pair, what] = oddPair(random, name);
  const kept = happens(random, 0.5) ? query.split("&").filter((one) => !one.startsWith(`${name}=`)) : query.split("&");
  const pairs = [...kept.filter((one) => one !== ""), pair].filter((one) => one !== "");
  draft.target = pairs.length > 0 ? `${path}?${pairs.join("&")}` : path;
  return what;
}

function oddPair(random: Random, name: string): readonly [pair: string, what: string] {
  const text = oddText(random);
  switch (whole(random, 0, 9)) {
    case 0:
      return ["", `${name} is missing`];
    case 1:
      return [`${name}=${encodeURIComponent(wellFormed(text))}`, `${name} is an odd text`];
    case 2:
      return [`${name}=1&${name}=2&${name}=facebook`, `${name} comes several times`];
    case 3:
      return [
        `${name}=${oneOf(random, ["%", "%zz", "%00", "%ff%fe", "%u0041", "%c0%af", "%ed%a0%80"])}`,
        `${name} is badly encoded`,
      ];
    case 4:
      return [`${inheritedKey(random)}=1`, "an inherited name in the query"];
    case 5:
      return [`${name}[]=1&${name}[x]=2&${name}.y=3`, `${name} as a list`];
    case 6:
      return [
        `${name}=${oneOf(random, ["0", "-1", "1.5", "1e9", "9".repeat(30), "0x10", "+5", "%20"])}`,
        `${name} is an odd number`,
      ];
    case 7:
      return [`${name}=${"a,".repeat(oneOf(random, [100, 2_000, 4_000]))}`, `${name} is long`];
    case 8:
      return [Array.from({ length: 300 }, (_, index) => `p${index}=${index}`).join("&"), "three hundred parameters"];
    default:
      return [oneOf(random, ["&&&", "=", "=x", "?", name, `${name}=`, "%", "a=b=c", "+=+"]), "an odd query"];
  }
}

const METHODS = ["PATCH", "HEAD", "OPTIONS", "PUT", "DELETE", "POST", "GET", "PROPFIND", "PURGE"] as const;

function breakMethod(random: Random, draft: Draft): string {
  const method = oneOf(random, METHODS);
  if (method === draft.method) return "whole";
  draft.method = method;
  draft.operation = null;
  return `the method is ${method}`;
}

/** Without halves of characters, which no address can carry. */
function wellFormed(text: string): string {
  return text.replace(/[\ud800-\udfff]/g, "?");
}
