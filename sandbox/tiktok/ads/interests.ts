// Interests for targeting: a category tree and keywords.

export interface Interest {
  readonly id: string;
  readonly name: string;
  readonly level: number;
  readonly parentId: string | null;
}

type Tree = { readonly [name: string]: Tree };

const TREE: Tree = {
  "Food & Beverage": {
    Bakery: { Bread: { Sourdough: {} }, "Cakes & Pastries": {} },
    "Coffee & Tea": { "Specialty Coffee": {} },
    Restaurants: {},
  },
  "Sports & Outdoor": { Cycling: { "Mountain Biking": {}, "Road Cycling": {} }, Fitness: { Yoga: {} }, Camping: {} },
  "Home Improvement": { Furniture: { "Wooden Furniture": {} }, Gardening: { "Indoor Plants": {} }, Decoration: {} },
  "Apparel & Accessories": { "Women's Clothing": {}, "Men's Clothing": {}, Shoes: {}, Jewelry: {} },
  "Beauty & Personal Care": { Skincare: {}, Makeup: {}, "Hair Care": {} },
  "Tech & Electronics": { Smartphones: {}, Computers: {}, Photography: {} },
  "News & Entertainment": { Music: {}, Movies: {}, Comedy: {} },
  Travel: { Hotels: {}, Flights: {}, "City Trips": {} },
  Education: { Languages: {}, "Online Courses": {} },
  Pets: { Dogs: {}, Cats: {} },
};

/** Top-level ids are `10`, `11`, …; each level below adds three digits. */
function listed(tree: Tree, parent: Interest | null): Interest[] {
  return Object.entries(tree).flatMap(([name, below], index) => {
    const id = parent ? `${parent.id}${String(index + 1).padStart(3, "0")}` : String(10 + index);
    const interest = { id, name, level: (parent?.level ?? 0) + 1, parentId: parent?.id ?? null };
    return [interest, ...listed(below, interest)];
  });
}

export const INTERESTS: readonly Interest[] = listed(TREE, null);

const KNOWN = new Set(INTERESTS.map(({ id }) => id));
export const isInterest = (id: string): boolean => KNOWN.has(id);

export const interestView = ({ id, name, level }: Interest) => ({
  interest_category_id: id,
  interest_category_name: name,
  level,
  sub_category_ids: INTERESTS.filter(({ parentId }) => parentId === id).map((below) => below.id),
  placements: ["PLACEMENT_TIKTOK"],
  special_industries: [],
});

/** Each category name is also a keyword, with an id of its own. */
const keywordIdOf = ({ id }: Interest): string => `6869${id.padEnd(15, "0")}`;
const KEYWORD_IDS = new Set(INTERESTS.map(keywordIdOf));
export const isKeyword = (id: string): boolean => KEYWORD_IDS.has(id);

export const keywordsLike = (text: string) =>
  INTERESTS.filter(({ name }) => name.toLowerCase().includes(text.toLowerCase())).map((interest) => ({
    keyword_id: keywordIdOf(interest),
    keyword: interest.name.toLowerCase(),
    status: "EFFECTIVE",
  }));
