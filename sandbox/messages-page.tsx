// The direct messages that accounts have sent, newest first, each with the comment that it replies to.

import { FRAME_STYLE, readable, Top } from "./frame";
import { page } from "./page";
import type { LiveComment, LiveMessage } from "./platform";
import type { Sandbox } from "./sandbox";

const SHOWN = 200;

export function messagesPage(sandbox: Sandbox, only: string | undefined): Response {
  const platforms = sandbox.platforms.filter((platform) => only === undefined || platform.name === only);
  const messages = platforms
    .flatMap((platform) => platform.messages())
    .sort((a, b) => b.created_at.localeCompare(a.created_at));
  const keyed = <T extends { platform: string; id: string }>(list: T[]) =>
    list.map((one) => [`${one.platform} ${one.id}`, one] as const);
  const accounts = platforms.flatMap((platform) => platform.accounts());
  const names = new Map(keyed(accounts).map(([key, { name }]) => [key, name]));
  const comments = new Map(keyed(platforms.flatMap((platform) => platform.comments())));
  const body = (
    <>
      <Top title="Direct messages" platforms={sandbox.platforms} only={only} path="/messages" />
      <main>
        {messages.length === 0 ? <Empty /> : null}
        {messages.slice(0, SHOWN).map((message) => (
          <MessageCard
            sandbox={sandbox}
            message={message}
            name={names.get(`${message.platform} ${message.account_id}`) ?? message.account_id}
            comment={comments.get(`${message.platform} ${message.comment_id}`)}
          />
        ))}
        {messages.length > SHOWN ? (
          <p class="more">
            {messages.length - SHOWN} older messages are not shown; <a href="/_control/messages">all of them as JSON</a>
          </p>
        ) : null}
      </main>
    </>
  );
  return page({ title: "Messages in the sandbox", style: FRAME_STYLE + STYLE, body, formAction: "'none'" });
}

function Empty() {
  return (
    <section class="empty">
      <h2>No messages yet</h2>
      <p>Direct messages of accounts appear here, with the comments that they answer.</p>
    </section>
  );
}

interface Card {
  sandbox: Sandbox;
  message: LiveMessage;
  /** Name of the account that sent the message. */
  name: string;
  /** The comment that the message replies to; undefined if it was deleted. */
  comment: LiveComment | undefined;
}

function MessageCard({ sandbox, message, name, comment }: Card) {
  const platform = sandbox.platforms.find((one) => one.name === message.platform);
  return (
    <article class="card" id={`${message.platform}-${message.id}`}>
      <div class="who">
        <span class={`mark ${message.platform}`} aria-hidden="true">
          {name.slice(0, 1).toUpperCase()}
        </span>
        <div class="names">
          <h2>
            {name} <span class="to">to</span> {message.recipient}
          </h2>
          <p>
            {platform?.title ?? message.platform} ·{" "}
            <time datetime={message.created_at}>{readable(message.created_at)}</time>
          </p>
        </div>
      </div>
      {comment ? (
        <blockquote>
          <a href={`/posts/${comment.platform}/${encodeURIComponent(comment.post_id)}`}>{comment.author} commented</a>
          <p>{comment.text}</p>
        </blockquote>
      ) : null}
      {message.comment_id !== null && !comment ? <p class="gone">The answered comment was deleted.</p> : null}
      <p class="bubble">{message.text}</p>
    </article>
  );
}

const STYLE = `
.to{color:var(--soft);font-weight:400}
blockquote{margin:0 0 12px;padding:0 0 0 12px;border-left:3px solid var(--line);color:var(--soft);font-size:15px}
blockquote a{font-size:13px;color:var(--soft)}
blockquote p,.bubble{white-space:pre-wrap;overflow-wrap:anywhere}
.gone{color:var(--soft);font-size:13px;margin-bottom:12px}
.bubble{background:var(--bubble);border-radius:16px 16px 16px 4px;padding:10px 14px;width:fit-content;max-width:100%}
`;
