import http from "node:http";

/**
 * A proxy in front of a server, which spoils calls on purpose. A fault waits for calls whose path contains a
 * text, and affects the next ones:
 *
 *   lost_after   the server carries the call out, and the answer is cut off
 *   lost_before  the call never arrives
 *   garbage      a page of a gateway instead of an answer; the call never arrives
 *   error_after  the server carries the call out, and the answer is a 502
 *   expired      the token is refused as expired; the call never arrives
 *   slow         the answer comes three seconds late
 */
export function startProxy(port, target) {
  const faults = [];
  const take = (path) => {
    const fault = faults.find(({ path: part, times }) => times > 0 && path.includes(part));
    if (fault) fault.times -= 1;
    return fault?.kind ?? null;
  };
  const server = http.createServer(async (request, response) => {
    const body = await bytesOf(request);
    const kind = take(request.url);
    if (kind === "lost_before") return request.socket.destroy();
    if (kind === "garbage") {
      response.writeHead(502, { "content-type": "text/html" });
      return response.end("<html><body><h1>502 Bad Gateway</h1></body></html>");
    }
    if (kind === "expired") {
      response.writeHead(401, { "content-type": "application/json", "www-authenticate": 'DPoP error="invalid_token"' });
      return response.end(JSON.stringify({ error: "invalid_token", message: '"exp" claim timestamp check failed' }));
    }
    if (kind === "slow") await new Promise((resolve) => setTimeout(resolve, 3_000));
    const { method, url: path, headers } = request;
    const forwarded = http.request({ host: "127.0.0.1", port: target, method, path, headers }, async (answer) => {
      const bytes = await bytesOf(answer);
      if (kind === "lost_after") return request.socket.destroy();
      if (kind === "error_after") {
        response.writeHead(502, { "content-type": "text/html" });
        return response.end("<html><body><h1>502 Bad Gateway</h1></body></html>");
      }
      const { "transfer-encoding": _chunked, ...kept } = answer.headers;
      response.writeHead(answer.statusCode ?? 502, kept);
      response.end(bytes);
    });
    forwarded.on("error", () => request.socket.destroy());
    forwarded.end(body);
  });
  server.listen(port, "127.0.0.1");
  return { faults, close: () => server.close() };
}

export async function bytesOf(stream) {
  const parts = [];
  for await (const part of stream) parts.push(part);
  return Buffer.concat(parts);
}
