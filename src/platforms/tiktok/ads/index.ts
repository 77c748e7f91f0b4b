import type { Advertising } from "../../advertising.ts";
import { accounts, floor } from "./accounts.ts";
import { OBJECTS } from "./api.ts";
import { createObject, find } from "./create-object.ts";
import { eligibility, prepare } from "./rights.ts";
import { change, enable, pause, remove } from "./running.ts";
import { read } from "./standing.ts";
import { countries, interests, reach } from "./targeting.ts";
import { GOAL_OBJECTIVES } from "./terms.ts";

/**
 * Boosts as Spark Ads: the post itself is the ad, in the name of its account, with its likes and comments.
 * Login: login.ts. Audience: targeting.ts. Rights to the post: rights.ts. The three objects: making.ts and
 * terms.ts. Changes, status and results: running.ts, standing.ts, figures.ts. Facts with dates:
 * docs/platforms/tiktok.md.
 */
export const ads: Advertising = {
  types: ["post", "reel"],
  objects: OBJECTS,
  // How late lists are is not documented; repeats carry a key.
  lagSeconds: 600,
  mostADay: 1,
  changeable: new Set(["budget", "duration", "countries", "interests", "audience"]),
  objectives: GOAL_OBJECTIVES,
  accounts,
  eligibility,
  floor,
  countries,
  interests,
  reach,
  prepare,
  createObject,
  find,
  enable,
  pause,
  remove,
  change,
  read,
};
