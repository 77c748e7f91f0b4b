import { said } from "../../core/checks.ts";
import { type FieldProblem, invalidFields } from "../../core/errors.ts";
import type { ProjectId } from "../../core/ids.ts";
import type { Db } from "../../db/client.ts";
import { selectOwners } from "../../files/store.ts";
import { MEDIA_PATH, ownFileName } from "../../media/own-address.ts";
import type { Deps } from "../../service/deps.ts";
import type { OwnFiles } from "../content/file-kinds.ts";

/**
 * Files of this service in a request must belong to its project. Another project's file is answered like an
 * absent one. An address on another host that only looks similar is an ordinary address, unless the bucket
 * has its name.
 */

interface NamesMedia {
  readonly media_urls?: readonly string[] | undefined;
  readonly options?: { readonly cover_url?: string | undefined } | null | undefined;
  readonly twitter_threads?: readonly { readonly media_urls?: readonly string[] | undefined }[] | undefined;
}

interface Named {
  readonly field: string;
  readonly url: string;
  readonly name: string;
}

function namedIn({ media_urls = [], twitter_threads = [], options }: NamesMedia): readonly Named[] {
  const lists = [
    { at: "media_urls", urls: media_urls },
    ...twitter_threads.map((item, index) => ({
      at: `twitter_threads.${index}.media_urls`,
      urls: item.media_urls ?? [],
    })),
  ];
  const files = lists.flatMap(({ at, urls }) => urls.map((url, index) => ({ field: `${at}.${index}`, url })));
  const cover = options?.cover_url === undefined ? [] : [{ field: "options.cover_url", url: options.cover_url }];
  return [...files, ...cover].flatMap(({ field, url }) => {
    const name = ownFileName(url);
    return name === null ? [] : [{ field, url, name }];
  });
}

/** The owners of the files that these bodies name, for a batch; null if they name none. */
export function selectNamed(db: Db, projectId: ProjectId, ...bodies: readonly NamesMedia[]) {
  const names = bodies.flatMap(namedIn).map(({ name }) => name);
  return names.length === 0 ? null : selectOwners(db, projectId, [...new Set(names)]);
}

/**
 * Returns the named files that the project has; throws the 422 for others. `owners`: the rows of
 * `selectNamed`.
 */
export function requireOwnMedia(
  { config }: Pick<Deps, "config">,
  body: NamesMedia,
  owners: Awaited<NonNullable<ReturnType<typeof selectNamed>>> | null,
): OwnFiles {
  if (owners === null) return new Map();
  const isOwn = new Map(owners.map((file) => [file.name, file.isOwn === 1]));
  const ours = config.publicOrigin === null ? null : `${config.publicOrigin}${MEDIA_PATH}`;
  const isMissing = ({ url, name }: Named) => !(isOwn.get(name) ?? (ours === null || !url.startsWith(ours)));
  const [first, ...others] = namedIn(body).filter(isMissing).map(missing);
  if (first) throw invalidFields([first, ...others]);
  return new Map(
    owners.flatMap(({ name, isGenerated, media, library }) => {
      const file = { isGenerated, kind: media?.kind ?? null, altText: library?.altText ?? null };
      return isOwn.get(name) ? [[name, file] as const] : [];
    }),
  );
}

function missing({ field, url }: Named): FieldProblem {
  const message = `${field} must be a file of this project: ${url} does not exist, or was deleted. Upload it with upload-media.`;
  return { field, code: "reference_invalid", isAbsent: true, ...said(message, "no_file", url) };
}
