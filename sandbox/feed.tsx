// The feed page: everything that is live on all platforms, newest first, with a comment box under each post.

import { FRAME_STYLE, readable, Top } from "./frame";
import { page } from "./page";
import type { LiveComment, LivePost, SimulatedPlatform } from "./platform";
import type { Sandbox } from "./sandbox";

const SHOWN = 100;

interface Thread {
  post: LivePost;
  /** Posts by the same account that continue this thread, oldest first. */
  continued: LivePost[];
}

interface World {
  /** Path of the page that shows the post. The comment form returns to it. */
  path: string;
  threads: Thread[];
  comments: LiveComment[];
  names: Map<string, string>;
}

export function feedPage(sandbox: Sandbox, only: string | undefined): Response {
  const platforms = sandbox.platforms.filter((platform) => only === undefined || platform.name === only);
  const world = gather(platforms, only === undefined ? "/" : `/?platform=${encodeURIComponent(only)}`);
  const shown = world.threads.slice(0, SHOWN);
  const body = (
    <>
      <Top title="Published posts" platforms={sandbox.platforms} only={only} path="/" />
      <main>
        {shown.length === 0 ? (
          <Empty />
        ) : (
          shown.map((thread) => <ThreadCard sandbox={sandbox} world={world} thread={thread} />)
        )}
        {world.threads.length > SHOWN ? (
          <p class="more">
            {world.threads.length - SHOWN} older posts are not shown; <a href="/_control/posts">all of them as JSON</a>
          </p>
        ) : null}
      </main>
    </>
  );
  return page({ title: "Belfry sandbox", style: FRAME_STYLE + STYLE, body, formAction: "'self'" });
}

/**
 * The page behind a permalink and behind `/posts/{platform}/{id}`. Facebook ids match with or without the
 * Page id prefix.
 */
export function postPage(sandbox: Sandbox, platform: string, id: string | null): Response {
  const path = `/posts/${encodeURIComponent(platform)}/${encodeURIComponent(id ?? "")}`;
  const world = gather(
    sandbox.platforms.filter((one) => one.name === platform),
    path,
  );
  const isMeant = (one: LivePost) => one.id === id || one.id.endsWith(`_${id}`);
  const thread = world.threads.find(({ post, continued }) => [post, ...continued].some(isMeant));
  const body = (
    <>
      <Top
        title={thread ? "A published post" : "Post not found"}
        platforms={sandbox.platforms}
        only={platform}
        path="/"
      />
      <main>
        {thread ? (
          <ThreadCard sandbox={sandbox} world={world} thread={thread} />
        ) : (
          <section class="empty">
            <h2>This content isn’t available</h2>
            <p>It was deleted, has not been published yet, or never existed.</p>
            <p>
              <a href="/">Back to the feed</a>
            </p>
          </section>
        )}
      </main>
    </>
  );
  return page({
    title: "A post in the sandbox",
    style: FRAME_STYLE + STYLE,
    body,
    status: thread ? 200 : 404,
    formAction: "'self'",
  });
}

function gather(platforms: SimulatedPlatform[], path: string): World {
  const posts = platforms.flatMap((platform) => platform.posts());
  const keyOf = (post: { platform: string }, id: string) => `${post.platform} ${id}`;
  const byId = new Map(posts.map((post) => [keyOf(post, post.id), post]));
  const rootOf = (post: LivePost): LivePost => {
    let root = post;
    while (root.reply_to !== null) {
      const parent = byId.get(keyOf(root, root.reply_to));
      if (!parent) break;
      root = parent;
    }
    return root;
  };
  const continued = Map.groupBy(
    posts.filter((post) => rootOf(post) !== post),
    rootOf,
  );
  const inTime = (a: LivePost, b: LivePost) => a.created_at.localeCompare(b.created_at) || a.id.localeCompare(b.id);
  const threads = posts
    .filter((post) => rootOf(post) === post)
    .sort((a, b) => inTime(b, a))
    .map((post) => ({ post, continued: (continued.get(post) ?? []).sort(inTime) }));
  const accounts = platforms.flatMap((platform) => platform.accounts());
  return {
    path,
    threads,
    comments: platforms.flatMap((platform) => platform.comments()),
    names: new Map(accounts.map((account) => [keyOf(account, account.id), account.name])),
  };
}

function Empty() {
  return (
    <section class="empty">
      <h2>Nothing is published yet</h2>
      <p>
        This page shows what the public would see. Connect a channel of a test project and create a post. It appears
        here as soon as the platform has it.
      </p>
      <ol>
        <li>Start a connection with the API and open the returned connect_url.</li>
        <li>Allow it on the platform’s consent page (simulated, like everything here).</li>
        <li>
          Create a post; for media take one of the <a href="/_media/">samples</a>.
        </li>
        <li>Come back to read the post. The comment box takes comments under any name.</li>
      </ol>
    </section>
  );
}

function ThreadCard({ sandbox, world, thread }: { sandbox: Sandbox; world: World; thread: Thread }) {
  const { post, continued } = thread;
  const name = world.names.get(`${post.platform} ${post.account_id}`) ?? post.account_id;
  return (
    <article class="card" id={anchor(post)}>
      <div class="who">
        <span class={`mark ${post.platform}`} aria-hidden="true">
          {name.slice(0, 1).toUpperCase()}
        </span>
        <div class="names">
          <h2>{name}</h2>
          <p>
            {sandbox.platforms.find((one) => one.name === post.platform)?.title ?? post.platform} ·{" "}
            <time datetime={post.created_at}>{readable(post.created_at)}</time>
          </p>
        </div>
      </div>
      <PostBody sandbox={sandbox} world={world} post={post} />
      {continued.map((next) => (
        <section class="continued" id={anchor(next)}>
          <PostBody sandbox={sandbox} world={world} post={next} />
        </section>
      ))}
    </article>
  );
}

