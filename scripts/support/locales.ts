import { mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { type MessageFormatElement, parse, TYPE } from "@formatjs/icu-messageformat-parser";
import { z } from "zod";
import { LANGUAGE_CODES, type LanguageCode } from "../../src/pages/languages.ts";
import { forgetAssets } from "./build-inputs.ts";
import { Refusal } from "./command.ts";
import { ROOT } from "./paths.ts";

/** Texts by name, each an ICU message, in sections of any depth. */
export interface Section {
  readonly [name: string]: string | Section;
}
const Section: z.ZodType<Section> = z.lazy(() => z.record(z.string(), z.union([z.string(), Section])));

const SOURCES = join(ROOT, "locales");
/**
 * English is in the Worker's bundle; the other languages are assets, which it reads when a page needs them.
 */
const BUNDLED = join(ROOT, "dist", "locales");
const ASSETS = join(ROOT, "dist", "assets", "locales");

const MOST_SHOWN = 20;

/** The service itself says these in English, and each has another sentence of its own. */
const NOT_IN_ENGLISH = ["problems", "connect.phrases"];

/**
 * Makes of locales/LANGUAGE/*.json one file a language for the Worker, and the types of all texts. Refuses a
 * text that is no ICU message, that a language lacks, or that has other arguments there.
 */
export function makeLocales(): void {
  const all = new Map(LANGUAGE_CODES.map((language) => [language, readLanguage(language)]));
  const flaws = flawsIn(all);
  if (flaws.length > 0) {
    const more = flaws.length > MOST_SHOWN ? `\nand ${flaws.length - MOST_SHOWN} more` : "";
    throw new Refusal(`locales/ has flaws (docs/translations.md):\n${flaws.slice(0, MOST_SHOWN).join("\n")}${more}`);
  }
  for (const [language, texts] of all) {
    write(join(language === "en" ? BUNDLED : ASSETS, `${language}.json`), JSON.stringify(texts));
  }
  write(join(BUNDLED, "texts.d.ts"), typesOf(all.get("en") ?? {}, all.get("de") ?? {}));
}

function readLanguage(language: LanguageCode): Section {
  const texts: Record<string, string | Section> = {};
  for (const file of readdirSync(join(SOURCES, language)).toSorted()) {
    const name = join(SOURCES, language, file);
    const { success, data, error } = Section.safeParse(JSON.parse(readFileSync(name, "utf8")));
    if (!success) throw new Refusal(`locales/${language}/${file}: ${z.prettifyError(error)}`);
    for (const [section, value] of Object.entries(data)) {
      if (Object.hasOwn(texts, section)) throw new Refusal(`locales/${language}/${file}: ${section} is in two files.`);
      texts[section] = value;
    }
  }
  return texts;
}

/** Commands run at the same time: a reader finds a whole file, and an equal one keeps its time. */
function write(file: string, text: string): void {
  mkdirSync(dirname(file), { recursive: true });
  try {
    if (readFileSync(file, "utf8") === text) return;
  } catch {
    // It is made for the first time.
  }
  forgetAssets();
  const own = `${file}.${process.pid}`;
  writeFileSync(own, text);
  renameSync(own, file);
}

/** What is wrong with these languages, a line each: English is the original, and German of what it lacks. */
export function flawsIn(all: ReadonlyMap<LanguageCode, Section>): readonly string[] {
  return [...all].flatMap(([language, texts]) => flawsOf(language, texts, all));
}

function flawsOf(language: LanguageCode, texts: Section, all: ReadonlyMap<LanguageCode, Section>): readonly string[] {
  const own = messagesOf(texts);
  const original = messagesOf(all.get("en") ?? {});
  const other = messagesOf(all.get("de") ?? {});
  const flaws: string[] = [];
  for (const [name, message] of own) {
    const isOwn = NOT_IN_ENGLISH.some((section) => name.startsWith(`${section}.`));
    const counterpart = (isOwn ? other : original).get(name);
    if (counterpart === undefined) flaws.push(`${language}: no other language has ${name}.`);
    else if (typeof message === "string") flaws.push(`${language}: ${name} is no ICU message: ${message}`);
    else if (typeof counterpart !== "string" && !isOfSame(message, counterpart))
      flaws.push(`${language}: ${name} has {${namesOf(message)}}, and not {${namesOf(counterpart)}}.`);
  }
  const wanted = language === "en" ? original : new Map([...original, ...other]);
  for (const name of wanted.keys()) if (!own.has(name)) flaws.push(`${language} lacks ${name}.`);
  return flaws;
}

type Arguments = ReadonlyMap<string, "text" | "choice" | "number">;

/** The arguments of each message, by its whole name; of a broken one, what is wrong. */
function messagesOf(section: Section, before = ""): ReadonlyMap<string, Arguments | string> {
  return new Map(
    Object.entries(section).flatMap(([key, value]): readonly (readonly [string, Arguments | string])[] =>
      typeof value === "string"
        ? [[`${before}${key}`, argumentsOf(value)]]
        : [...messagesOf(value, `${before}${key}.`)],
    ),
  );
}

function argumentsOf(message: string): Arguments | string {
  if (!message.includes("{")) return new Map();
  const found = new Map<string, "text" | "choice" | "number">();
  const collect = (elements: readonly MessageFormatElement[]): void => {
    for (const element of elements) {
      if (element.type === TYPE.plural) found.set(element.value, "number");
      else if (element.type === TYPE.select) found.set(element.value, "choice");
      else if (element.type === TYPE.argument && !found.has(element.value)) found.set(element.value, "text");
      if (element.type === TYPE.plural || element.type === TYPE.select)
        for (const { value } of Object.values(element.options)) collect(value);
    }
  };
  try {
    collect(parse(message, { ignoreTag: true }));
    return found;
  } catch (error) {
    return String(error);
  }
}

/** Not each language needs to choose: "are" or "is" is one word in some. */
function isOfSame(message: Arguments, counterpart: Arguments): boolean {
  const needed = [...counterpart].filter(([name, kind]) => kind !== "choice" && !message.has(name));
  return needed.length === 0 && [...message.keys()].every((name) => counterpart.has(name));
}

const namesOf = (found: Arguments): string => [...found.keys()].toSorted().join(", ");

const VALUES = { text: "string | number", choice: "string | number | boolean | null", number: "number" };

function typesOf(english: Section, other: Section): string {
  return `// Made from locales/ by scripts/support/locales.ts.
/** The texts of a language. One with arguments is a function. */
export interface Texts ${typeOf(english)}

/** The service's own sentences, in a language other than English. Their arguments are numbered. */
export interface ProblemTexts ${typeOf(Object(other.problems))}
`;
}

/** A section that is empty in English has other names in other languages. */
function typeOf(section: Section): string {
  if (Object.keys(section).length === 0) return "Readonly<Record<string, string | ((values: never) => string)>>";
  const lines = Object.entries(section).map(([key, value]) => {
    if (typeof value !== "string") return `readonly ${JSON.stringify(key)}: ${typeOf(value)}`;
    const found = argumentsOf(value);
    if (typeof found === "string" || found.size === 0) return `readonly ${JSON.stringify(key)}: string;`;
    const values = [...found].map(([name, kind]) => `readonly ${name}: ${VALUES[kind]}`);
    return `readonly ${JSON.stringify(key)}: (values: { ${values.join("; ")} }) => string;`;
  });
  return `{\n${lines.join("\n")}\n}`;
}
