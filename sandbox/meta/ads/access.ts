// Authorization of Marketing API calls: user tokens only, the ads scopes, and a role on the ad account.

import type { Operation } from "../../faults";
import type { Misbehaviour } from "../../operation";
import type { Sandbox } from "../../sandbox";
import { GraphError, missingObject } from "../errors";
import type { GraphContext } from "../params";
import { type GraphToken, requireScopes } from "../tokens";
import { type AdAccount, findAdAccount } from "./accounts";
import { type AdsPlatform, kindOf } from "./store";
import { countPoints, type Load, rateLimited } from "./usage";

/** A Page of the login, with its linked Instagram account. */
export interface PromotablePage {
  id: string;
  name: string;
  tasks: readonly string[];
  instagram: { id: string; username: string } | null;
}

export interface Person {
  token: GraphToken;
  /** The Pages that the login covers. */
  pages: readonly PromotablePage[];
}

/** What an app provides to the Marketing API, which all apps share. */
export interface AdsApp {
  readonly platform: AdsPlatform;
  readonly misbehaviour: Misbehaviour<GraphContext>;
  /** The user of the call; rejects tokens that are not user tokens. */
  person(c: GraphContext): Promise<Person>;
  /** Whether lists return short pages. */
  isShort(): boolean;
}

export interface AdsWorld {
  readonly sandbox: Sandbox;
  readonly app: AdsApp;
}

const NO_ROLE =
  "(#200) Ad account owner has NOT grant ads_management or ads_read permission, or the person has no role that allows this.";

/** A user who may read ads. */
export async function looker({ app }: AdsWorld, c: GraphContext): Promise<Person> {
  const person = await app.person(c);
  const { scopes } = person.token;
  if (!scopes.includes("ads_read")) requireScopes(person.token, "ads_management");
  return person;
}

/** An object that a call names, and its ad account. */
export interface Target {
  id: string;
  accountId: string;
}

interface Access {
  person: Person;
  account: AdAccount;
}

/** Authorizes a read of an object in an ad account. */
export async function reading(
  world: AdsWorld,
  c: GraphContext,
  accountId: string,
  load: Load = "ads_management",
): Promise<Access> {
  const person = await looker(world, c);
  const account = accountNamed(world, c, accountId);
  countPoints(world.sandbox, c, { platform: world.app.platform, accountId: account.id, load }, 1);
  return { person, account };
}

/** Authorizes a create, update or delete in an ad account. */
export async function writing(world: AdsWorld, c: GraphContext, accountId: string): Promise<Access> {
  const { app, sandbox } = world;
  const person = await app.person(c);
  if (!person.token.scopes.includes("ads_management")) {
    const message =
      "(#294) Managing advertisements requires an access token with the extended permission for ads_management";
    throw new GraphError(294, message);
  }
  const account = accountNamed(world, c, accountId);
  if (!account.tasks.includes("ADVERTISE")) throw new GraphError(200, NO_ROLE);
  countPoints(sandbox, c, { platform: app.platform, accountId: account.id, load: "ads_management" }, 3);
  return { person, account };
}

function accountNamed({ sandbox }: AdsWorld, c: GraphContext, id: string): AdAccount {
  const account = findAdAccount(sandbox, id);
  if (!account) throw missingObject(id, c.req.method.toLowerCase());
  return account;
}

/** Rejects new objects in an ad account that cannot run ads. */
export function requireOpen({ status }: AdAccount): void {
  if (status === 1 || status === 3 || status === 9) return;
  throw new GraphError(368, "The action attempted has been deemed abusive or is otherwise disallowed", {
    userTitle: "Ad account disabled",
    userMessage: "This ad account is disabled or closed. Open Account Quality to see why, or choose another one.",
  });
}

/** How a Marketing API call responds to a fault. */
export function adsMisbehaviour({ sandbox, app }: AdsWorld): Misbehaviour<GraphContext> {
  return {
    ...app.misbehaviour,
    outage: () => {
      const message = "An unexpected error has occurred. Please retry your request later.";
      return new GraphError(2, message).toResponse();
    },
    rateLimited: (c) => {
      const id = c.req.param("id") ?? "";
      const account = c.req.param("act") ?? kindOf(sandbox, id)?.accountId ?? "0";
      const load: Load = LOADS[c.env.call.operation ?? "ads"] ?? "ads_management";
      return rateLimited(sandbox, { platform: app.platform, accountId: account.replace(/^act_/, ""), load });
    },
  };
}

const LOADS: Partial<Record<Operation, Load>> = { ads_insights: "ads_insights" };
