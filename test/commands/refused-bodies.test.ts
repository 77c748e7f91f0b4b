import { connect } from "node:net";
import { test } from "vitest";
import { bootWorld, createProject } from "../../scripts/support/world.ts";
import { testScope } from "./test-scope.ts";

/** Over a socket, as a client sends that reads the answer when it has sent all. */
const BYTES = 24 * 1024 * 1024;

interface Sending {
  readonly type: string;
  readonly token?: string;
  /** The letter of which the whole body is. */
  readonly letter?: string;
  readonly bytes?: number;
}

function answerTo(
  origin: string,
  path: string,
  { type, token, letter = "A", bytes = BYTES }: Sending,
): Promise<string> {
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
      `Content-Length: ${bytes}`,
      ...(token === undefined ? [] : [`Authorization: Bearer ${token}`]),
    ];
    socket.write(`${head.join("\r\n")}\r\n\r\n`);
    socket.write(Buffer.alloc(bytes, letter));
  });
}

test("a refused body of 24 MiB gets its answer", { timeout: 120_000 }, async ({ expect }) => {
  const world = await bootWorld(testScope());
  const { origin } = world.service;
  const ask = (path: string, type: string) => answerTo(origin, path, { type });
  expect(await ask("/api/v1/social/upload-media", "image/png")).toContain(" 401 ");
  expect(await ask("/api/v1/social/create-post", "application/json")).toContain(" 401 ");
  expect(await ask("/console/projects/1/library", "multipart/form-data; boundary=x")).toContain(" 413 ");
  // Read by the operation itself, which stops at what it refuses.
  const { token } = await createProject(world, "Large bodies");
  const send = (path: string, sending: Sending) => answerTo(origin, path, { token, ...sending });
  const csv = { type: "text/csv", letter: '"', bytes: 19_000_000 };
  expect(await send("/api/v1/social/import-posts", csv)).toContain(" 422 ");
  expect(await send("/api/v1/social/import-posts", { ...csv, letter: "," })).toContain(" 422 ");
  expect(await send("/api/v1/social/upload-media", { type: "image/png" })).toContain(" 422 ");
});
