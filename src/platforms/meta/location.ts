import { said } from "../../core/checks.ts";
import type { SettingProblem, WantedSettings } from "../rules.ts";

/** A location of Meta is a Page, named by its number. */
export function locationConflicts({ options }: WantedSettings): readonly SettingProblem[] {
  const { location_id: id } = options;
  if (id === undefined || /^\d+$/.test(id)) return [];
  const message = `options.location_id must be the number of a Facebook Page that has a location, not "${id}".`;
  return [{ field: "options.location_id", ...said(message, "page_with_location", id) }];
}
