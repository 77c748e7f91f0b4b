/** Which entry a link stands for, whatever the form in which a site writes it. Pure. */

/** Parameters that count visitors and name no page. */
const COUNTING = /^(?:utm_\w+|fbclid|gclid|mc_cid|mc_eid)$/;

/**
 * The address without what a move of a site changes: the scheme, `www.`, a slash at the end, and parameters
 * that count visitors. Null for a home page and for what is no address: they stand for no entry.
 */
export function linkIdentity(link: string): string | null {
  const url = URL.parse(link);
  if (!url || !/^https?:$/.test(url.protocol)) return null;
  for (const name of [...url.searchParams.keys()]) if (COUNTING.test(name)) url.searchParams.delete(name);
  const path = url.pathname.replace(/(?<!\/)\/+$/, "");
  const rest = `${path}${url.searchParams.size > 0 ? `?${url.searchParams}` : ""}${url.hash}`;
  return rest === "" ? null : `${url.hostname.replace(/^www\./, "")}${rest}`;
}

/** The links that stand for one entry of the document each. */
export function ownLinks(links: readonly (string | null)[]): readonly (string | null)[] {
  const count = new Map<string, number>();
  for (const link of links) if (link !== null) count.set(link, (count.get(link) ?? 0) + 1);
  return links.map((link) => (link !== null && count.get(link) === 1 ? link : null));
}
