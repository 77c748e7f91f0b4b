import { and, eq, gt, isNull, lt, or, sql } from "drizzle-orm";
import type { AccessRequestId, PersonId, ProjectId, TokenId } from "../core/ids.ts";
import type { Permission } from "../core/permissions.ts";
import { HOUR, MINUTE, SECOND } from "../core/time.ts";
import { randomBase62, sha256Hex } from "../core/tokens.ts";
import { countUse, hasRoom } from "../db/allowances.ts";
import { type Db, writeTogether } from "../db/client.ts";
import { type Expired, someOf } from "../db/expired.ts";
import { insertWhere } from "../db/insert-where.ts";
import { isOwner } from "../people/members.ts";
import type { Deps } from "../service/deps.ts";
import { isSealedRequest, openSealedRequest, type SealedRequest } from "./sealed-request.ts";
import { accessRequestsTable as table } from "./table.ts";

/**
 * Requests of terminals (RFC 8628) and apps (OAuth 2.1) for an access token of a project. `pending` until a
 * person allows or denies it on its page in the console; `redeemed` when the client has its token. A request
 * lives ten minutes, and is redeemed once. That of an app is stored with the person's answer
 * (sealed-request.ts); that of a terminal at once, because its code is too short to hold it.
 */
export const REQUEST_LIFE_MS = 10 * MINUTE;
/** An app exchanges its code at once. */
const CODE_LIFE_MS = MINUTE;
export const POLL_SECONDS = 5;

/** In an hour: an IPv4 address or a whole IPv6 /48; and a provider's network, a /16 or a /32. */
const MAX_OF_NETWORK = 60;
const MAX_OF_REGION = 1_000;
/** No more at a time: few codes are valid, and the table stays small. */
const MAX_OPEN = 10_000;
/** A person answers no more in an hour. */
const MAX_ANSWERS = 60;
const SECRET_LENGTH = 43;

export const newSecret = (): string => randomBase62(SECRET_LENGTH);

export type AccessRequest = typeof table.$inferSelect;
export type NewTerminal = Pick<
  AccessRequest,
  "userCodeHash" | "codeHash" | "clientHash" | "clientName" | "network" | "region" | "origin" | "requested"
>;

const NEW = { intervalSeconds: POLL_SECONDS, isTooSoon: false } as const;

/** Stores the request of a terminal. False if too many are open. */
export async function insertTerminal(db: Db, request: NewTerminal, now: number): Promise<boolean> {
  const { network, region } = request;
  const row = {
    ...request,
    ...NEW,
    kind: "terminal",
    id: sql`NULL`,
    state: "pending",
    createdAt: now,
    expiresAt: now + REQUEST_LIFE_MS,
  } as const;
  const opened = (column: "network" | "region", value: string) =>
    sql`(SELECT count(*) FROM access_requests WHERE ${sql.identifier(column)} = ${value} AND created_at > ${now - HOUR})`;
  const hasRoomLeft = sql`coalesce((SELECT max(id) FROM access_requests) - (SELECT min(id) FROM access_requests), 0)
      < ${MAX_OPEN}
    AND (${network} = '' OR (${opened("network", network)} < ${MAX_OF_NETWORK}
      AND ${opened("region", region)} < ${MAX_OF_REGION}))`;
  return (await insertWhere(db, table, row, hasRoomLeft).returning({ id: table.id })).length > 0;
}

/**
 * Gives the request of a terminal to the person who entered its code; null if there is none, or another
 * person was first. The secret of its page is returned.
 */
export async function claimRequest(
  db: Db,
  userCodeHash: string,
  personId: PersonId,
  now: number,
): Promise<string | null> {
  const secret = newSecret();
  const claimed = await db
    .update(table)
    .set({ pageHash: await sha256Hex(secret), personId })
    .where(and(eq(table.userCodeHash, userCodeHash), isOpenFor(personId, now)))
    .returning({ id: table.id });
  return claimed.length > 0 ? secret : null;
}

/** A request that waits for its answer: of a terminal, which is stored; or of an app, which is not yet. */
export type OpenRequest = Pick<
  AccessRequest,
  "kind" | "clientName" | "redirectUri" | "clientState" | "origin" | "requested" | "createdAt"
> &
  ({ readonly id: AccessRequestId } | { readonly sealed: SealedRequest; readonly pageHash: string });

/** Null if it was answered, has expired, or is another person's. */
export async function findRequest(
  { directory: db, sealer }: Pick<Deps, "directory" | "sealer">,
  secret: string,
  personId: PersonId,
  now: number,
): Promise<OpenRequest | null> {
  const pageHash = await sha256Hex(secret);
  const isThis = eq(table.pageHash, pageHash);
  if (isSealedRequest(secret)) {
    const sealed = await openSealedRequest(sealer, secret, now);
    if (!sealed) return null;
    const answered = await db.select({ id: table.id }).from(table).where(isThis);
    const createdAt = sealed.expiresAt - REQUEST_LIFE_MS;
    return answered.length === 0 ? { ...sealed, kind: "app", sealed, pageHash, createdAt } : null;
  }
  const [request] = await db
    .select()
    .from(table)
    .where(and(isThis, isOpenFor(personId, now)));
  return request ?? null;
}

