// The log of every request that a platform receives, with secrets masked. Tests count these calls; the pages
// show them.

import type { Database } from "./database";
import type { Fault, Operation } from "./faults";

const KEPT = 5000;
const SECRET =
  /^(access_token|client_secret|secret|code|auth_code|refresh_token|appsecret_proof|code_verifier|input_token|fb_exchange_token|revoke_token|upload_token|verify_token|token)$/;
const MASK = "***";

/** A request in progress. The code that handles it fills in the fields. */
export interface Call {
  readonly id: number;
  operation: Operation | null;
  fault: Fault | null;
}

export interface CallRecord {
  id: number;
  platform: string;
  method: string;
  host: string;
  path: string;
  authorization: string | null;
  body: string | null;
  operation: string | null;
  status: number | null;
  fault: string | null;
  at: string;
  duration_ms: number | null;
}

export class CallLog {
  readonly #db: Database;

  constructor(db: Database) {
    this.#db = db;
  }

  async begin(platform: string, request: Request, at: number): Promise<Call> {
    const url = new URL(request.url);
    const authorization = request.headers.get("authorization");
    const body = await readableBody(request);
    const { id } = this.#db.insert<{ id: number }>("calls", {
      platform,
      method: request.method,
      host: url.host,
      path: url.pathname + (url.search ? `?${maskForm(url.search.slice(1))}` : ""),
      authorization: authorization === null ? null : `${authorization.split(" ")[0]} ${MASK}`,
      body,
      at,
    });
    this.#db.run("DELETE FROM calls WHERE id <= ?", id - KEPT);
    return { id, operation: null, fault: null };
  }

  end(call: Call, status: number, at: number): void {
    const { id, operation, fault } = call;
    this.#db.update("calls", id, { operation, fault: fault?.kind ?? null, status, ended_at: at });
  }

  list(): CallRecord[] {
    type Stored = Omit<CallRecord, "at" | "duration_ms"> & { at: number; ended_at: number | null };
    const rows = this.#db.all<Stored>("SELECT * FROM calls ORDER BY id");
    return rows.map(({ ended_at, ...row }) => ({
      ...row,
      at: new Date(row.at).toISOString(),
      duration_ms: ended_at === null ? null : ended_at - row.at,
    }));
  }
}

/** Records only small text bodies: file contents are not useful in the log, and copies of them are large. */
async function readableBody(request: Request): Promise<string | null> {
  const type = request.headers.get("content-type") ?? "";
  const length = Number(request.headers.get("content-length") ?? "0");
  if (!request.body || length > 65_536) return null;
  if (type.includes("application/x-www-form-urlencoded")) return maskForm(await bodyText(request)).slice(0, 8192);
  if (type.includes("application/json")) return maskJson(await bodyText(request)).slice(0, 8192);
  return type.split(";")[0] ?? null;
}

/** Avoids `text()`: the runtime logs a warning for every form that is read with it. */
async function bodyText(request: Request): Promise<string> {
  return new TextDecoder().decode(await request.clone().arrayBuffer());
}

function maskForm(form: string): string {
  const fields = [...new URLSearchParams(form)].map(([name, value]) => [name, SECRET.test(name) ? MASK : value]);
  return new URLSearchParams(fields).toString().replaceAll("%2A%2A%2A", MASK);
}

function maskJson(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), (name, value: unknown) => (SECRET.test(name) ? MASK : value));
  } catch {
    return "(not JSON)";
  }
}
