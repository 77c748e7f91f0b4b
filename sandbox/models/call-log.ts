// The log of model requests and responses, for tests. The API key is never logged.

import { z } from "zod";
import type { Database } from "../database";

export const MODEL_CALL_TABLES = `
  CREATE TABLE IF NOT EXISTS model_calls (
    id INTEGER PRIMARY KEY AUTOINCREMENT, operation TEXT NOT NULL, authorization TEXT, request TEXT, status INTEGER,
    answer TEXT, fault TEXT, paid INTEGER NOT NULL DEFAULT 0, at INTEGER NOT NULL);
`;

const KEPT = 2000;
const LONGEST = 200_000;

export interface ModelCall {
  id: number;
  operation: string;
  /** Only the scheme. */
  authorization: string | null;
  /** The body as sent, if it is JSON; the fields of a form. */
  request: unknown;
  /** Null while the call is in progress. */
  status: number | null;
  /** The model's response text; null if there was none. For binary output, a description. */
  answer: string | null;
  fault: string | null;
  /** Whether the model did the work, even if the response was lost. */
  paid: boolean;
  at: string;
}

export class ModelCallLog {
  readonly #db: Database;

  constructor(db: Database) {
    this.#db = db;
  }

  begin(operation: string, authorization: string | null, body: string, at: number): number {
    const { id } = this.#db.insert<{ id: number }>("model_calls", {
      operation,
      authorization: authorization === null ? null : `${authorization.split(" ")[0]} ***`,
      request: isJson(body) && body.length <= LONGEST ? body : null,
      at,
    });
    this.#db.run("DELETE FROM model_calls WHERE id <= ?", id - KEPT);
    return id;
  }

  end(id: number, { status, answer, fault, paid }: Pick<ModelCall, "status" | "answer" | "fault" | "paid">): void {
    this.#db.update("model_calls", id, { status, answer, fault, paid: paid ? 1 : 0 });
  }

  /** Oldest first. */
  list(): ModelCall[] {
    type Stored = Omit<ModelCall, "request" | "at" | "paid"> & { request: string | null; at: number; paid: number };
    return this.#db.all<Stored>("SELECT * FROM model_calls ORDER BY id").map((row) => ({
      ...row,
      paid: row.paid === 1,
      request: row.request === null ? null : z.unknown().parse(JSON.parse(row.request)),
      at: new Date(row.at).toISOString(),
    }));
  }
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
