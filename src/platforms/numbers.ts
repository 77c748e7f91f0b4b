import { type SQL, sql } from "drizzle-orm";
import { PLATFORM_NAMES, type PlatformName } from "./names.ts";

/** What stands for a platform in compact rows. A number is never changed, nor used again. */
export const PLATFORM_NUMBERS: Readonly<Record<PlatformName, number>> = {
  facebook: 1,
  instagram: 2,
  youtube: 3,
  linkedin: 4,
  tiktok: 5,
  threads: 6,
  twitter: 7,
  bluesky: 8,
};

/** The number of the platform that an expression of a statement names. */
export const numberOf = (name: SQL): SQL =>
  sql`CASE ${name} ${sql.raw(PLATFORM_NAMES.map((one) => `WHEN '${one}' THEN ${PLATFORM_NUMBERS[one]}`).join(" "))} END`;
