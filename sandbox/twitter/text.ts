// X's weighted text length (version 3 of its rules) and link detection.

const SHORT_URL = 23;
const LIGHT: readonly (readonly [number, number])[] = [
  [0, 4351],
  [8192, 8205],
  [8208, 8223],
  [8242, 8247],
];

const COUNTRY_TLDS =
  "ac ad ae af ag ai al am ao aq ar as at au aw ax az ba bb bd be bf bg bh bi bj bm bn bo bq br bs bt bv bw by bz ca cc " +
  "cd cf cg ch ci ck cl cm cn co cr cu cv cw cx cy cz de dj dk dm do dz ec ee eg er es et eu fi fj fk fm fo fr ga gb gd " +
  "ge gf gg gh gi gl gm gn gp gq gr gs gt gu gw gy hk hm hn hr ht hu id ie il im in io iq ir is it je jm jo jp ke kg kh " +
  "ki km kn kp kr kw ky kz la lb lc li lk lr ls lt lu lv ly ma mc md me mg mh mk ml mm mn mo mp mq mr ms mt mu mv mw mx " +
  "my mz na nc ne nf ng ni nl no np nr nu nz om pa pe pf pg ph pk pl pm pn pr ps pt pw py qa re ro rs ru rw sa sb sc sd " +
  "se sg sh si sj sk sl sm sn so sr ss st su sv sx sy sz tc td tf tg th tj tk tl tm tn to tr tt tv tw tz ua ug uk us uy " +
  "uz va vc ve vg vi vn vu wf ws ye yt za zm zw";
const GENERIC_TLDS =
  "com net org info biz name pro edu gov mil int aero coop museum jobs mobi travel tel cat asia post xxx app dev page blog " +
  "shop store online site website tech space cloud digital agency studio design art photo photos gallery media news " +
  "social live video film music games game fun club community team group company business services solutions systems " +
  "software technology network email link click help support guide tips today world global international city town " +
  "cafe coffee restaurant bar pub beer wine pizza food kitchen recipes garden flowers fashion clothing shoes jewelry " +
  "beauty salon fitness yoga health care clinic dental doctor bike cars auto tours holiday hotel hotels house homes " +
  "property estate rentals realty money finance financial fund bank credit insurance tax law legal lawyer academy " +
  "school university college education training courses science bio eco green earth energy solar church foundation " +
  "charity events party wedding gift gifts toys kids family dog pet horse fish xyz top icu one vip win bid loan men " +
  "work works zone center plus best cool wiki ink press review reviews reisen berlin hamburg koeln wien london paris " +
  "amsterdam brussels madrid barcelona roma tokyo nyc vegas miami boston moscow google amazon apple microsoft youtube";
const TLDS = new Set(`${COUNTRY_TLDS} ${GENERIC_TLDS}`.split(" "));

// Characters that a link may contain. Other scripts end it, so that text without spaces does not become part
// of it.
const LETTER = "a-z0-9\\u00c0-\\u00d6\\u00d8-\\u00f6\\u00f8-\\u024f\\u0400-\\u04ff";
const LABEL = `[${LETTER}](?:[${LETTER}_-]*[${LETTER}])?`;
const PATH_CHAR = `[${LETTER}!*';:=+,.$/%#\\[\\]\\-\\u2013_~@|&]`;
const PATH_END = `[${LETTER}=_#/+\\-]`;
const PATH = `(?:/(?:${PATH_CHAR}*(?:\\(${PATH_CHAR}*\\)${PATH_CHAR}*)*(?:${PATH_END}|\\(${PATH_CHAR}*\\)))?)?`;
const QUERY = "(?:\\?[a-z0-9!?*'@();:&=+$/%#\\[\\]\\-_.,~|]*[a-z0-9\\-_&=#/])?";
const CANDIDATE = new RegExp(
  `(?<![${LETTER}@＠$#＃_./-])(https?://)?((?:${LABEL}\\.)+([a-z]{2,63}))(?![${LETTER}_-]|\\.[${LETTER}]|@)(:\\d+)?(${PATH}${QUERY})`,
  "giu",
);

export interface FoundUrl {
  start: number;
  end: number;
  text: string;
}

/** The links that X would shorten: with or without a scheme, if the domain has a valid top-level domain. */
export function findUrls(text: string): FoundUrl[] {
  const found: FoundUrl[] = [];
  for (const match of text.matchAll(CANDIDATE)) {
    if (!TLDS.has((match[3] ?? "").toLowerCase())) continue;
    found.push({ start: match.index, end: match.index + match[0].length, text: match[0] });
  }
  return found;
}

const graphemes = new Intl.Segmenter("en", { granularity: "grapheme" });
// RGI_Emoji matches sequences of characters, which requires the `v` flag.
const EMOJI = /^\p{RGI_Emoji}$/v;

export function weightedLength(text: string): number {
  const normal = text.normalize("NFC");
  let length = 0;
  let at = 0;
  for (const url of findUrls(normal)) {
    length += plainLength(normal.slice(at, url.start)) + SHORT_URL;
    at = url.end;
  }
  return length + plainLength(normal.slice(at));
}

function plainLength(text: string): number {
  let length = 0;
  for (const { segment } of graphemes.segment(text)) {
    if (EMOJI.test(segment)) length += 2;
    else for (const char of segment) length += isLight(char.codePointAt(0) ?? 0) ? 1 : 2;
  }
  return length;
}

const isLight = (code: number) => LIGHT.some(([from, to]) => code >= from && code <= to);

export const cashtags = (text: string) =>
  text.match(/(?<![\p{L}\p{N}$])\$[a-z]{1,6}(?:[._][a-z]{1,2})?(?![\p{L}\p{N}])/giu) ?? [];

export const mentions = (text: string) =>
  [...text.matchAll(/(?<![\w@/])[@＠](\w{1,15})(?!\w|@)/g)].map((match) => (match[1] ?? "").toLowerCase());
