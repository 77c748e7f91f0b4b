import type { Db } from "../../db/client.ts";
import { listRenditions } from "../../files/generated.ts";
import { fileAddress, ownFile } from "../../media/own-address.ts";
import type { TypeRules } from "../../platforms/rules.ts";
import type { PlannedItem } from "../content/content.ts";
import { fileUrls } from "../content/media.ts";

/**
 * Replaces our own pictures whose format the platform does not accept by an alternative format. For example,
 * a banner is a PNG, while Instagram and TikTok take JPEG. Without such a picture, no query is made. A
 * picture without an alternative stays, and the platform's rules reject it.
 */
export async function withAlternativeFormats(
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
