import { bindings } from "./queue.ts";

/** What single statements read, as D1 counts it, while the service works. */

const inners = new WeakMap<object, D1PreparedStatement>();

export interface RowsRead {
  readonly text: string;
  readonly rows: number;
}

/** Runs the work, and returns what its statements have read, the most first. */
export async function rowsReadBy(work: () => Promise<unknown>): Promise<readonly RowsRead[]> {
  const read: RowsRead[] = [];
  const texts = new WeakMap<object, string>();
  const note = (text: string, { meta }: D1Result) => read.push({ text, rows: meta.rows_read });
  const counted = (inner: D1PreparedStatement, text: string): D1PreparedStatement => {
    const statement = new Proxy(inner, {
      get(target, property) {
        const member: unknown = Reflect.get(target, property);
        if (typeof member !== "function") return member;
        if (property === "bind") return (...values: unknown[]) => counted(target.bind(...values), text);
        if (property !== "all" && property !== "run") return member.bind(target);
        return async () => {
          const result = property === "all" ? await target.all() : await target.run();
          note(text, result);
          return result;
        };
      },
    });
    inners.set(statement, inner);
    texts.set(statement, text);
    return statement;
  };
  const { DB } = bindings;
  const counting = new Proxy(DB, {
    get(target, property) {
      const member: unknown = Reflect.get(target, property);
      if (typeof member !== "function") return member;
      if (property === "prepare") return (text: string) => counted(target.prepare(text), text);
      if (property !== "batch") return member.bind(target);
      return async (statements: D1PreparedStatement[]) => {
        const results = await target.batch(statements.map((statement) => inners.get(statement) ?? statement));
        for (const [index, result] of results.entries()) note(texts.get(statements[index] ?? {}) ?? "", result);
        return results;
      };
    },
  });
  Object.assign(bindings, { DB: counting });
  try {
    await work();
  } finally {
    Object.assign(bindings, { DB });
  }
  return read.toSorted((a, b) => b.rows - a.rows);
}