function PostBody({ sandbox, world, post }: { sandbox: Sandbox; world: World; post: LivePost }) {
  const comments = inConversation(
    world.comments.filter((comment) => comment.platform === post.platform && comment.post_id === post.id),
  );
  return (
    <>
      {post.text === "" ? null : <p class="text">{post.text}</p>}
      <Media sandbox={sandbox} urls={post.media} altTexts={post.alt_texts} title={post.title} />
      {post.cover === undefined ? null : <img class="cover" src={post.cover} alt="The cover" />}
      {post.labels.length === 0 ? null : <p class="labels">Declared: {post.labels.join(", ")}</p>}
      <p class="link">
        <a href={localAddress(post.permalink)}>{post.permalink.replace("https://", "")}</a>
      </p>
      {comments.length === 0 ? null : (
        <ul class="comments">
          {comments.map((comment) => (
            <li class={comment.reply_to === null ? undefined : "nested"}>
              <b>{comment.author}</b> <time datetime={comment.created_at}>{readable(comment.created_at)}</time>
              {comment.hidden ? <i> hidden</i> : null}
              <p>{comment.text}</p>
            </li>
          ))}
        </ul>
      )}
      <form class="answer" method="post" action="/_feed/comments">
        <input type="hidden" name="platform" value={post.platform} />
        <input type="hidden" name="post_id" value={post.id} />
        <input type="hidden" name="back" value={`${world.path}#${anchor(post)}`} />
        <input class="author" name="author" value="Ada Reader" aria-label="Your name" required maxlength={60} />
        <input class="words" name="text" placeholder="Write a comment" aria-label="Comment" required maxlength={2000} />
        <button type="submit">Send</button>
      </form>
    </>
  );
}

/** Oldest first, each comment followed by its replies. */
function inConversation(comments: LiveComment[]): LiveComment[] {
  const sorted = comments.toSorted((a, b) => a.created_at.localeCompare(b.created_at) || a.id.localeCompare(b.id));
  const known = new Set(sorted.map((comment) => comment.id));
  const withAnswers = (comment: LiveComment): LiveComment[] => [
    comment,
    ...sorted.filter((one) => one.reply_to === comment.id).flatMap(withAnswers),
  ];
  return sorted.filter((one) => one.reply_to === null || !known.has(one.reply_to)).flatMap(withAnswers);
}

interface Files {
  sandbox: Sandbox;
  urls: string[];
  altTexts: (string | null)[];
  title: string | undefined;
}

function Media({ sandbox, urls, altTexts, title }: Files) {
  if (urls.length === 0) return null;
  return (
    <div class={urls.length === 1 ? "media" : "media many"}>
      {urls.map((url, index) =>
        isVideo(sandbox, url) ? (
          <video src={url} controls muted playsinline preload="metadata" />
        ) : isDocument(sandbox, url) ? (
          <a href={url}>{title ?? "The document"}</a>
        ) : (
          <img src={url} alt={altTexts[index] ?? ""} loading="lazy" />
        ),
      )}
    </div>
  );
}

function isVideo(sandbox: Sandbox, url: string): boolean {
  const blob = /^\/_blob\/(\w+)$/.exec(url)?.[1];
  if (blob !== undefined) return sandbox.blobs.find(blob)?.type.startsWith("video/") ?? false;
  return /\.(mp4|mov|m4v|webm)(\?|#|$)/i.test(url);
}

function isDocument(sandbox: Sandbox, url: string): boolean {
  const blob = /^\/_blob\/(\w+)$/.exec(url)?.[1];
  return blob !== undefined && (sandbox.blobs.find(blob)?.type.startsWith("application/") ?? false);
}

const anchor = (post: LivePost) => `${post.platform}-${post.id}`;
const localAddress = (permalink: string) => permalink.replace("https://", "/");

const STYLE = `
.cover{display:block;width:120px;margin-bottom:12px}
.media{margin:0 -16px 12px;background:var(--fill);display:grid;gap:2px}
.media.many{grid-template-columns:1fr 1fr}
.media img,.media video{display:block;width:100%;max-height:560px;object-fit:contain}
.media video{background:#111827}
.media.many img,.media.many video{aspect-ratio:1;object-fit:cover}
.media.many>:last-child:nth-child(odd){grid-column:span 2;aspect-ratio:2}
.link a{overflow-wrap:anywhere}
.continued{margin:16px 0 0 20px;padding:0 0 0 16px;border-left:3px solid var(--line)}
.continued .media{margin:0 0 12px;border-radius:12px;overflow:hidden}
.comments{margin-top:12px;display:flex;flex-direction:column;gap:8px}
.comments li{background:var(--fill);border-radius:14px;padding:8px 12px;font-size:15px;overflow-wrap:anywhere}
.comments li.nested{margin-left:24px}
.comments p{white-space:pre-wrap}
.answer{display:flex;gap:8px;margin-top:12px;flex-wrap:wrap}
.answer input{border:1px solid var(--soft);border-radius:10px;padding:8px 12px;min-height:44px;min-width:0;background:var(--card)}
.author{flex:1 1 100%}
.words{flex:3 1 180px}
.answer button{border:0;border-radius:10px;background:var(--ink);color:var(--card);font-weight:600;padding:0 18px;min-height:44px;cursor:pointer}
.answer button:hover{opacity:.85}
.empty ol{margin:0;padding-left:20px;display:flex;flex-direction:column;gap:6px}
@media (min-width:640px){.author{flex:1 1 110px}.media{margin:0 -20px 12px}}
`;
