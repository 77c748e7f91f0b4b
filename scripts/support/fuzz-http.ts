import { Agent, request } from "node:http";
import { connect } from "node:net";
import type { Case } from "../../test/fuzz/cases.ts";
import type { Answer } from "../../test/fuzz/verdict.ts";
import type { Wire } from "../../test/fuzz/wire.ts";

/** Sends fuzzed requests as they are: `fetch` would mend or refuse them. */

export const agent = new Agent({ keepAlive: true, maxSockets: 64 });
const TIME_LIMIT_MS = 30_000;

/** The answer; throws when none comes within half a minute. */
export function sendCase(origin: URL, made: Case, authorization: string | null): Promise<Answer> {
  const { method, target, headers, body } = made;
  const all: [string, string][] = [
    ["host", origin.host],
    ...headers.map(([name, value]): [string, string] => [name, value]),
    ...(authorization === null ? [] : [["authorization", authorization] satisfies [string, string]]),
    ...(body === null ? [] : [["content-length", String(body.length)] satisfies [string, string]]),
  ];
  return new Promise((resolve, reject) => {
    const options = {
      agent,
      host: origin.hostname,
      port: origin.port,
      method,
      path: target,
      headers: all.flat(),
      timeout: TIME_LIMIT_MS,
    };
    const sent = request(options, (answer) => {
      const chunks: Buffer[] = [];
      answer.on("data", (chunk: Buffer) => chunks.push(chunk));
      answer.on("error", reject);
      answer.on("end", () => {
        const fields = Object.entries(answer.headersDistinct).flatMap(([name, values = []]) =>
          values.map((value): [string, string] => [name, value]),
        );
        const text = Buffer.concat(chunks).toString("utf8");
        resolve({ status: answer.statusCode ?? 0, headers: new Headers(fields), text });
      });
    });
    sent.on("timeout", () => sent.destroy(new Error("no answer within half a minute")));
    sent.on("error", reject);
    sent.end(body ?? undefined);
  });
}

export interface WireAnswer {
  /** Null when the connection is closed without an answer. */
  readonly status: number | null;
  /** Whether it comes from the service, not from the HTTP server in front of it, which reads the bytes. */
  readonly isOurs: boolean;
}

/** What is answered to bytes on a socket. */
export function sendWire(origin: URL, { text }: Wire, token: string): Promise<WireAnswer> {
  const bytes = text.replaceAll("{{host}}", origin.host).replaceAll("{{token}}", token);
  return new Promise((resolve, reject) => {
    let answer = "";
    const socket = connect({ host: origin.hostname, port: Number(origin.port) });
    const end = () => {
      socket.destroy();
      const status = /^HTTP\/\d\.\d (\d{3})/.exec(answer)?.[1];
      resolve({ status: status === undefined ? null : Number(status), isOurs: /^x-request-id:/im.test(answer) });
    };
    socket.setTimeout(TIME_LIMIT_MS, () => {
      socket.destroy();
      reject(new Error("no answer within half a minute"));
    });
    socket.on("connect", () => socket.write(Buffer.from(bytes, "latin1")));
    socket.on("data", (chunk: Buffer) => {
      answer += chunk.toString("latin1");
      // An answer is one when its head is there: what comes after belongs to it.
      if (answer.includes("\r\n\r\n")) end();
    });
    // Refused in the middle of the request: that is an answer too.
    socket.on("error", end);
    socket.on("close", end);
  });
}