const isOpenFor = (personId: PersonId, now: number) =>
  and(eq(table.state, "pending"), gt(table.expiresAt, now), or(isNull(table.personId), eq(table.personId, personId)));

export type RequestAnswer = { readonly personId: PersonId } & (
  | { readonly state: "denied" }
  | {
      readonly state: "allowed";
      readonly projectId: ProjectId;
      readonly createdBy: string;
      readonly permissions: readonly Permission[];
      readonly tokenExpiresAt: number | null;
      /** The new code of an app; a terminal keeps the one that it has. */
      readonly codeHash: string | null;
    }
);

/** Of two concurrent answers one counts; false for the other, and for a person with too many in an hour. */
export async function answerRequest(
  db: Db,
  request: OpenRequest,
  answer: RequestAnswer,
  now: number,
): Promise<boolean> {
  const { codeHash, ...row } = { codeHash: null, ...answer };
  const code = codeHash === null ? {} : { codeHash, expiresAt: now + CODE_LIFE_MS };
  if ("sealed" in request) return insertAnswered(db, request, { ...row, ...code }, now);
  const answered = await db
    .update(table)
    .set({ ...row, ...code })
    .where(and(eq(table.id, request.id), isOpenFor(answer.personId, now)))
    .returning({ id: table.id });
  return answered.length > 0;
}

/** The first row of an app's request: its answer. */
async function insertAnswered(
  db: Db,
  { sealed, pageHash }: Extract<OpenRequest, { readonly pageHash: string }>,
  answer: { readonly personId: PersonId; readonly state: "allowed" | "denied" },
  now: number,
): Promise<boolean> {
  const answers = { key: `access-answers:${answer.personId}`, most: MAX_ANSWERS, windowMs: HOUR };
  const row = {
    ...sealed,
    ...NEW,
    kind: "app",
    id: sql`NULL`,
    pageHash,
    network: "",
    region: "",
    createdAt: now,
  } as const;
  const mayAnswer = sql`${sealed.expiresAt} > ${now} AND ${hasRoom(answers, now)}`;
  const { inserted } = await writeTogether(db, {
    inserted: insertWhere(db, table, { ...row, ...answer }, mayAnswer)
      .onConflictDoNothing()
      .returning({ id: table.id }),
    counted: countUse(db, answers, now, sql`changes() > 0`),
  });
  return inserted.length > 0;
}

/** Notes the poll of a terminal. Polls that come too soon lengthen the interval (RFC 8628, 3.5). */
export async function notePoll(
  db: Db,
  codeHash: string,
  clientHash: string,
  now: number,
): Promise<AccessRequest | null> {
  const isTooSoon = sql<boolean>`coalesce(${table.polledAt}, 0) + ${table.intervalSeconds} * ${SECOND} > ${now}`;
  const isThis = and(eq(table.kind, "terminal"), eq(table.codeHash, codeHash), eq(table.clientHash, clientHash));
  const [request] = await db
    .update(table)
    .set({
      isTooSoon,
      intervalSeconds: sql`${table.intervalSeconds} + CASE WHEN ${isTooSoon} THEN ${POLL_SECONDS} ELSE 0 END`,
      polledAt: now,
    })
    .where(isThis)
    .returning();
  return request ?? null;
}

/** The request whose code an app exchanges, in whichever state it is. */
export async function findByCode(db: Db, codeHash: string, clientHash: string): Promise<AccessRequest | null> {
  const isThis = and(eq(table.kind, "app"), eq(table.codeHash, codeHash), eq(table.clientHash, clientHash));
  const [request] = await db.select().from(table).where(isThis);
  return request ?? null;
}

/** Once; false for the second call, and if the person is not an owner of the project any more. */
export async function markRedeemed(db: Db, id: AccessRequestId, now: number): Promise<boolean> {
  const redeemed = await db
    .update(table)
    .set({ state: "redeemed" })
    .where(
      and(
        eq(table.id, id),
        eq(table.state, "allowed"),
        gt(table.expiresAt, now),
        isOwner(table.personId, table.projectId),
      ),
    )
    .returning({ id: table.id });
  return redeemed.length > 0;
}

export async function noteToken(db: Db, id: AccessRequestId, tokenId: TokenId): Promise<void> {
  await db.update(table).set({ tokenId }).where(eq(table.id, id));
}

/** They stay an hour, because they are counted. */
export const expiredAccessRequests = (now: number, limit: number): Expired => ({
  table,
  where: someOf(table, lt(table.expiresAt, now - HOUR), limit),
});
