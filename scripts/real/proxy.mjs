import { once } from "node:events";
import http from "node:http";
import { buffer } from "node:stream/consumers";
import { serve } from "./serve.mjs";

/**
 * A proxy in front of a server, which spoils calls on purpose. A fault waits for calls whose path contains a
 * text and, if it has a mark, which belong to the post whose text contains the mark. It affects the next
 * ones:
 *
 *   lost_after   the server carries the call out, and the answer is cut off
 *   lost_before  the call never arrives
 *   garbage      a page of a gateway instead of an answer; the call never arrives
 *   nonsense     the same page with status 200
 *   error_after  the server carries the call out, and the answer is a 502
 *   expired      the token is refused as expired; the call never arrives
 *   old_nonce    the answer has a nonce of long ago, which the server refuses with the next call
 *   slow         the answer comes three seconds late
 */
export function startProxy(port, target) {
  const faults = [];
  const counts = { nonceRefusals: 0 };
  /** The mark of each record key. */
  const marks = new Map();
  const isOf = ({ mark }, path, text) => !mark || text.includes(mark) || path.includes(marks.get(mark) ?? mark);
  const take = (path, body) => {
    const text = path.includes("uploadBlob") ? "" : body.toString();
    for (const { mark } of faults) if (mark && text.includes(mark)) marks.set(mark, keyIn(text) ?? mark);
    const fault = faults.find((one) => one.times > 0 && path.includes(one.path) && isOf(one, path, text));
    if (fault) fault.times -= 1;
    return fault?.kind ?? null;
  };
  serve(port, async (request, response) => {
    const body = await buffer(request);
    const kind = take(request.url, body);
    if (kind === "lost_before") return request.socket.destroy();
    if (kind === "garbage" || kind === "nonsense") {
      response.writeHead(kind === "garbage" ? 502 : 200, { "content-type": "text/html" });
      return response.end("<html><body><h1>502 Bad Gateway</h1></body></html>");
    }
    if (kind === "expired") {
      response.writeHead(401, { "content-type": "application/json", "www-authenticate": 'DPoP error="invalid_token"' });
      return response.end(JSON.stringify({ error: "invalid_token", message: '"exp" claim timestamp check failed' }));
    }
    if (kind === "slow") await new Promise((resolve) => setTimeout(resolve, 3_000));
    const { method, url: path, headers } = request;
    const forwarded = http.request({ host: "127.0.0.1", port: target, method, path, headers });
    // The waits below throw it; one that comes after them changes nothing.
    forwarded.on("error", () => {});
    forwarded.end(body);
    const [answer] = await once(forwarded, "response");
    const bytes = await buffer(answer);
    if (/^40[01]$/.test(String(answer.statusCode)) && bytes.includes("use_dpop_nonce")) counts.nonceRefusals += 1;
    if (kind === "lost_after") return request.socket.destroy();
    if (kind === "error_after") {
      response.writeHead(502, { "content-type": "text/html" });
      return response.end("<html><body><h1>502 Bad Gateway</h1></body></html>");
    }
    const { "transfer-encoding": _chunked, ...kept } = answer.headers;
    if (kind === "old_nonce") kept["dpop-nonce"] = "bm90IGEgbm9uY2Ugb2YgdGhpcyBzZXJ2ZXI";
    response.writeHead(answer.statusCode ?? 502, kept);
    response.end(bytes);
  });
  return { faults, counts };
}

const keyIn = (text) => /"rkey":"(\w+)"/.exec(text)?.[1];
