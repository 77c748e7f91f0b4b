import type { SQL } from "drizzle-orm";
import { sql } from "drizzle-orm";
import type { Statement } from "../db/client.ts";
import type { Journal } from "../jobs/journal.ts";
import type { Deps } from "../service/deps.ts";
import { type GenerationEvent, generationEvents, type Part } from "./events.ts";
import { isThere } from "./store.ts";
import type { Generation } from "./table.ts";

/** Shared by the steps of one delivery of a generation. */
export interface GenerationRun {
  readonly deps: Deps;
  readonly journal: Journal;
  readonly generation: Generation;
  readonly project: { readonly isTest: boolean };
}

/** Thrown if the generation was deleted: nothing more is requested or kept. */
export class Deleted extends Error {}

/** A condition of every write: this delivery has the job, and the generation exists. */
export function stillOwned({ journal, generation }: Pick<GenerationRun, "journal" | "generation">): SQL {
  return sql`${journal.hasLease} AND ${isThere(generation.id)}`;
}

function writeEvent({ deps, journal, generation }: GenerationRun, event: GenerationEvent): Statement {
  const { projectId, id: subjectId } = generation;
  return generationEvents.insert(deps.db, { ...event, projectId, subjectId, at: Date.now() }, journal.hasLease);
}

const THERE: Readonly<Record<Part, string>> = {
  words: "The text is ready.",
  image: "The image is ready.",
  banner: "The banners are ready.",
  voice: "The voice is ready.",
  video: "The video is ready.",
};

/** The event of a finished part, for the transaction that stores the part. */
export function progressEvent(making: GenerationRun, part: Part): Statement {
  return writeEvent(making, { type: "generation.progressed", message: THERE[part], detail: { part } });
}
