import { applyD1Migrations } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterAll, beforeAll } from "vitest";
import { z } from "zod";
import { bindingOf, seedIds } from "../../src/db/databases.ts";
import { emptyTables } from "./clean-start.ts";
import { bindings, sweeps } from "./queue.ts";
import { Project } from "./world.ts";

/** Further databases, for the tests of a file that asks for them: the others see one. */
const SPARE = [env.SPARE_1, env.SPARE_2];

export function useDatabases(): void {
  beforeAll(async () => {
    for (const [index, spare] of SPARE.entries()) {
      await applyD1Migrations(spare, env.MIGRATIONS);
      await spare.batch(seedIds(index + 1).map((query) => spare.prepare(query)));
      await emptyTables(spare);
      await env.KV.delete(`sweep-mark:${index + 1}`);
      Object.assign(bindings, { [bindingOf(index + 1)]: spare });
    }
    Object.assign(bindings, { SWEEPS: sweeps });
  });
  afterAll(() => {
    for (const name of ["SWEEPS", ...SPARE.map((_, index) => bindingOf(index + 1))])
      Reflect.deleteProperty(bindings, name);
  });
}

export const databases = (): readonly D1Database[] => [env.DB, ...SPARE];

const Row = z.object({ id: z.number(), database: z.number() });

/** The project's row in the directory. */
export async function rowOf(project: Project) {
  const row = await env.DB.prepare("SELECT id, database FROM projects WHERE name = ?").bind(project.name).first();
  return Row.parse(row);
}

/** A new project in this database: it gets the emptiest, so a few are made. */
export async function projectIn(database: number): Promise<Project> {
  for (let tries = 0; tries < 2 * (SPARE.length + 1); tries++) {
    const project = await Project.create();
    if ((await rowOf(project)).database === database) return project;
  }
  throw new Error(`No new project is in database ${database}.`);
}

/** The number of rows of a table in each database. */
export async function counts(table: string, where = "true"): Promise<readonly number[]> {
  const query = `SELECT count(*) AS count FROM ${table} WHERE ${where}`;
  return Promise.all(databases().map(async (one) => (await one.prepare(query).first<number>("count")) ?? 0));
}
