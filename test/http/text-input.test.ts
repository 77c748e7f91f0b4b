import { beforeAll, describe, test } from "vitest";
import { z } from "zod";
import { isBlank } from "../../src/core/text.ts";
import { formTo, newConsoleBrowser } from "../console/console-browser.ts";
import { connectAgent } from "../mcp/agent.ts";
import { API, call, door, issueToken, ORIGIN, type Project, projectWith } from "../support/world.ts";

/**
 * Every text from outside is UTF-8, at every door but that of files of posts; what is not is refused and
 * never published broken.
 */
const Document = z.object({
  paths: z.record(
    z.string(),
    z.record(
      z.string(),
      z.looseObject({
        operationId: z.string(),
        parameters: z.array(z.object({ name: z.string(), in: z.string() })).optional(),
        requestBody: z.object({ content: z.record(z.string(), z.unknown()) }).optional(),
      }),
    ),
  ),
});
const document = Document.parse((await call("GET", "/openapi.json")).body);
const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, { operationId, parameters = [], requestBody }]) => ({
    id: operationId,
    method: method.toUpperCase(),
    path,
    queries: parameters.flatMap((one) => (one.in === "query" ? [one.name] : [])),
    types: Object.keys(requestBody?.content ?? {}),
  })),
);
const withBody = operations.filter(({ types }) => types.includes("application/json"));
const withFile = operations.filter(({ types }) => types.includes("application/octet-stream"));
const withQuery = operations.filter(({ queries }) => queries.length > 0);
const withPath = operations.filter(({ path }) => path.includes("{"));

const Refusal = z.object({
  status: z.literal(false),
  message: z.string(),
  code: z.string(),
  errors: z.record(z.string(), z.array(z.string())),
});

/** Of the rate limit of a token, 100 requests a second: all cases together exceed it. */
const REQUESTS_OF_TOKEN = 80;
let token: string;
let requests = 0;
let project: Project;
let channel: { readonly channel_type: string; readonly channel_id: number };
beforeAll(async () => {
  ({ project, channel } = await projectWith("facebook"));
});

async function send(method: string, path: string, body: BodyInit | null, headers: Record<string, string> = {}) {
  if (requests++ % REQUESTS_OF_TOKEN === 0) token = (await issueToken(`texts ${crypto.randomUUID()}`)).token;
  const sent = { Authorization: `Bearer ${token}`, ...headers };
  const response = await door(
    new Request(`${API}${path.replaceAll(/\{\w+\}/g, "1")}`, { method, headers: sent, body }),
  );
  return { status: response.status, body: await response.json() };
}

/** Text whose letters are bytes. */
const bytesOf = (text: string) => Uint8Array.from(text, (letter) => letter.charCodeAt(0));
const JSON_TYPE = { "Content-Type": "application/json" };

interface BodyCase {
  readonly name: string;
  readonly body: string;
  readonly field: string;
  readonly words: string;
  readonly headers?: Record<string, string>;
}
const BODIES: readonly BodyCase[] = [
  { name: "bytes of Windows-1252", body: '{"a":"Caf\xe9"}', field: "body", words: "byte E9 at position 9" },
  { name: "half an emoji in bytes", body: '{"a":"\xed\xa0\xbd"}', field: "body", words: "byte ED at position 6" },
  { name: "half an emoji", body: '{"a":{"b":["x","\\ud83d"]}}', field: "a.b.1", words: "half a character" },
  { name: "the other half", body: '{"a":"x\\uDE00"}', field: "a", words: "half a character" },
  {
    name: "half an emoji in a name",
    body: '{"a":{"b\\ud83d":1}}',
    field: "a.b\ufffd",
    words: "(its name) must not have",
  },
  { name: "U+0000", body: '{"a":[{"b":"x\\u0000y"}]}', field: "a.0.b", words: "U+0000" },
  { name: "U+0000 in a name", body: '{"a\\u0000":1}', field: "a\ufffd", words: "U+0000" },
  {
    name: "another charset",
    body: '{"a":1}',
    field: "Content-Type",
    words: "encode the body as UTF-8",
    headers: { "Content-Type": "application/json; charset=windows-1252" },
  },
  {
    name: "another charset, in quotes",
    body: "{}",
    field: "Content-Type",
    words: '"iso-8859-1"',
    headers: { "Content-Type": 'application/json;charset="iso-8859-1"' },
  },
  {
    name: "a compressed body",
    body: "{}",
    field: "Content-Encoding",
    words: "send the body uncompressed",
    headers: { "Content-Encoding": "gzip" },
  },
];

