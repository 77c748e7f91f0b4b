import { happens, oneOf, type Random, whole } from "./random.ts";

/** A post of any kind that has a price at X. */
export interface PricedPost {
  readonly post_type: "post" | "thread";
  readonly caption_text?: string;
  readonly media_urls?: readonly string[];
  readonly alt_texts?: readonly string[];
  readonly twitter_threads?: readonly {
    readonly message: string;
    readonly media_urls: readonly string[];
    readonly alt_texts?: readonly string[];
  }[];
  readonly first_comment?: string;
}

/** `media`: the address of a sample file. No two posts say the same. */
export function pricedPost(random: Random, media: (name: string) => string): PricedPost {
  const comment = happens(random, 0.3) ? { first_comment: said(random) } : {};
  const file = () => `${media(oneOf(random, ["square.jpg", "wide.jpg"]))}?${crypto.randomUUID()}`;
  if (happens(random, 0.2)) {
    const twitter_threads = Array.from({ length: whole(random, 2, 4) }, () => ({
      message: said(random),
      ...(happens(random, 0.3) ? { media_urls: [file()], alt_texts: ["A picture"] } : { media_urls: [] }),
    }));
    return { post_type: "thread", twitter_threads, ...comment };
  }
  const caption_text = said(random);
  if (!happens(random, 0.3)) return { post_type: "post", caption_text, media_urls: [], ...comment };
  const media_urls = Array.from({ length: whole(random, 1, 3) }, file);
  const alt_texts = media_urls.map(() => (happens(random, 0.6) ? "A picture" : ""));
  return { post_type: "post", caption_text, media_urls, alt_texts, ...comment };
}

function said(random: Random): string {
  const text = `${crypto.randomUUID().slice(0, 13)} said`;
  return happens(random, 0.3)
    ? `${text} at ${oneOf(random, ["example.com", "https://example.com/a?b=1", "co.jp"])}`
    : text;
}
