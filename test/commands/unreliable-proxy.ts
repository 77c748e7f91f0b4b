import { once } from "node:events";
import { type IncomingMessage, request, type ServerResponse } from "node:http";
import { buffer } from "node:stream/consumers";
import type { Scope } from "../../scripts/support/command.ts";
import { listenLocally } from "../../scripts/support/http.ts";
import { oneOf, type Random } from "../support/random.ts";

/** What happens to a request on its way; `pass` most often. */
const FATES = [
  ...(["pass", "pass", "pass", "delay", "repeat", "repeat"] as const),
  ...(["drop request", "drop answer", "cut answer", "lose answer", "bad gateway"] as const),
] as const;
export type Fate = (typeof FATES)[number];

export interface Proxy {
  readonly origin: string;
  readonly counts: Map<Fate, number>;
}

const DELAY_MS = 300;

/** A proxy that drops, delays, cuts and repeats what passes through it, as the seed decides. */
export async function startProxy(scope: Scope, target: string, random: Random): Promise<Proxy> {
  const counts = new Map<Fate, number>();
  const port = await listenLocally(scope, (incoming, outgoing) => {
    const fate = oneOf(random, FATES);
    counts.set(fate, (counts.get(fate) ?? 0) + 1);
    pass(fate, { incoming, outgoing, target }).catch(() => outgoing.destroy());
  });
  return { origin: `http://localhost:${port}`, counts };
}

interface Passing {
  readonly incoming: IncomingMessage;
  readonly outgoing: ServerResponse;
  readonly target: string;
}

async function pass(fate: Fate, { incoming, outgoing, target }: Passing): Promise<void> {
  const body = await buffer(incoming);
  if (fate === "drop request") return void outgoing.destroy();
  const { method = "GET", url = "/", headers } = incoming;
  const send = async () => {
    const out = request(`${target}${url}`, { method, headers: { ...headers, host: new URL(target).host } });
    out.end(body);
    const [answer]: IncomingMessage[] = await once(out, "response");
    if (!answer) throw new Error("There was no response.");
    return { answer, bytes: await buffer(answer) };
  };
  // The network repeats a request at any time: the first answer is late, and the second one is passed on.
  const { answer, bytes } = fate === "repeat" ? (await Promise.all([send(), send()]))[1] : await send();
  if (fate === "drop answer") return void outgoing.destroy();
  // The client waits until its own time limit.
  if (fate === "lose answer") return;
  if (fate === "delay") await new Promise((resolve) => setTimeout(resolve, DELAY_MS));
  if (fate === "bad gateway") return void outgoing.writeHead(502).end("<html>Bad Gateway</html>");
  const { "transfer-encoding": _, ...kept } = answer.headers;
  outgoing.writeHead(answer.statusCode ?? 500, { ...kept, "content-length": bytes.length });
  if (fate !== "cut answer") return void outgoing.end(bytes);
  outgoing.write(bytes.subarray(0, bytes.length / 2), () => outgoing.destroy());
}
