/**
 * Finds invitations to another app: "search evilpromo on Telegram", "tg: evil". The name of a messenger alone
 * counts, unless the owner's texts have it. Networks that ordinary answers mention count only next to a verb
 * that sends people there. Pure, and linear in the length of the texts.
 */
export function invitesOffPlatform(text: string, own: readonly string[]): boolean {
  const words = wordsOf(text);
  const known = appsIn(own.flatMap(wordsOf));
  const apps = appsIn(words);
  if ([...apps].some((app) => isMessenger(app) && !known.has(app))) return true;
  if (namesHandle(text) && !own.some(namesHandle)) return true;
  return apps.size > 0 && sentencesOf(text).some((sentence) => sendsAway(wordsOf(sentence), known, own));
}

/**
 * The most words between a verb and the name of a network. In German and Turkish the verb follows the name.
 */
const MOST_BETWEEN = 8;
const MOST_BEHIND = 2;

function sendsAway(words: readonly string[], known: ReadonlySet<string>, own: readonly string[]): boolean {
  let ownWords: ReadonlySet<string> | null = null;
  return words.some((word, at) => {
    const app = appOf(word);
    if (app === null) return false;
    const from = Math.max(0, at - MOST_BETWEEN);
    const before = words.slice(from, at);
    const behind = words.slice(at + 1, at + 1 + MOST_BEHIND);
    if (!known.has(app)) return [...before, ...behind].some((one) => GO.has(one));
    // A network that the owner's own texts name counts only together with a search for a name that is not
    // the owner's.
    const search = before.findLastIndex((one) => SEARCH.has(one));
    if (search < 0) return false;
    ownWords ??= new Set(own.flatMap(wordsOf));
    return before.slice(search + 1).some((one) => !PLAIN.has(one) && !ownWords?.has(one));
  });
}

function wordsOf(text: string): string[] {
  return text.toLowerCase().match(/[\p{L}\p{N}\p{M}]+/gu) ?? [];
}

function sentencesOf(text: string): string[] {
  return text.split(/[.!?。！？\n]+/u);
}

const list = (words: string): ReadonlySet<string> => new Set(words.split(/\s+/).filter((word) => word !== ""));

const MESSENGERS: readonly (readonly [app: string, pattern: RegExp])[] = [
  [
    "telegram",
    /^(?:telegram\p{L}*|tele?gr[ao]m\p{L}*|телегр\p{L}*|телег[аеуи]|тг|tg|تلگرام|ت[يلغج]+رام|טלגרם)$|电报|電報|纸飞机|テレグラム|텔레그램|टेलीग्राम|เทเลแกรม/u,
  ],
  [
    "whatsapp",
    /^(?:whats?app\p{L}*|wh?atsap+|wsp|wapp|в[ао](?:тс|ц)ап\p{L}*|واتس\p{L}*|ו+א?טסאפ)$|व्हाट्सएप|ワッツアップ|왓츠앱/u,
  ],
  ["viber", /^(?:viber|вайбер\p{L}*)$/u],
  ["wechat", /^(?:wechat|weixin)$|微信|威信|薇信/u],
  ["discord", /^(?:discord|дискорд\p{L}*)$|ディスコード|디스코드/u],
  ["snapchat", /^snapchat$/u],
  ["skype", /^(?:skype|скайп\p{L}*)$/u],
  ["kakaotalk", /^kakaotalk$|카카오톡|카톡/u],
  ["others", /^(?:threema|zalo|icq|onlyfans|cashapp|wickr)$/u],
];

const NETWORKS: Readonly<Record<string, string>> = {
  instagram: "instagram insta ig инстаграм инстаграме инста инсте",
  facebook: "facebook fb фейсбук фейсбуке",
  tiktok: "tiktok tt тикток тиктоке",
  youtube: "youtube yt ютуб ютубе",
  x: "twitter x твиттер твиттере",
  linkedin: "linkedin",
  threads: "threads",
  vk: "vk вк вконтакте",
  reddit: "reddit",
  pinterest: "pinterest",
  twitch: "twitch",
  signal: "signal",
  line: "line ライン",
  google: "google гугле яндексе yandex bing",
  shops: "etsy ebay amazon alibaba aliexpress temu",
  patreon: "patreon substack kik snap messenger matrix",
};
const NETWORK_OF = new Map(
  Object.entries(NETWORKS).flatMap(([app, names]) => names.split(" ").map((name) => [name, app] as const)),
);

function appsIn(words: readonly string[]): ReadonlySet<string> {
  return new Set([...new Set(words)].flatMap((word) => appOf(word) ?? []));
}

/** The app that a word names; all words of one app count as the same. */
function appOf(word: string): string | null {
  return NETWORK_OF.get(word) ?? MESSENGERS.find(([, pattern]) => pattern.test(word))?.[0] ?? null;
}

function isMessenger(app: string): boolean {
  return MESSENGERS.some(([name]) => name === app);
}

/** A network and a handle: "ig: evil", "Telegram - evil", "vx 号：evil". */
function namesHandle(text: string): boolean {
  return HANDLE.test(text.toLowerCase());
}
const HANDLE =
  /(?<![\p{L}\p{N}])(?:ig|insta|instagram|tg|tele|wa|fb|yt|snap|sc|vx|kik|line|signal|discord|тг|инста|вк)(?: ?(?:id|name|user|handle|号))? ?[:：=→>] ?[\p{L}\p{N}@]/u;

const SEARCH = list(`
  search searching google lookup look such suche sucht suchen busca busque buscar buscad procure procura procurar cherche cherchez chercher
  cerca cercate cercare zoek szukaj wyszukaj ara arat ищи ищите поищи поищите найди найдите загугли cari tìm`);
const GO = new Set([
  ...SEARCH,
  ...list(`
  find follow add join message dm text write contact ping hit visit check subscribe reach
  finde findest findet folge folgt schreib schreibe schreibt abonniere besuche
  encuentra encuéntrame búscame sigue sígueme escribe escríbeme agrega agrégame únete visita
  siga segue chame chama encontre escreva adicione visite
  trouve trouvez suis suivez écris écrivez ajoute ajoutez rejoins rejoignez contactez
  trova segui scrivi aggiungi seguici vind volg schrijf znajdź napisz dodaj obserwuj bul takip yaz ekle
  пиши пишите напиши напишите подпишись подпишитесь добавь добавьте заходи заходите пишіть знайди`),
]);
/** Words between verb and name that name nothing. */
const PLAIN = list(`
  us our me my more all everything anything answers details info information news the a an it them this that these your you for and or
  on in at via by to of from with page channel account profile team shop store up
  uns unser unsere unseren mehr alles nach auf bei über im den die das der und oder kanal seite
  nos nosotros nuestro nuestra más todo en por el la los las y canal página
  nós nosso nossa mais tudo no na o os as e um uma
  nous notre plus tout sur le les et chaîne chez dans
  нас наш нашу наш канал в на во и все всё больше`);
