import { and, eq } from "drizzle-orm";
import type { PersonId } from "../core/ids.ts";
import { type Db, isUniqueViolation } from "../db/client.ts";
import type { Deps } from "../service/deps.ts";
import type { Identity } from "./provider.ts";
import { type Entered, enter } from "./sign-up.ts";
import { identitiesTable } from "./table.ts";

/** `not_admitted`: the address has no account and may not create one, or its account has another identity. */
export type EnteredByIdentity = Entered | "no_address" | "not_admitted";

/**
 * The account of a person at the provider. The provider's subject decides: a person who gets the e-mail
 * address later, there or here, does not get the account. A new identity is linked by its verified address.
 */
export async function enterByIdentity(
  { directory: db, config }: Deps,
  identity: Identity,
  invitationHash: string | null,
  now: number,
): Promise<EnteredByIdentity> {
  const known = await personOf(db, identity);
  if (known !== null) return { personId: known, projectId: null };
  if (identity.email === null) return "no_address";
  const entered = await enter(db, config.signUp, { email: identity.email, invitationHash }, now);
  if (entered === null) return "not_admitted";
  const { issuer, subject } = identity;
  try {
    await db.insert(identitiesTable).values({ issuer, subject, personId: entered.personId, createdAt: now });
    return entered;
  } catch (error) {
    if (!isUniqueViolation(error, "identities")) throw error;
    // Another callback of the same person may have linked it at the same moment.
    return (await personOf(db, identity)) === entered.personId ? entered : "not_admitted";
  }
}

async function personOf(db: Db, { issuer, subject }: Identity): Promise<PersonId | null> {
  const [identity] = await db
    .select({ personId: identitiesTable.personId })
    .from(identitiesTable)
    .where(and(eq(identitiesTable.issuer, issuer), eq(identitiesTable.subject, subject)));
  return identity?.personId ?? null;
}
