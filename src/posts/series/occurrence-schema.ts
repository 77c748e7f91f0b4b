import { readItem } from "../many/item-schema.ts";
import type { Series } from "./store.ts";

type Template = Pick<Series, "post" | "variants" | "nextAt" | "nextLocal" | "timeZone">;

/**
 * The post of an occurrence, as create-post reads it: scheduled for its time, or published now if that is
 * before `past`. `number`: of the occurrence, from 0; variants take turns.
 */
export function itemOf({ post, variants, nextAt, nextLocal, timeZone }: Template, number: number, past: number) {
  const isPast = nextAt !== null && nextAt < past;
  const when = isPast
    ? { publish_mode: "now", schedule_time: null, time_zone: null }
    : { publish_mode: "scheduled", schedule_time: nextLocal, time_zone: timeZone };
  return readItem(post, { ...variantAt(variants, number), ...when });
}

export function variantAt<T>(variants: readonly T[], number: number): T | undefined {
  return variants.length === 0 ? undefined : variants[number % variants.length];
}
