import type { Child } from "hono/jsx";
import { PlatformBadge } from "../pages/platform-badge.tsx";
import { platformTitle } from "../platforms/facts.ts";
import type { PlatformName, PostType } from "../platforms/names.ts";
import type { Visit } from "./definition.ts";

/** A post much as its platform shows it: plain, made on the server, and with nothing that can be followed. */

interface PreviewItem {
  readonly text: string;
  readonly media: readonly { readonly url: string; readonly altText: string | null }[];
  /** Stands below the item. */
  readonly about?: string | undefined;
}

export function Preview(preview: {
  readonly visit: Visit;
  readonly channel: { readonly platform: PlatformName; readonly name: string };
  readonly type: PostType;
  readonly items: readonly PreviewItem[];
  readonly firstComment: string | null;
  readonly children?: Child;
}) {
  const { visit, channel, type, items, firstComment } = preview;
  const { compose } = visit.texts;
  return (
    <article class="preview" aria-label={`${compose.preview}: ${channel.name}`}>
      <header>
        <PlatformBadge platform={channel.platform} />
        <span class="what">
          <span class="name">{channel.name}</span>
          <span class="about">
            {platformTitle(channel.platform)} · {compose.postTypes[type]}
          </span>
        </span>
      </header>
      {items.map(({ text, media, about }) => (
        <>
          <p class="text">{linked(text)}</p>
          <MediaGrid visit={visit} media={media} />
          {about !== undefined && <p class="about">{about}</p>}
        </>
      ))}
      {firstComment !== null && (
        <p class="comment">
          <span class="name">{channel.name}</span> {linked(firstComment)}
        </p>
      )}
      {preview.children}
    </article>
  );
}

/** Only pictures of this service are shown: other hosts would learn who looks. */
function MediaGrid({ visit, media }: { readonly visit: Visit; readonly media: PreviewItem["media"] }) {
  return media.length === 0 ? null : (
    <ul class="grid">
      {media.map(({ url, altText }) => (
        <li>
          {url.startsWith(`${visit.origin}/`) && PICTURE.test(url) ? (
            <img src={url} alt={altText ?? ""} loading="lazy" />
          ) : (
            <span class="file">{url.split("/").at(-1)?.slice(0, 40)}</span>
          )}
        </li>
      ))}
    </ul>
  );
}

const PICTURE = /\.(jpe?g|png|webp|gif)$/i;
const LINK = /(https?:\/\/\S+|[#@][\p{L}\p{N}_]+)/u;

/** Links, hashtags and names in the colour of links. */
function linked(text: string) {
  return text.split(LINK).map((part, index) => (index % 2 === 1 ? <b class="link">{part}</b> : part));
}