describe.each(BODIES)("$name", ({ body, field, words, headers = {} }) => {
  test.for(withBody.map(({ id, ...one }) => [id, one] as const))("is refused by %s", async ([, one], { expect }) => {
    const answer = await send(one.method, one.path, bytesOf(body), { ...JSON_TYPE, ...headers });
    expect(answer.status).toBe(422);
    expect(Refusal.parse(answer.body).errors[field]?.[0]).toContain(words);
  });
});

test.for(["utf-8", "UTF-8", '"utf-8"', "utf8"])("the charset %s is UTF-8", async (charset, { expect }) => {
  const headers = { "Content-Type": `application/json; charset=${charset}` };
  const answer = await send("POST", "/social/connect-channel", '{"userId":"Zoë 😀"}', headers);
  expect(answer.status).toBe(200);
});

describe("a query", () => {
  const each = withQuery.flatMap(({ id, queries: [name = ""], ...one }) => [[id, { ...one, name }] as const]);
  test.for(each)("of %s is UTF-8", async ([, { method, path, name }], { expect }) => {
    for (const [value, words] of [
      ["caf%E9", "%C3%A9"],
      ["%ED%A0%BD", "UTF-8"],
      ["a%00", "U+0000"],
    ] as const) {
      const answer = await send(method, `${path}?${name}=${value}`, null);
      expect([value, answer.status]).toEqual([value, 422]);
      expect(Refusal.parse(answer.body).errors[name]?.[0]).toContain(words);
    }
  });

  test("may have a percent sign", async ({ expect }) => {
    expect((await send("GET", "/social/get-media?search=100%", null)).status).toBe(200);
    expect((await send("GET", "/social/get-media?search=caf%C3%A9", null)).status).toBe(200);
  });
});

test.for(withPath.map((one) => [one.id, one] as const))(
  "a path of %s that is not UTF-8 names nothing",
  async ([, one], { expect }) => {
    for (const name of ["caf%E9", "%ED%A0%BD", "1%00"]) {
      const path = one.path.replaceAll(/\{\w+\}/g, name);
      const body = one.method === "GET" || one.method === "DELETE" ? null : "{}";
      const answer = await send(one.method, path, body, JSON_TYPE);
      expect([404, 422]).toContain(answer.status);
    }
  },
);

test.for(withFile.map((one) => [one.id, one] as const))(
  "a compressed file is refused by %s",
  async ([, one], { expect }) => {
    const answer = await send(one.method, one.path, "x", {
      "Content-Type": "application/octet-stream",
      "Content-Encoding": "br",
      "Content-Length": "1",
    });
    expect(answer.status).toBe(422);
    expect(Refusal.parse(answer.body).errors["Content-Encoding"]?.[0]).toContain("uncompressed");
  },
);

