import type { SQL } from "drizzle-orm";
import { sql } from "drizzle-orm";
import type { Statement } from "../db/client.ts";
import type { Journal } from "../jobs/journal.ts";
import type { Deps } from "../service/deps.ts";
import { type GenerationEvent, generationEvents, type Part } from "./events.ts";
import { isThere } from "./store.ts";
import type { Generation } from "./table.ts";

/** What the steps of one delivery of a generation share. */
export interface Making {
  readonly deps: Deps;
  readonly journal: Journal;
  readonly generation: Generation;
  readonly project: { readonly isTest: boolean };
}

/** Thrown where somebody has deleted the generation: nothing more is asked or kept. */
export class Deleted extends Error {}

/** Holds for what this delivery writes: it has the job, and the generation is there. */
export function isOurs({ journal, generation }: Pick<Making, "journal" | "generation">): SQL {
  return sql`${journal.hasLease} AND ${isThere(generation.id)}`;
}

export function tell({ deps, journal, generation }: Making, event: GenerationEvent): Statement {
  const { projectId, id: subjectId } = generation;
  return generationEvents.insert(deps.db, { ...event, projectId, subjectId, at: Date.now() }, journal.hasLease);
}

const THERE: Readonly<Record<Part, string>> = {
  words: "The words are written.",
  image: "The image is there.",
  banner: "The banners are drawn.",
  voice: "The voice is recorded.",
  film: "The film is there.",
};

/** Tells that a part is there: for the transaction that stores it. */
export function progressed(making: Making, part: Part): Statement {
  return tell(making, { type: "generation.progressed", message: THERE[part], detail: { part } });
}
