import { integer, text } from "drizzle-orm/sqlite-core";

/** An instant, epoch milliseconds. */
export const instant = (name: string) => integer(name, { mode: "number" });

/** Plain JSON, parsed by its feature's schema where its shape may have changed since it was written. */
export const json = (name: string) => text(name, { mode: "json" });
