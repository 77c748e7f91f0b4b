import type { Db } from "../../db/client.ts";
import { listRenditions } from "../../files/generated.ts";
import { fileAddress, ownFile } from "../../media/own-address.ts";
import type { TypeRules } from "../../platforms/rules.ts";
import type { PlannedItem } from "../content/content.ts";
import { fileUrls } from "../content/media.ts";

/**
 * Pictures of ours that the platform does not take in their form, in the place of which another form goes
 * out: a banner is a PNG, and Instagram and TikTok take JPEG. Nothing is asked where there is no such
 * picture; what has no other form stays, and is refused by its rules.
 */
export async function withRenditions(
  db: Db,
  planned: readonly PlannedItem[],
  rules: TypeRules,
): Promise<readonly PlannedItem[]> {
  const taken = rules.files.image?.mimes ?? [];
  const strange = fileUrls(planned).flatMap((url) => {
    const own = ownFile(url);
    return own?.mime.startsWith("image/") && !taken.includes(own.mime) ? [{ url, name: own.name }] : [];
  });
  if (strange.length === 0) return planned;
  const others = await listRenditions(
    db,
    strange.map(({ name }) => name),
  );
  const byOriginal = new Map(others.map((one) => [one.renditionOf, one]));
  const replaced = new Map<string, string>();
  for (const { url, name } of strange) {
    const other = byOriginal.get(name);
    if (!other?.media || !taken.includes(other.media.mime)) continue;
    replaced.set(url, fileAddress(new URL(url).origin, other.name, other.media.mime));
  }
  return planned.map((item) => ({ ...item, mediaUrls: item.mediaUrls.map((url) => replaced.get(url) ?? url) }));
}
