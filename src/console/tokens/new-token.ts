import { z } from "zod";
import { PERMISSIONS, type Permission } from "../../core/permissions.ts";
import { DAY, localDate, nextMidnight, parseLocalTime } from "../../core/time.ts";
import { field, fields, line } from "../fields.ts";
import { PERMISSION_SETS, TASKS } from "./permission-sets.ts";

const MAX_DAYS = 3650;

/** The form of a new token. Which fields count depends on the two choices. */
export const NewToken = z.object({
  name: line(100),
  task: field(z.enum(TASKS)),
  permission: fields(z.array(z.enum(PERMISSIONS))),
  expiry: field(z.enum(["never", "days", "date"])),
  days: field(z.string().max(10)),
  date: field(z.string().max(10)),
});
export type NewToken = z.output<typeof NewToken>;

/** Null if none is chosen. */
export function permissionsOf({ task, permission }: NewToken): readonly Permission[] | null {
  const chosen = task === "custom" ? [...new Set(permission)] : PERMISSION_SETS[task];
  return chosen.length === 0 ? null : chosen;
}

export type Expiry =
  | { readonly kind: "at"; readonly at: number | null }
  | { readonly kind: "bad_days" }
  | { readonly kind: "bad_date" };

/** A date means the whole day in the zone. */
export function expiryOf({ expiry, days, date }: NewToken, zone: string, now: number): Expiry {
  if (expiry === "never") return { kind: "at", at: null };
  if (expiry === "days") {
    const count = /^\d{1,4}$/.test(days) ? Number(days) : 0;
    return count >= 1 && count <= MAX_DAYS ? { kind: "at", at: now + count * DAY } : { kind: "bad_days" };
  }
  const start = parseLocalTime(`${date} 00:00`, zone);
  if (start.kind !== "instant" || date < localDate(now, zone) || start.at > now + MAX_DAYS * DAY) {
    return { kind: "bad_date" };
  }
  return { kind: "at", at: nextMidnight(start.at, zone) };
}
