import { customType, integer, text } from "drizzle-orm/sqlite-core";
import type { z } from "zod";

/** An instant, epoch milliseconds. */
export const instant = (name: string) => integer(name, { mode: "number" });

/** Plain JSON; the feature's schema parses it if its shape may have changed since it was written. */
export const json = (name: string) => text(name, { mode: "json" });

/** JSON that every read parses by its schema: for shapes that have grown since the oldest rows. */
export const parsedJson = <T>(name: string, schema: z.ZodType<T>) =>
  customType<{ data: T; driverData: string }>({
    dataType: () => "text",
    toDriver: (value) => JSON.stringify(value),
    fromDriver: (stored) => schema.parse(JSON.parse(stored)),
  })(name);
