import type { ProjectVisit } from "../definition.ts";
import { projectPath } from "../layout.tsx";
import { Top } from "../parts.tsx";
import { campaignsPath } from "./campaign-list.tsx";

interface Impossible {
  readonly visit: ProjectVisit;
  /** In the language of the page; it may end with the link that reconnects the channel. */
  readonly message: string;
  readonly channelId?: number;
}

/** Why a post cannot be boosted, or a campaign not changed, and the way out. */
export function Impossible({ visit, message, channelId }: Impossible) {
  const { campaigns: texts } = visit.texts;
  const [link] = /https?:\/\/\S+\/connect\/\S+/.exec(message) ?? [];
  const isOwn = link?.startsWith(`${visit.origin}/connect/`) ?? false;
  return (
    <>
      <Top title={texts.impossible}>
        <a class="button" href={campaignsPath(visit)}>
          {texts.all}
        </a>
      </Top>
      <section class="card">
        <p>{message}</p>
        <div class="buttons">
          {link !== undefined && isOwn && (
            <a class="button first" href={link}>
              {visit.texts.posts.actions.connect}
            </a>
          )}
          {channelId !== undefined && (
            <a class="button" href={`${projectPath(visit.project.id)}/channels/${channelId}`}>
              {texts.openChannel}
            </a>
          )}
        </div>
      </section>
    </>
  );
}
