import { factsOf } from "../../platforms/facts.ts";
import { PLATFORM_NAMES } from "../../platforms/names.ts";
import { writeCursor } from "../../posts/lists/cursor.ts";
import { listPostsByCursor } from "../../posts/lists/list.ts";
import { isContent, type PostWithContent } from "../../posts/store.ts";
import { type ProjectVisit, projectPage } from "../definition.ts";
import { FilterInput, FilterSelect } from "../filter-fields.tsx";
import { projectPath } from "../layout.tsx";
import { DataTable, ListPager } from "../lists.tsx";
import { Empty, Notices, Time, Top } from "../parts.tsx";
import { postPath } from "./post-actions.ts";
import { type FilterName, listPath, positionOf, readFilters } from "./post-filters.ts";
import { PostStateMark, postName } from "./post-parts.tsx";

/** All posts of a project, newest first, with the filters of get-posts. */
const PER_PAGE = 20;

export const postsPage = projectPage({
  path: "/projects/:project/posts",
  role: "viewer",
  menu: { title: ({ posts }) => posts.title, icon: "post" },
  title: ({ posts }) => posts.title,
  load: async (visit) => {
    const { deps, project, query } = visit;
    const read = readFilters(query);
    const since = await positionOf(visit, read.filter);
    const listing = { filter: read.filter, limit: PER_PAGE, withContent: true, since };
    const { items, next } = await listPostsByCursor(deps, project.id, listing);
    const cursor = next && (await writeCursor(deps.config.signingKey, project.id, next));
    return { ...read, posts: items.filter(isContent), isFirst: since === null, cursor };
  },
  view: (list, visit) => <PostList visit={visit} list={list} />,
});

interface List extends ReturnType<typeof readFilters> {
  readonly posts: readonly PostWithContent[];
  readonly isFirst: boolean;
  readonly cursor: string | null;
}

function PostList({ visit, list }: { readonly visit: ProjectVisit; readonly list: List }) {
  const { posts: texts } = visit.texts;
  const { id } = visit.project;
  const { values, isAny, isFirst, cursor, posts } = list;
  const isEmpty = posts.length === 0 && isFirst && cursor === null;
  return (
    <>
      <Top title={texts.title} lead={texts.lead}>
        <a class="button" href={`${projectPath(id)}/imports`}>
          {visit.texts.imports.title}
        </a>
      </Top>
      <Notices visit={visit} />
      {!list.isComplete && <p class="note bad">{texts.badFilter}</p>}
      {!(isEmpty && !isAny) && <Filters visit={visit} values={values} isAny={isAny} />}
      {isEmpty && !isAny && <Empty icon="post" title={texts.empty} lead={texts.emptyLead} />}
      {isEmpty && isAny && <Empty icon="post" title={texts.noMatch} lead={texts.noMatchLead} />}
      {posts.length > 0 && (
        <DataTable
          caption={texts.title}
          columns={[
            { title: texts.columns.post },
            { title: texts.columns.channel },
            { title: texts.columns.state },
            { title: texts.columns.time },
          ]}
          rows={posts.map((post) => [
            <a href={postPath(id, post.id)}>{postName(visit.texts, post)}</a>,
            <>
              {post.channel.name}
              <br />
              <span class="about">{factsOf(post.channelType).title}</span>
            </>,
            <PostStateMark texts={visit.texts} post={post} />,
            <Time at={timeOf(post)} zone={visit.project.timeZone} visit={visit} />,
          ])}
        />
      )}
      <ListPager
        texts={texts}
        newest={isFirst ? null : listPath(id, values)}
        older={cursor === null ? null : listPath(id, { ...values, cursor })}
      />
    </>
  );
}

/** When it was published, or is due; of a draft, when it was last changed. */
function timeOf({ state, publishedAt, publishAt, updatedAt }: PostWithContent): number {
  return publishedAt ?? (state === "scheduled" || state === "queued" ? publishAt : updatedAt);
}

interface Filters {
  readonly visit: ProjectVisit;
  readonly values: Readonly<Partial<Record<FilterName, string>>>;
  readonly isAny: boolean;
}

const STATES = ["draft", "scheduled", "queued", "published", "failed"] as const;
const TIMES = [
  ["created_from", "createdFrom"],
  ["created_to", "createdTo"],
  ["published_from", "publishedFrom"],
  ["published_to", "publishedTo"],
] as const;

/** A form that is a plain GET: the address of a filtered list can be shared. */
function Filters({ visit, values, isAny }: Filters) {
  const { filter, states } = visit.texts.posts;
  const path = listPath(visit.project.id, {});
  const isOpen = TIMES.some(([name]) => values[name]) || values.channel_id || values.external_id;
  return (
    <form method="get" action={path} class="filters" aria-label={filter.label}>
      <div class="row">
        <FilterSelect name="status" label={filter.state} all={filter.all} value={values.status}>
          {STATES.map((state) => [state, states[state]] as const)}
        </FilterSelect>
        <FilterSelect name="channel_type" label={filter.platform} all={filter.all} value={values.channel_type}>
          {PLATFORM_NAMES.map((name) => [name, factsOf(name).title] as const)}
        </FilterSelect>
        <button class="button" type="submit">
          {filter.submit}
        </button>
        {isAny && (
          <a class="button" href={path}>
            {filter.clear}
          </a>
        )}
      </div>
      <details open={Boolean(isOpen)}>
        <summary>{filter.more}</summary>
        <div class="row">
          <FilterInput
            name="channel_id"
            label={filter.channel}
            value={values.channel_id}
            input={{ inputmode: "numeric" }}
          />
          <FilterInput name="external_id" label={filter.externalId} value={values.external_id} />
          {TIMES.map(([name, text]) => (
            <FilterInput name={name} label={filter[text]} value={values[name]} input={{ type: "date" }} />
          ))}
        </div>
      </details>
    </form>
  );
}
