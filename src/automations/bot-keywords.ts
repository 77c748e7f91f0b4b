import { Turns } from "../core/turns.ts";
import { MAX_FOLDED } from "./folded.ts";
import { KeywordSearch, SearchedText } from "./match.ts";
import type { Automation } from "./table.ts";

type Bot = Pick<Automation, "keywords">;

/** About five milliseconds of work. */
const STEPS_PER_TURN = 4_000_000;
/** Folding a character costs about as much as this many steps of a search. */
const STEPS_PER_CHARACTER = 200;

/**
 * Searches comments for the keywords of several bots. A comment is folded once for all bots, a keyword once
 * for all comments, and other requests run between long searches.
 */
export class BotKeywords {
  readonly #searches = new Map<Bot, KeywordSearch>();
  readonly #turns = new Turns(STEPS_PER_TURN);
  #comment: { readonly text: string; readonly searched: SearchedText } | null = null;

  /** The first of the bot's keywords that occurs in the comment, as the caller wrote it. */
  async first(bot: Bot, text: string): Promise<string | null> {
    if (this.#comment?.text !== text) {
      this.#comment = { text, searched: new SearchedText(text) };
      await this.#turns.spend(STEPS_PER_CHARACTER * Math.min(text.length, MAX_FOLDED));
    }
    const { searched } = this.#comment;
    const before = searched.steps;
    const search = await this.#searchFor(bot);
    const found = search.first(searched);
    await this.#turns.spend(searched.steps - before);
    return found;
  }

  async #searchFor(bot: Bot): Promise<KeywordSearch> {
    const known = this.#searches.get(bot);
    if (known) return known;
    const keywords = bot.keywords ?? [];
    const search = new KeywordSearch(keywords);
    this.#searches.set(bot, search);
    await this.#turns.spend(keywords.reduce((steps, { length }) => steps + STEPS_PER_CHARACTER * length, 0));
    return search;
  }
}
