import { Turns } from "../core/turns.ts";
import { KeywordIndex, type KeywordSearch } from "./keyword-index.ts";
import { SearchedText } from "./match.ts";
import type { Automation } from "./table.ts";
import { MAX_NORMALIZED } from "./text-normalize.ts";

type Bot = Pick<Automation, "keywords">;

/** About five milliseconds of work. */
const STEPS_PER_TURN = 1_000_000;
/** Folding a character costs about as much as this many steps of a search. */
const STEPS_PER_CHARACTER = 50;

/**
 * Searches comments for the keywords of several bots. A keyword is folded once for all comments, a comment is
 * folded and searched once for all bots, and other requests run between long searches.
 */
export class BotKeywords {
  readonly #places: ReadonlyMap<Bot, number>;
  readonly #turns = new Turns(STEPS_PER_TURN);
  #index: KeywordIndex | null = null;
  #comment: { readonly text: string; readonly found: KeywordSearch } | null = null;

  constructor(bots: readonly Bot[]) {
    this.#places = new Map(bots.map((bot, place) => [bot, place]));
  }

  /** The first of the bot's keywords that occurs in the comment, as the caller wrote it. */
  async first(bot: Bot, text: string): Promise<string | null> {
    const list = this.#places.get(bot);
    if (list === undefined) throw new Error("The keywords of this bot are not indexed.");
    if (this.#comment?.text !== text) this.#comment = { text, found: await this.#search(text) };
    const place = this.#comment.found.firstOf(list);
    return place === null ? null : (bot.keywords?.[place] ?? null);
  }

  async #search(text: string): Promise<KeywordSearch> {
    this.#index ??= await this.#indexAll();
    const searched = new SearchedText(text);
    await this.#turns.spend(STEPS_PER_CHARACTER * Math.min(text.length, MAX_NORMALIZED));
    const search = this.#index.search(searched);
    let isOver = false;
    while (!isOver) {
      const before = search.steps;
      isOver = search.run(STEPS_PER_TURN);
      await this.#turns.spend(search.steps - before);
    }
    return search;
  }

  async #indexAll(): Promise<KeywordIndex> {
    const index = new KeywordIndex();
    for (const { keywords } of this.#places.keys()) {
      index.add(keywords ?? []);
      await this.#turns.spend((keywords ?? []).reduce((steps, { length }) => steps + STEPS_PER_CHARACTER * length, 0));
    }
    return index;
  }
}
