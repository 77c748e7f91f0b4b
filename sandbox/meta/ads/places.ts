// Targeting options: countries, languages, interests, audiences.

// ISO 3166 without the countries that Meta does not serve (Cuba, Iran, North Korea, Syria, Russia).
const CODES =
  "AD AE AF AG AI AL AM AO AQ AR AS AT AU AW AX AZ BA BB BD BE BF BG BH BI BJ BL BM BN BO BQ BR BS BT BV BW BY BZ CA CC CD CF CG CH CI CK CL CM CN CO CR CV CW CX CY CZ DE DJ DK DM DO DZ EC EE EG EH ER ES ET FI FJ FK FM FO FR GA GB GD GE GF GG GH GI GL GM GN GP GQ GR GS GT GU GW GY HK HM HN HR HT HU ID IE IL IM IN IO IQ IS IT JE JM JO JP KE KG KH KI KM KN KR KW KY KZ LA LB LC LI LK LR LS LT LU LV LY MA MC MD ME MF MG MH MK ML MM MN MO MP MQ MR MS MT MU MV MW MX MY MZ NA NC NE NF NG NI NL NO NP NR NU NZ OM PA PE PF PG PH PK PL PM PN PR PS PT PW PY QA RE RO RS RW SA SB SC SD SE SG SH SI SJ SK SL SM SN SO SR SS ST SV SX SZ TC TD TF TG TH TJ TK TL TM TN TO TR TT TV TW TZ UA UG UM US UY UZ VA VC VE VG VI VN VU WF WS XK YE YT ZA ZM ZW";
export const COUNTRIES: readonly string[] = CODES.split(" ");

const EUROPEAN_UNION: readonly string[] =
  "AT BE BG CY CZ DE DK EE ES FI FR GR HR HU IE IT LT LU LV MT NL PL PT RO SE SI SK".split(" ");
/** Countries that require advertiser declarations, with ids that no API returns. */
const DECLARED: readonly string[] = ["TW", "SG"];
/** Countries with twice the minimum budget. */
const DEAR: readonly string[] = ["CH"];

export const isEuropean = (country: string) => EUROPEAN_UNION.includes(country);
export const isDeclared = (country: string) => DECLARED.includes(country);
export const isDear = (country: string) => DEAR.includes(country);

const names = new Intl.DisplayNames(["en"], { type: "region" });
export const countryName = (code: string) => names.of(code) ?? code;

/** Approximate number of adult users, in thousands. */
const PEOPLE: Readonly<Record<string, number>> = {
  US: 240_000,
  IN: 500_000,
  BR: 140_000,
  JP: 60_000,
  DE: 48_000,
  GB: 45_000,
  FR: 42_000,
  ES: 30_000,
  IT: 36_000,
  CH: 5400,
  AT: 5600,
};
export const peopleIn = (country: string) => 1000 * (PEOPLE[country] ?? 3000);

export interface Interest {
  id: string;
  name: string;
  topic: string;
  people: number;
}

const interest = (last: number, name: string, topic: string, people: number): Interest => ({
  id: String(6_003_000_000_000 + last),
  name,
  topic,
  people,
});
export const INTERESTS: readonly Interest[] = [
  interest(1, "Gardening", "Hobbies", 1_000_000),
  interest(2, "Garden design", "Hobbies", 240_000),
  interest(3, "Houseplant", "Hobbies", 520_000),
  interest(4, "Coffee", "Food and drink", 6_200_000),
  interest(5, "Coffeehouses", "Food and drink", 2_100_000),
  interest(6, "Espresso", "Food and drink", 880_000),
  interest(7, "Baking", "Food and drink", 3_400_000),
  interest(8, "Cycling", "Sports", 4_700_000),
  interest(9, "Mountain bikes", "Sports", 1_300_000),
  interest(10, "Running", "Sports", 3_900_000),
  interest(11, "Photography", "Hobbies", 5_600_000),
  interest(12, "Travel", "Lifestyle", 9_800_000),
  interest(13, "Sustainability", "Lifestyle", 1_700_000),
  interest(14, "Small business", "Business", 2_900_000),
  interest(15, "Online shopping", "Shopping", 8_300_000),
];

export const LOCALES: readonly { key: number; name: string }[] = [
  { key: 6, name: "English (US)" },
  { key: 24, name: "English (UK)" },
  { key: 5, name: "German" },
  { key: 9, name: "French (France)" },
  { key: 7, name: "Spanish (Spain)" },
  { key: 10, name: "Italian" },
  { key: 11, name: "Japanese" },
  { key: 16, name: "Portuguese (Brazil)" },
];

export interface Audience {
  id: string;
  accountId: string;
  name: string;
  people: number;
  /** Whether the required terms of the audience were accepted. */
  isAccepted: boolean;
}

export const AUDIENCES: readonly Audience[] = [
  {
    id: "23800000000000001",
    accountId: "330000000000001",
    name: "Visitors of the last month",
    people: 2400,
    isAccepted: true,
  },
  { id: "23800000000000002", accountId: "330000000000001", name: "Newsletter", people: 800, isAccepted: false },
  { id: "23800000000000003", accountId: "330000000000002", name: "Regulars", people: 1500, isAccepted: true },
];
