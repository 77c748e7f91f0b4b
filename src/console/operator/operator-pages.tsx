import type { Entry } from "../definition.ts";
import { doctorPage } from "./doctor-page.tsx";
import { JOBS } from "./jobs-pages.tsx";
import { ALL_PROJECTS } from "./projects-pages.tsx";
import { rulesPage } from "./rules-page.tsx";

/** The pages of the people of the setting `OPERATORS`; for others they do not exist. */
export const OPERATOR: readonly Entry[] = [doctorPage, ...JOBS, rulesPage, ...ALL_PROJECTS];
