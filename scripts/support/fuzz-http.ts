import { Agent, request } from "node:http";
import { connect } from "node:net";
import type { Case } from "../../test/fuzz/cases.ts";
import type { Answer } from "../../test/fuzz/verdict.ts";
import type { Wire } from "../../test/fuzz/wire.ts";

/** Sends fuzzed requests unchanged: `fetch` would correct or reject them. */

export const agent = new Agent({ keepAlive: true, maxSockets: 64 });
const TIME_LIMIT_MS = 30_000;

/** Returns the response; throws if none arrives within 30 seconds. */
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
  /** Null if the connection is closed without a response. */
  readonly status: number | null;
  /** Whether the response comes from the service, not from the HTTP server in front of it. */
  readonly isOurs: boolean;
}

/** The response to raw bytes on a socket. */
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
      // The response is complete once its headers are received; the body is not needed.
      if (answer.includes("\r\n\r\n")) end();
    });
    // A reset in the middle of the request also counts as an answer.
    socket.on("error", end);
    socket.on("close", end);
  });
}
