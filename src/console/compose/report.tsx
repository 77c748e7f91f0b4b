import type { ChannelState } from "../../channels/store.ts";
import { fileName } from "../../media/file.ts";
import { formatOf } from "../../media/kind-words.ts";
import type { PostType } from "../../platforms/names.ts";
import { findPlatform } from "../../platforms/registry.ts";
import type { Validated } from "../../posts/create/validate.ts";
import { CropButton } from "../crop/crop-dialog.tsx";
import type { Fields, ShowForm, Visit } from "../definition.ts";
import { Preview } from "../preview.tsx";
import { warningIn } from "../problem-texts.ts";
import { firstOf, mediaOf, ofChannel, typesOf } from "./compose-form.ts";
import { unitIn } from "./compose-views.tsx";
import type { Refused } from "./create-posts.ts";
import { isOwnPicture } from "./media-cards.tsx";

/** What validate-post found for the post of one channel: what would be published, or what is wrong. */
export type Checked =
  | { readonly channel: ChannelState; readonly type: PostType; readonly found: Validated }
  | ({
      readonly channel: ChannelState;
      /** How many posts of a thread the text fits that is too long for one; left out: none. */
      readonly threadItems?: number | undefined;
    } & Refused);

/** The status of a page with this report. */
export const statusOf = (checked: readonly Checked[], status: ShowForm["status"]): ShowForm["status"] =>
  checked.some((one) => "problems" in one && one.isAbsent) ? 404 : status;

interface Report {
  readonly visit: Visit;
  readonly checked: readonly Checked[];
  /** Stands above the problems. */
  readonly problemsTitle: string;
  /** The form, for the pictures of which a part can be chosen. */
  readonly fields: Fields;
  /** Where the form is sent that splits a text; left out where none is split. */
  readonly splitPath?: string;
}

/** The sentences of the API, each once, with the channels that it is about; then the previews. */
export function Report({ visit, checked, problemsTitle, fields, splitPath }: Report) {
  const { compose } = visit.texts;
  const problems = checked.flatMap((one) =>
    "problems" in one ? one.problems.map((sentence) => ({ sentence, name: one.channel.name })) : [],
  );
  const bySentence = Map.groupBy(problems, ({ sentence }) => sentence);
  const ready = checked.filter((one) => "found" in one);
  return (
    <section id="report" class="card" aria-live="polite" aria-label={compose.check}>
      {bySentence.size > 0 && (
        <div class="note bad" role="alert">
          <h2>{problemsTitle}</h2>
          <ul>
            {[...bySentence].map(([sentence, about]) => (
              <li>
                {sentence} <span class="about">({about.map(({ name }) => name).join(", ")})</span>
              </li>
            ))}
          </ul>
        </div>
      )}
      {splitPath !== undefined &&
        checked.map((one) => "problems" in one && <SplitOffer visit={visit} refused={one} path={splitPath} />)}
      {checked.map((one) => "problems" in one && <CropOffers visit={visit} refused={one} fields={fields} />)}
      {bySentence.size === 0 && (
        <p class="note good" role="status">
          {ready.length === 1 ? compose.readyOne : compose.ready}
        </p>
      )}
      {ready.length > 0 && (
        <div class="previews">
          {ready.map((one) => (
            <ReadyPost visit={visit} ready={one} />
          ))}
        </div>
      )}
    </section>
  );
}

interface SplitOffer {
  readonly visit: Visit;
  readonly refused: Extract<Checked, Refused>;
  readonly path: string;
}

/** Two buttons that put the text of a channel into the form as a thread. */
function SplitOffer({ visit, refused: { channel, threadItems }, path }: SplitOffer) {
  const { split } = visit.texts.compose;
  if (threadItems === undefined) return null;
  const button = (value: string, text: string) => (
    <button class="button small" type="submit" formaction={`${path}#report`} name="split" value={value}>
      {text}
    </button>
  );
  return (
    <div class="note">
      <p>{split.offer({ name: channel.name, count: threadItems })}</p>
      <div class="buttons">
        {button(`${channel.id}`, split.plain)}
        {button(`${channel.id}.numbered`, split.numbered)}
      </div>
    </div>
  );
}

interface CropOffers {
  readonly visit: Visit;
  readonly refused: Extract<Checked, Refused>;
  readonly fields: Fields;
}

/** For each picture whose ratio a channel refuses: a person chooses the part that is shown. */
function CropOffers({ visit, refused: { channel, misshapen = [] }, fields }: CropOffers) {
  const { crop } = visit.texts.library;
  const types = typesOf(channel);
  const chosen = firstOf(fields, ofChannel("post_type", channel));
  const rules = types.find(({ post_type }) => post_type === chosen) ?? types[0];
  const image = rules?.files.find(({ kind }) => kind === "image");
  if (!image) return null;
  const urls = mediaOf(fields).map(({ url }) => url);
  const offers = misshapen.map((name) => {
    const url = urls.find((one) => fileName(one) === name) ?? "";
    const about = { file: name, name: channel.name };
    if (!isOwnPicture(url)) return <p class="note">{crop.elsewhere(about)}</p>;
    return (
      <div class="note">
        <p>{crop.offer(about)}</p>
        <div class="buttons">
          <CropButton visit={visit} url={url} ratios={{ min: image.min_ratio, max: image.max_ratio }} />
        </div>
      </div>
    );
  });
  return <>{offers}</>;
}

type Ready = Extract<Checked, { readonly found: Validated }>;

function ReadyPost({ visit, ready: { channel, type, found } }: { readonly visit: Visit; readonly ready: Ready }) {
  const { compose } = visit.texts;
  const text = findPlatform(channel.platform)?.rules(channel.attributes)[type]?.text;
  const items = found.items.map((item) => {
    const limit =
      text && compose.limits.text({ max: text.max.toLocaleString(visit.language), unit: unitIn(compose, text) });
    return { ...item, about: text && `${text.measure(item.text)} / ${limit}` };
  });
  const { amount, currency } = found.cost;
  // Prices of half a cent are not rounded.
  const money = new Intl.NumberFormat(visit.language, { style: "currency", currency, maximumFractionDigits: 4 });
  return (
    <Preview visit={visit} channel={channel} type={type} items={items} firstComment={found.firstComment}>
      {amount > 0 && <p class="about">{compose.cost({ amount: money.format(amount) })}</p>}
      {found.fitted.flat().map(({ url, mime, width, height }) => (
        <p class="about">{compose.fitted({ file: fileName(url), format: formatOf(mime), width, height })}</p>
      ))}
      {found.warnings.map((warning) => (
        <p class="about warning">{warningIn(warning, visit.language)}</p>
      ))}
    </Preview>
  );
}
