import { oneOf, type Random, seededRandom, whole } from "../support/random.ts";

/** Requests that no client would send: bytes for a socket. */
export interface Wire {
  readonly number: number;
  readonly what: string;
  /** Latin-1. `{{token}}` and `{{host}}` stand for what only the sender knows. */
  readonly text: string;
}

const BODY = '{"userId":"u"}';
const LINE = "POST /api/v1/social/connect-channel HTTP/1.1";
const COMMON =
  "Host: {{host}}\r\nAuthorization: Bearer {{token}}\r\nContent-Type: application/json\r\nConnection: close";

const chunked = (size: string) =>
  `${LINE}\r\n${COMMON}\r\nTransfer-Encoding: chunked\r\n\r\n${size}\r\n${BODY}\r\n0\r\n\r\n`;
const withHeaders = (headers: string, body = BODY) => `${LINE}\r\n${COMMON}\r\n${headers}\r\n\r\n${body}`;
const get = (target: string) =>
  `GET ${target} HTTP/1.1\r\nHost: {{host}}\r\nAuthorization: Bearer {{token}}\r\nConnection: close\r\n\r\n`;

const LENGTH = `Content-Length: ${BODY.length}`;

function requestsOf(random: Random): readonly [Entry, ...Entry[]] {
  return [
    ["a chunked body", chunked(BODY.length.toString(16))],
    ["a chunk of an odd size", chunked(oneOf(random, ["-1", "zz", "ffffffffffffffffff", "e;x=y", ""]))],
    ["a length and chunks", withHeaders(`${LENGTH}\r\nTransfer-Encoding: chunked`, `e\r\n${BODY}\r\n0\r\n\r\n`)],
    [
      "an odd transfer encoding",
      withHeaders(
        `Transfer-Encoding: ${oneOf(random, ["gzip", "identity", "chunked, chunked", "xchunked", "\x0bchunked"])}`,
      ),
    ],
    ["two lengths", withHeaders(`${LENGTH}\r\nContent-Length: ${whole(random, 0, 20)}`)],
    [
      "an odd length",
      withHeaders(`Content-Length: ${oneOf(random, ["-1", "1e2", "99999999999999999999", "+14", "14, 14", "x"])}`),
    ],
    ["a length shorter than the body", withHeaders("Content-Length: 3")],
    [
      "raw bytes in the address",
      get(`/api/v1/social/get-posts?channels=${oneOf(random, ["\xff\xfe", "é", "a b", "\x00", "\x7f"])}`),
    ],
    ["a whole address as the target", get("http://{{host}}/api/v1/social/get-posts?channels=facebook")],
    ["an odd target", get(oneOf(random, ["*", "api", "//", "/%", "/\\..\\", "#", "/api/v1/social/get-posts#x"]))],
    [
      "an odd version",
      get("/healthz").replace("HTTP/1.1", oneOf(random, ["HTTP/1.0", "HTTP/0.9", "HTTP/3", "http/1.1", ""])),
    ],
    [
      "an odd method",
      get("/healthz").replace("GET", oneOf(random, ["get", "FOO", "G\xffT", "TRACE", "CONNECT", "M-SEARCH"])),
    ],
    [
      "an odd header",
      withHeaders(
        `${LENGTH}\r\n${oneOf(random, ["X-A: \x00", "X A: 1", ": 1", "X-A", "X-A: \xff\xfe", "X-A: 1\r\n folded"])}`,
      ),
    ],
    ["lines that end in a line feed alone", get("/healthz").replaceAll("\r\n", "\n")],
    ["no host", get("/healthz").replace("Host: {{host}}\r\n", "")],
    [
      "an odd host",
      get("/api/v1/social/upcoming-posts").replace(
        "{{host}}",
        oneOf(random, ["", "a..b", "é", "x:99999", "evil.example"]),
      ),
    ],
    ["two hosts", get("/healthz").replace("Host: {{host}}", "Host: {{host}}\r\nHost: evil.example")],
    [
      "long headers",
      get("/healthz").replace(
        "Connection",
        `X-Long: ${"x".repeat(oneOf(random, [9_000, 20_000, 70_000]))}\r\nConnection`,
      ),
    ],
    ["a long address", get(`/api/v1/social/get-posts?channels=${"a".repeat(oneOf(random, [9_000, 20_000, 70_000]))}`)],
    [
      "an upgrade",
      get("/healthz").replace(
        "Connection: close",
        "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Key: eA==\r\nSec-WebSocket-Version: 13",
      ),
    ],
  ];
}

type Entry = readonly [what: string, text: string];

/** The wire request of this number: the same one each time. */
export function makeWire(seed: number, number: number): Wire {
  const random = seededRandom(Math.imul(seed, 0x9e3779b1) ^ Math.imul(number + 1, 0xc2b2ae35));
  const [what, text] = oneOf(random, requestsOf(random));
  return { number, what, text };
}
