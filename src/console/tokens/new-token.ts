import { z } from "zod";
import { PERMISSIONS, type Permission } from "../../core/permissions.ts";
import { DAY, localDate, nextMidnight, parseLocalTime } from "../../core/time.ts";
import { FormProblem, type Visit } from "../definition.ts";
import { field, fields, line } from "../fields.ts";
import { PERMISSION_SETS, TASKS } from "./permission-sets.ts";

const MAX_DAYS = 3650;

/** What a token may do, and for how long. Which fields count depends on the two choices. */
export const TokenScope = z.object({
  task: field(z.enum(TASKS)),
  permission: fields(z.array(z.enum(PERMISSIONS))),
  expiry: field(z.enum(["never", "days", "date"])),
  days: field(z.string().max(10)),
  date: field(z.string().max(10)),
});
export type TokenScope = z.output<typeof TokenScope>;

/** The form of a new token. */
export const NewToken = TokenScope.extend({ name: line(100), money: field(z.enum(["", "person"])) });

/** Null if none is chosen. */
function permissionsOf({ task, permission }: TokenScope): readonly Permission[] | null {
  const chosen = task === "custom" ? [...new Set(permission)] : PERMISSION_SETS[task];
  return chosen.length === 0 ? null : chosen;
}

type Expiry =
  | { readonly kind: "at"; readonly at: number | null }
  | { readonly kind: "bad_days" }
  | { readonly kind: "bad_date" };

/** A date means the whole day in the zone. */
function expiryOf({ expiry, days, date }: TokenScope, zone: string, now: number): Expiry {
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

/** The form's permissions and expiry; a problem of a field is shown there. */
export function readScope(scope: TokenScope, { texts, now }: Visit, zone: string) {
  const permissions = permissionsOf(scope);
  if (!permissions) throw new FormProblem({ permission: [texts.tokens.chooseOne] });
  const expiry = expiryOf(scope, zone, now);
  if (expiry.kind === "bad_days") throw new FormProblem({ days: [texts.tokens.badDays] });
  if (expiry.kind === "bad_date") throw new FormProblem({ date: [texts.tokens.badDate] });
  return { permissions, expiresAt: expiry.at };
}
