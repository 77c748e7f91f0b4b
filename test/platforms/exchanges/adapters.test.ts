import { describe, expect, test } from "vitest";
import { parseJson } from "../../../src/platforms/json.ts";
import { platforms } from "../../../src/platforms/registry.ts";
import type { Answered, CallRequest, Lost, Send } from "../../../src/platforms/request.ts";
import { callAdapter } from "./arguments.ts";
import {
  Answer,
  type Exchange,
  type FileRange,
  fill,
  isObject,
  type Request,
  recordedExchanges,
  requestWith,
  type Values,
} from "./exchange.ts";

/**
 * Plays each recorded exchange against its adapter: it must send these requests, and understand the answers.
 */

for (const { platform, values, exchanges } of recordedExchanges()) {
  describe(platform, () => {
    test.for(exchanges.map((exchange) => [exchange.name, exchange] as const))("%s", async ([, exchange]) => {
      await play(platform, exchange, values);
    });
  });
}

async function play(platform: string, exchange: Exchange, values: Values): Promise<void> {
  const adapter = new Map<string, object>(Object.entries(platforms)).get(platform);
  if (!adapter) throw new Error(`No adapter is named ${platform}.`);
  const calls = Object.values(exchange.calls);
  let sent = 0;
  const send: Send = async (request) => {
    const call = calls[sent++];
    if (!call) throw new Error(`A call that was not recorded: ${request.method} ${request.url}`);
    const expected = requestWith(call.request, values);
    expect(comparable(request, expected)).toEqual(wild(comparableRecord(expected)));
    return answered(Answer.parse(fill(call.answer, values)));
  };
  const outcome = await callAdapter(adapter, exchange, send, values);
  expect(sent).toBe(calls.length);
  const expected = fill(exchange.outcome, values);
  expect(stated(outcome, expected)).toEqual(wild(expected));
}

/** The parts of a request that are recorded. */
function comparable(request: CallRequest, { headers: recorded, multipart }: Request) {
  const { method, url, query = {}, form, json, part, bytes } = request;
  const headers = new Headers(request.headers);
  const fields = Object.keys(multipart ?? {}).map((name) => {
    const field = request.multipart?.get(name);
    return [name, typeof field === "object" ? field.part.length : field];
  });
  return {
    method,
    url,
    query: Object.fromEntries(
      Object.entries(query).flatMap(([key, value]) => (value === undefined ? [] : [[key, String(value)]])),
    ),
    headers: Object.fromEntries(Object.keys(recorded).map((name) => [name, headers.get(name)])),
    form,
    json: json ?? jsonOf(request),
    file: part?.length ?? (isJson(request) ? undefined : bytes?.byteLength),
    multipart: request.multipart && Object.fromEntries(fields),
  };
}

const isJson = ({ headers }: CallRequest) =>
  new Headers(headers).get("content-type")?.startsWith("application/json") ?? false;

/** JSON that an adapter sends as bytes, to name its character set. */
function jsonOf(request: CallRequest): unknown {
  const text = isJson(request) ? new TextDecoder().decode(request.bytes) : "";
  return text === "" ? undefined : parseJson(text);
}

function comparableRecord({ query, file, multipart, ...rest }: Request) {
  const length = (part: string | FileRange) => (typeof part === "string" ? part : part.end - part.start);
  const texts = Object.entries(query).map(([key, value]) => [key, String(value)]);
  const fields = multipart && Object.entries(multipart).map(([name, part]) => [name, length(part)]);
  return {
    ...rest,
    query: Object.fromEntries(texts),
    file: file && length(file),
    multipart: fields && Object.fromEntries(fields),
  };
}

function answered(answer: Answer): Answered | Lost {
  if (answer === "lost") return { kind: "lost", message: "example.com could not be reached." };
  const { status, headers, body } = answer;
  const text = typeof body === "string" ? body : body === undefined ? "" : JSON.stringify(body);
  return { kind: "answered", status, headers: new Headers(headers), text, body: parseJson(text) };
}

/** What need not be stated: sentences, and the platform's answer that goes with a failure. */
const OPTIONAL = ["message", "answer"];

function stated(outcome: unknown, expected: unknown): unknown {
  if (!isObject(outcome) || !isObject(expected)) return outcome;
  return Object.fromEntries(Object.entries(outcome).filter(([key]) => key in expected || !OPTIONAL.includes(key)));
}

/** In an expected text, `…` matches anything. */
function wild(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(wild);
  if (isObject(value)) return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, wild(item)]));
  if (typeof value !== "string" || !value.includes("…")) return value;
  const pattern = value.split("…").map((text) => text.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&"));
  return expect.stringMatching(new RegExp(`^${pattern.join("[^]*")}$`));
}
