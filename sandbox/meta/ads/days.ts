// Days in an ad account's time zone.

const PARTS = {
  year: "numeric",
  month: "2-digit",
  day: "2-digit",
  hour: "2-digit",
  minute: "2-digit",
  second: "2-digit",
} as const;
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** Cached, because creating a formatter is slower than using it. */
const formats = new Map<string, Intl.DateTimeFormat>();

function partsOf(at: number, zone: string): Record<string, string> {
  const known = formats.get(zone);
  const format = known ?? new Intl.DateTimeFormat("en-US", { ...PARTS, hourCycle: "h23", timeZone: zone });
  if (!known) formats.set(zone, format);
  return Object.fromEntries(format.formatToParts(at).map(({ type, value }) => [type, value]));
}

/** e.g. `2026-09-22`. */
export function dayOf(at: number, zone: string): string {
  const { year, month, day } = partsOf(at, zone);
  return `${year}-${month}-${day}`;
}

/** Milliseconds until the end of the local day; inexact by up to an hour on a day of a clock change. */
export function msLeftOfDay(at: number, zone: string): number {
  const { hour, minute, second } = partsOf(at, zone);
  const gone = (Number(hour) * 3600 + Number(minute) * 60 + Number(second)) * 1000 + (at % 1000);
  return Math.max(1, DAY_MS - gone);
}

/** A day moved by this number of days, which may be negative. */
export function shifted(day: string, days: number): string {
  return new Date(Date.parse(`${day}T00:00:00Z`) + days * DAY_MS).toISOString().slice(0, 10);
}

/** The Sunday that starts the day's week. */
export const weekOf = (day: string) => shifted(day, -new Date(`${day}T00:00:00Z`).getUTCDay());

/** Graph's time format in a zone: `2026-09-25T18:00:00+0200`. */
export function zoned(at: number, zone: string): string {
  const { year, month, day, hour, minute, second } = partsOf(at, zone);
  const local = Date.UTC(Number(year), Number(month) - 1, Number(day), Number(hour), Number(minute), Number(second));
  const minutes = Math.round((local - Math.floor(at / 1000) * 1000) / 60_000);
  const offset = `${String(Math.floor(Math.abs(minutes) / 60)).padStart(2, "0")}${String(Math.abs(minutes) % 60).padStart(2, "0")}`;
  return `${year}-${month}-${day}T${hour}:${minute}:${second}${minutes < 0 ? "-" : "+"}${offset}`;
}
