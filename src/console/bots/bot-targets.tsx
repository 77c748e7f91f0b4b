import { platformTitle } from "../../platforms/facts.ts";
import type { PlatformName } from "../../platforms/names.ts";
import type { ProjectVisit } from "../definition.ts";
import { ChoiceList, FieldErrors, TextField } from "../parts.tsx";
import { postName } from "../posts/post-parts.tsx";
import { type BotChoices, wordsIn } from "./bot-choices.ts";

interface Targets extends Pick<BotChoices, "posts" | "campaigns"> {
  readonly visit: ProjectVisit;
  /** Where the form is sent. */
  readonly action: string;
  readonly chosen: { readonly posts: readonly number[]; readonly campaigns: readonly number[] };
}

/** The posts or the campaigns of a bot, each as a list with a search. */
export function Targets({ visit, action, posts, campaigns, chosen }: Targets) {
  const { fields: texts } = visit.texts.bots;
  return (
    <>
      <Target
        visit={visit}
        action={action}
        of="posts"
        name="post_ids"
        search="search"
        texts={texts.chosenPosts}
        chosen={chosen.posts}
        items={posts.map((post) => ({
          id: post.id,
          title: postName(visit.texts, post),
          about: [post.channel.name, ...placeOf(visit, post.channelType, post.publishedAt)],
        }))}
      />
      <Target
        visit={visit}
        action={action}
        of="campaigns"
        name="campaign_ids"
        search="search_campaigns"
        texts={texts.chosenCampaigns}
        chosen={chosen.campaigns}
        items={campaigns.map(({ id, name, platform, createdAt }) => ({
          id,
          title: name,
          about: placeOf(visit, platform, createdAt),
        }))}
      />
    </>
  );
}

function placeOf({ language, project }: ProjectVisit, platform: PlatformName, at: number | null): readonly string[] {
  const format = new Intl.DateTimeFormat(language, { dateStyle: "medium", timeZone: project.timeZone });
  return [platformTitle(platform), ...(at === null ? [] : [format.format(at)])];
}

interface Target extends Pick<Targets, "visit" | "action"> {
  /** The choice of the form that shows this part. */
  readonly of: "posts" | "campaigns";
  readonly name: "post_ids" | "campaign_ids";
  readonly search: string;
  readonly texts: ProjectVisit["texts"]["bots"]["fields"]["chosenPosts"];
  readonly chosen: readonly number[];
  readonly items: readonly { readonly id: number; readonly title: string; readonly about: readonly string[] }[];
}

function Target({ visit, action, of, name, search, texts, chosen, items }: Target) {
  const words = wordsIn(visit, search);
  const isMissed = words !== "" && items.every(({ id }) => chosen.includes(id));
  const hint = items.length === 0 ? texts.none : texts.hint;
  return (
    <fieldset class={`field only ${of}`} id={of}>
      <legend>{texts.title}</legend>
      <div class="row">
        <TextField
          visit={visit}
          name={search}
          label={texts.search}
          value={words}
          input={{ autocomplete: "off", maxlength: 100 }}
        />
        <button class="button" type="submit" name="act" value="search" formaction={`${action}#${of}`} formnovalidate>
          {visit.texts.bots.fields.searchButton}
        </button>
      </div>
      <p class="hint" role="status">
        {isMissed ? texts.noneFound : hint}
      </p>
      <ChoiceList
        name={name}
        options={items.map(({ id, title, about }) => ({ value: String(id), title, about: about.join(" · ") }))}
        chosen={chosen.map(String)}
      />
      <FieldErrors visit={visit} name={name} />
    </fieldset>
  );
}
