import { connect } from "node:net";
import { test } from "vitest";
import { bootWorld } from "../../scripts/support/world.ts";
import { testScope } from "./test-scope.ts";

/** Over a socket, as a client sends that reads the answer when it has sent all. */
const BYTES = 24 * 1024 * 1024;

function answerTo(origin: string, path: string, type: string): Promise<string> {
  const { hostname, port } = new URL(origin);
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname);
    let answer = "";
    socket.setEncoding("utf8").on("data", (piece: string) => {
      answer += piece;
      if (answer.includes("\r\n\r\n")) resolve(answer.split("\r\n")[0] ?? "");
    });
    socket.on("error", reject).on("close", () => reject(new Error(`Closed after: ${answer}`)));
    const head = [
      `POST ${path} HTTP/1.1`,
      `Host: ${hostname}:${port}`,
      `Origin: ${origin}`,
      `Content-Type: ${type}`,
      `Content-Length: ${BYTES}`,
    ];
    socket.write(`${head.join("\r\n")}\r\n\r\n`);
    socket.write(Buffer.alloc(BYTES, 65));
  });
}

test("a refused body of 24 MiB gets its answer", { timeout: 120_000 }, async ({ expect }) => {
  const { service } = await bootWorld(testScope());
  const ask = (path: string, type: string) => answerTo(service.origin, path, type);
  expect(await ask("/api/v1/social/upload-media", "image/png")).toContain(" 401 ");
  expect(await ask("/api/v1/social/create-post", "application/json")).toContain(" 401 ");
  expect(await ask("/console/projects/1/library", "multipart/form-data; boundary=x")).toContain(" 413 ");
});