describe("a file of posts", () => {
  const ROWS = `channel_id,caption_text\n1,plain\n`;
  const importing = (body: Uint8Array, type = "text/csv") =>
    send("POST", "/social/import-posts", body, { "Content-Type": type, "Content-Length": String(body.length) });

  const encodingOf = (body: unknown) =>
    z.object({ import: z.object({ encoding: z.string(), refused: z.number() }) }).parse(body).import;

  test("in Windows-1252 is read, and the answer says so", async ({ expect }) => {
    const answer = await importing(bytesOf(`${ROWS}1,Caf\xe9\n`));
    expect([answer.status, encodingOf(answer.body).encoding]).toEqual([200, "windows-1252"]);
  });

  test("in a declared charset is read", async ({ expect }) => {
    const answer = await importing(bytesOf(`${ROWS}1,\xcf\xf0\xe8\xe2\xe5\xf2\n`), "text/csv; charset=windows-1251");
    expect([answer.status, encodingOf(answer.body).encoding]).toEqual([200, "windows-1251"]);
  });

  test("with a charset that nobody knows is refused", async ({ expect }) => {
    const answer = await importing(bytesOf(ROWS), "text/csv; charset=ebcdic");
    expect(answer.status).toBe(422);
    expect(Refusal.parse(answer.body).errors["Content-Type"]?.[0]).toContain("windows-1252");
  });

  test("with bytes that are not those of its encoding is refused with its row", async ({ expect }) => {
    for (const [text, type] of [
      [`${ROWS}1,Caf\xc3\xa9\n1,br\xc3l\n`, "text/csv"],
      [`${ROWS}1,x\n1,Caf\xe9\n`, "text/csv; charset=utf-8"],
      [`${ROWS}1,Caf\xe9\n1,\x81\n`, "text/csv"],
    ] as const) {
      const answer = await importing(bytesOf(text), type);
      expect(answer.status).toBe(422);
      expect(Refusal.parse(answer.body).errors.file?.[0]).toMatch(/row 4.*CSV UTF-8/);
    }
  });

  test("of which letters were lost before has no valid row", async ({ expect }) => {
    const answer = await importing(new TextEncoder().encode(`${ROWS}1,Caf\ufffd\n`));
    const { problems } = z
      .object({ import: z.object({ problems: z.array(z.object({ row: z.number(), message: z.string() })) }) })
      .parse(answer.body).import;
    expect(problems).toContainEqual({ row: 3, message: expect.stringContaining("a letter was lost") });
  });

  test("that is a workbook is refused", async ({ expect }) => {
    for (const mark of ["PK\x03\x04rest of a workbook", "\xd0\xcf\x11\xe0rest of a workbook"]) {
      const answer = await importing(bytesOf(mark));
      expect(Refusal.parse(answer.body).errors.file?.[0]).toContain("workbook");
    }
  });

  test("says which row has U+0000", async ({ expect }) => {
    const answer = await project.call("POST", "/social/import-posts", {
      raw: `channel_id,caption_text\n${channel.channel_id},plain\n${channel.channel_id},x\0y\n`,
      headers: { "Content-Type": "text/csv", "Content-Length": "60" },
    });
    const { problems } = z
      .object({ import: z.object({ problems: z.array(z.object({ row: z.number(), message: z.string() })) }) })
      .parse(answer.body).import;
    expect(problems).toEqual([{ row: 3, message: expect.stringContaining("U+0000") }]);
  });
});

test("a tool of an agent refuses half an emoji, and creates nothing", async ({ expect }) => {
  const agent = await connectAgent(project.token);
  const text = { platform: "facebook", channel_id: channel.channel_id, text: "x\ud83d" };
  const { isError, sentence, data } = await agent.use("publish_post", text);
  expect([isError, sentence]).toEqual([true, expect.stringContaining("invalid_request")]);
  expect(JSON.stringify(data)).toContain("half a character");
});

test("an agent's request must be UTF-8", async ({ expect }) => {
  const body = bytesOf('{"jsonrpc":"2.0","id":1,"method":"ping","params":{"a":"\xe9"}}');
  const headers = { ...JSON_TYPE, Authorization: `Bearer ${token}`, Accept: "application/json, text/event-stream" };
  const response = await door(new Request(`${ORIGIN}/mcp`, { method: "POST", headers, body }));
  expect(response.status).toBe(422);
  expect(Refusal.parse(await response.json()).message).toContain("UTF-8");
});

test.for([
  ["/oauth/device", "client_name=caf%E9", "application/x-www-form-urlencoded"],
  ["/oauth/device", "client_name=caf\xe9", "application/x-www-form-urlencoded"],
  ["/oauth/register", '{"client_name":"\\ud83d","redirect_uris":[]}', "application/json"],
] as const)("%s refuses %s in the words of OAuth", async ([path, text, type], { expect }) => {
  const headers = { "Content-Type": type };
  const response = await door(new Request(`${ORIGIN}${path}`, { method: "POST", headers, body: bytesOf(text) }));
  expect(response.status).toBe(400);
  expect(await response.json()).toEqual({ error: "invalid_request", error_description: expect.any(String) });
});

