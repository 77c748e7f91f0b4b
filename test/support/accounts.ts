import { z } from "zod";
import type { PlatformName } from "../../src/platforms/names.ts";
import { sandbox } from "./sandbox.ts";

const Account = z.looseObject({ id: z.string() });
const Accounts = z.array(Account);

/** Ids of the accounts that the sandbox offers on a platform, in its order: the first ones may publish. */
export async function accountsOf(platform: PlatformName): Promise<readonly [first: string, ...others: string[]]> {
  const [first, ...others] = Accounts.parse(await sandbox.control("GET", `accounts?platform=${platform}`));
  if (!first) throw new Error(`The sandbox has no account on ${platform}.`);
  return [first.id, ...others.map(({ id }) => id)];
}

/** A further account there, that no other test has. */
export async function newAccount(platform: PlatformName): Promise<string> {
  return Account.parse(await sandbox.control("POST", "accounts", { platform, name: "Nobody Else" })).id;
}
