// Targeting regions: countries, some with regions and cities, by the GeoNames ids that TikTok uses.

export interface Region {
  readonly id: string;
  readonly name: string;
  readonly parentId: string;
  readonly country: string;
  readonly level: "COUNTRY" | "PROVINCE" | "CITY";
  /** Adult population, in thousands. */
  readonly people: number;
}

/** Code, id, name, adult population in thousands. */
const COUNTRIES: readonly (readonly [string, string, string, number])[] = [
  ["US", "6252001", "United States", 150_000],
  ["CA", "6251999", "Canada", 14_000],
  ["MX", "3996063", "Mexico", 70_000],
  ["BR", "3469034", "Brazil", 95_000],
  ["AR", "3865483", "Argentina", 20_000],
  ["CL", "3895114", "Chile", 12_000],
  ["CO", "3686110", "Colombia", 28_000],
  ["PE", "3932488", "Peru", 18_000],
  ["GB", "2635167", "United Kingdom", 23_000],
  ["IE", "2963597", "Ireland", 2_200],
  ["FR", "3017382", "France", 22_000],
  ["DE", "2921044", "Germany", 21_000],
  ["IT", "3175395", "Italy", 20_000],
  ["ES", "2510769", "Spain", 18_500],
  ["PT", "2264397", "Portugal", 3_500],
  ["NL", "2750405", "Netherlands", 6_000],
  ["BE", "2802361", "Belgium", 4_000],
  ["AT", "2782113", "Austria", 2_200],
  ["CH", "2658434", "Switzerland", 2_300],
  ["SE", "2661886", "Sweden", 3_600],
  ["NO", "3144096", "Norway", 1_900],
  ["DK", "2623032", "Denmark", 1_700],
  ["FI", "660013", "Finland", 1_800],
  ["PL", "798544", "Poland", 11_000],
  ["CZ", "3077311", "Czechia", 2_600],
  ["HU", "719819", "Hungary", 3_000],
  ["RO", "798549", "Romania", 8_500],
  ["GR", "390903", "Greece", 4_000],
  ["TR", "298795", "Turkey", 37_000],
  ["IL", "294640", "Israel", 3_600],
  ["AE", "290557", "United Arab Emirates", 9_000],
  ["SA", "102358", "Saudi Arabia", 34_000],
  ["EG", "357994", "Egypt", 33_000],
  ["MA", "2542007", "Morocco", 15_000],
  ["ZA", "953987", "South Africa", 17_000],
  ["JP", "1861060", "Japan", 27_000],
  ["KR", "1835841", "South Korea", 7_500],
  ["TW", "1668284", "Taiwan", 6_500],
  ["SG", "1880251", "Singapore", 3_000],
  ["MY", "1733045", "Malaysia", 19_000],
  ["TH", "1605651", "Thailand", 44_000],
  ["VN", "1562822", "Vietnam", 67_000],
  ["PH", "1694008", "Philippines", 49_000],
  ["ID", "1643084", "Indonesia", 108_000],
  ["AU", "2077456", "Australia", 9_700],
  ["NZ", "2186224", "New Zealand", 1_900],
];

/** Id, name, id of the parent, adult population in thousands. */
const PROVINCES: readonly (readonly [string, string, string, number])[] = [
  ["5332921", "California", "6252001", 18_000],
  ["5128638", "New York", "6252001", 9_000],
  ["4736286", "Texas", "6252001", 14_000],
  ["6093943", "Ontario", "6251999", 5_500],
  ["3012874", "Île-de-France", "3017382", 4_500],
  ["11071625", "Auvergne-Rhône-Alpes", "3017382", 2_600],
  ["2950157", "Land Berlin", "2921044", 1_200],
  ["2951839", "Bavaria", "2921044", 3_200],
  ["6269131", "England", "2635167", 19_000],
  ["1850144", "Tokyo", "1861060", 3_600],
];
const CITIES: typeof PROVINCES = [
  ["5368361", "Los Angeles", "5332921", 4_000],
  ["5391959", "San Francisco", "5332921", 900],
  ["5128581", "New York City", "5128638", 5_000],
  ["6167865", "Toronto", "6093943", 1_900],
  ["2988507", "Paris", "3012874", 1_400],
  ["2996944", "Lyon", "11071625", 400],
  ["2867714", "Munich", "2951839", 600],
  ["2643743", "London", "6269131", 3_800],
];

/**
 * Regions that forbid targeting under 18: the United States, Canada, the UK, Switzerland, the EEA and Latin
 * America.
 */
const ADULTS_ONLY = new Set(
  "US CA MX BR AR CL CO PE GB IE FR DE IT ES PT NL BE AT CH SE NO DK FI PL CZ HU RO GR".split(" "),
);

const countries = COUNTRIES.map(
  ([country, id, name, people]): Region => ({ id, name, parentId: "0", country, level: "COUNTRY", people }),
);

function within(
  parents: readonly Region[],
  level: Region["level"],
  [id, name, parentId, people]: (typeof PROVINCES)[number],
): Region {
  const country = parents.find((parent) => parent.id === parentId)?.country ?? "";
  return { id, name, parentId, country, level, people };
}
const provinces = PROVINCES.map((row) => within(countries, "PROVINCE", row));
const cities = CITIES.map((row) => within(provinces, "CITY", row));

export const REGIONS: readonly Region[] = [...countries, ...provinces, ...cities];

const BY_ID = new Map(REGIONS.map((region) => [region.id, region]));
export const findRegion = (id: string): Region | undefined => BY_ID.get(id);

const childrenOf = ({ id }: Region): Region[] => REGIONS.filter(({ parentId }) => parentId === id);

/** The parent regions, from the nearest to the farthest. */
export function aboveOf(region: Region): Region[] {
  const parent = findRegion(region.parentId);
  return parent ? [parent, ...aboveOf(parent)] : [];
}

export const takesMinors = ({ country }: Region): boolean => !ADULTS_ONLY.has(country);

export const regionView = (region: Region) => ({
  location_id: region.id,
  name: region.name,
  parent_id: region.parentId,
  region_code: region.country,
  country_code: region.country,
  level: region.level,
  area_type: "ADMIN",
  next_level_ids: childrenOf(region).map(({ id }) => id),
  support_below_18: takesMinors(region),
});