describe("a form of the console", () => {
  async function posting(type: string, body: (proof: string) => string, language = "en") {
    const browser = newConsoleBrowser({ "Accept-Language": language });
    const page = await browser.go(`${ORIGIN}/console/sign-in`);
    const proof = formTo(page, "/sign-in").fields.find(({ name }) => name === "form")?.value ?? "";
    const init = { method: "POST", headers: { "Content-Type": type }, body: bytesOf(body(proof)) };
    return browser.go(`${ORIGIN}/console/sign-in`, init, () => false);
  }
  const PAIRS = "application/x-www-form-urlencoded";
  const PARTS = "multipart/form-data; boundary=cut";
  const part = (name: string, value: string) =>
    `--cut\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`;

  test.for([
    ["percent-encoded", PAIRS, (proof: string) => `form=${proof}&email=Caf%E9`],
    ["raw", PAIRS, (proof: string) => `form=${proof}&email=Caf\xe9`],
    ["in parts", PARTS, (proof: string) => `${part("form", proof)}${part("email", "Caf\xe9")}--cut--\r\n`],
  ] as const)("is refused with bytes of Windows-1252, %s", async ([, type, body], { expect }) => {
    const answer = await posting(type, body);
    expect(answer.status).toBe(422);
    expect(answer.html).toContain("not encoded as UTF-8");
  });

  test("says in German that U+0000 is refused", async ({ expect }) => {
    const answer = await posting(PAIRS, (proof) => `form=${proof}&email=a%00b`, "de");
    expect(answer.status).toBe(422);
    expect(answer.html).toContain("U+0000. Entferne es");
  });

  test("may have a replacement character that was sent", async ({ expect }) => {
    const sent = "\xef\xbf\xbd";
    const answer = await posting(PARTS, (proof) => `${part("form", proof)}${part("email", sent)}--cut--\r\n`);
    expect([answer.status, answer.html]).toEqual([422, expect.not.stringContaining("UTF-8")]);
  });
});

/** One of each kind of character that shows nothing. */
const UNSEEN = [
  ["a space", " "],
  ["a no-break space", "\u00a0"],
  ["a zero-width space", "\u200b"],
  ["a zero-width non-joiner", "\u200c"],
  ["a zero-width joiner", "\u200d"],
  ["a word joiner", "\u2060"],
  ["a byte order mark", "\ufeff"],
  ["a soft hyphen", "\u00ad"],
  ["a grapheme joiner", "\u034f"],
  ["a variation selector", "\ufe0f"],
  ["a supplementary variation selector", "\u{e0100}"],
  ["a tag", "\u{e0020}"],
  ["a filler of Hangul", "\u3164"],
  ["a half-width filler of Hangul", "\uffa0"],
  ["a choseong filler", "\u115f"],
  ["the blank of Braille", "\u2800"],
  ["a mark of direction", "\u200f"],
  ["an isolate", "\u2068"],
  ["a Mongolian selector", "\u180b"],
  ["an invisible operator", "\u2063"],
] as const;

test.for(UNSEEN)("a caption of nothing but %s is blank", async ([, unseen], { expect }) => {
  const body = {
    ...channel,
    post_type: "post",
    publish_mode: "draft",
    media_urls: [],
    caption_text: `${unseen}\n${unseen}`,
  };
  const answer = await project.call("POST", "/social/create-post", { body });
  expect(answer.status).toBe(422);
  expect(Refusal.parse(answer.body).errors.caption_text).toEqual(["caption_text must not be blank."]);
});

test.for(["a", "\u0600", "👩\u200d🚀", "\u06dd", "한", "⠁", "☺\ufe0f", "."])("%s is seen", (text, { expect }) => {
  expect(isBlank(`\u200b${text}\u200b`)).toBe(false);
});
