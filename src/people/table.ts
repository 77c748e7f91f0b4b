import { index, integer, primaryKey, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";
import { projectsTable } from "../accounts/table.ts";
import type { InvitationId, PasskeyId, PersonId, ProjectId, SessionId } from "../core/ids.ts";
import { instant } from "../db/columns.ts";
import { DIGESTS } from "./digest-choices.ts";
import type { Role } from "./roles.ts";

/**
 * Who uses the console. No query joins these tables with posts, bots or campaigns: they belong to the
 * directory, which may be in another database than the content of projects.
 */
export const peopleTable = sqliteTable("people", {
  id: integer("id").$type<PersonId>().primaryKey({ autoIncrement: true }),
  /** In lower case. */
  email: text("email").notNull().unique(),
  /** Of the console's texts; null: as the browser asks. */
  language: text("language"),
  /** Codes of terminals that the person entered since that time (code-attempts.ts). */
  codeAttempts: integer("code_attempts").notNull().default(0),
  codeAttemptsSince: instant("code_attempts_since"),
  createdAt: instant("created_at").notNull(),
});

/** A signed-in browser. The cookie is not stored, only its hash. */
export const sessionsTable = sqliteTable(
  "sessions",
  {
    id: integer("id").$type<SessionId>().primaryKey({ autoIncrement: true }),
    hash: text("hash").notNull().unique(),
    personId: integer("person_id")
      .$type<PersonId>()
      .notNull()
      .references(() => peopleTable.id),
    device: text("device").notNull(),
    place: text("place").notNull(),
    createdAt: instant("created_at").notNull(),
    /** To within an hour. */
    lastSeenAt: instant("last_seen_at").notNull(),
    /** 90 days after the sign-in, or 30 days after it was last seen. */
    expiresAt: instant("expires_at").notNull(),
  },
  (table) => [index("sessions_by_person").on(table.personId, table.id), index("sessions_expiry").on(table.expiresAt)],
);

/** A code that was sent by e-mail, for one browser. The newest one of a browser counts. */
export const signInCodesTable = sqliteTable(
  "sign_in_codes",
  {
    id: integer("id").primaryKey({ autoIncrement: true }),
    /** Hash of the browser's cookie. */
    browserHash: text("browser_hash").notNull(),
    email: text("email").notNull(),
    /** Of where the request came from, to limit how many codes one network requests; empty if unknown. */
    network: text("network").notNull(),
    /** The same of the wider network. */
    site: text("site").notNull(),
    /** Whether the browser has signed in to the account before. */
    isKnown: integer("is_known", { mode: "boolean" }).notNull(),
    /** Null if this address may not sign in: no code matches, and the page looks the same. */
    codeHash: text("code_hash"),
    /** Of the invitation link from which the browser continues; null without one. */
    invitationHash: text("invitation_hash"),
    attempts: integer("attempts").notNull(),
    /** When it signed in; null for one that has not. */
    usedAt: instant("used_at"),
    createdAt: instant("created_at").notNull(),
    expiresAt: instant("expires_at").notNull(),
  },
  (table) => [
    index("sign_in_codes_by_browser").on(table.browserHash, table.id),
    index("sign_in_codes_by_email").on(table.email, table.createdAt),
    index("sign_in_codes_by_network").on(table.network, table.createdAt),
    index("sign_in_codes_by_site").on(table.site, table.createdAt),
    index("sign_in_codes_age").on(table.createdAt),
  ],
);

/** A link that the operator created, which signs in once. */
export const signInLinksTable = sqliteTable(
  "sign_in_links",
  {
    hash: text("hash").primaryKey(),
    personId: integer("person_id")
      .$type<PersonId>()
      .notNull()
      .references(() => peopleTable.id),
    /** The page of this project opens afterwards. */
    projectId: integer("project_id").$type<ProjectId>(),
    expiresAt: instant("expires_at").notNull(),
  },
  (table) => [index("sign_in_links_expiry").on(table.expiresAt), index("sign_in_links_of").on(table.personId)],
);

/** A key of a person's device or password manager, which signs in without an e-mail address. */
export const passkeysTable = sqliteTable(
  "passkeys",
  {
    id: integer("id").$type<PasskeyId>().primaryKey({ autoIncrement: true }),
    personId: integer("person_id")
      .$type<PersonId>()
      .notNull()
      .references(() => peopleTable.id),
    /** The authenticator's id of the key, in base64url. */
    credentialId: text("credential_id").notNull().unique(),
    /** COSE, in base64url. */
    publicKey: text("public_key").notNull(),
    /** How often it signed, by its own count; many authenticators always say 0. */
    counter: integer("counter").notNull(),
    name: text("name").notNull(),
    createdAt: instant("created_at").notNull(),
    lastUsedAt: instant("last_used_at"),
  },
  (table) => [index("passkeys_by_person").on(table.personId, table.id)],
);

/** Who a person is at an OpenID Connect provider. Each has one subject there, whatever the e-mail address. */
export const identitiesTable = sqliteTable(
  "identities",
  {
    issuer: text("issuer").notNull(),
    subject: text("subject").notNull(),
    personId: integer("person_id")
      .$type<PersonId>()
      .notNull()
      .references(() => peopleTable.id),
    createdAt: instant("created_at").notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.issuer, table.subject] }),
    uniqueIndex("identities_by_person").on(table.personId, table.issuer),
  ],
);

/** Challenges that a passkey has answered, and states with which a provider has: each counts once. */
export const usedChallengesTable = sqliteTable(
  "used_challenges",
  {
    hash: text("hash").primaryKey(),
    /** When the challenge expires anyway. */
    expiresAt: instant("expires_at").notNull(),
  },
  (table) => [index("used_challenges_expiry").on(table.expiresAt)],
);

export const membershipsTable = sqliteTable(
  "memberships",
  {
    personId: integer("person_id")
      .$type<PersonId>()
      .notNull()
      .references(() => peopleTable.id),
    projectId: integer("project_id")
      .$type<ProjectId>()
      .notNull()
      .references(() => projectsTable.id),
    role: text("role").$type<Role>().notNull(),
    /** Of failures and expiring channels, by e-mail. */
    digest: text("digest", { enum: DIGESTS }).notNull().default("off"),
    /** The last day, in the project's zone, whose digest was sent: `YYYY-MM-DD`. */
    digestSentOn: text("digest_sent_on"),
    /** Until when the digests that were sent report. Null: none was sent since it was chosen. */
    digestSince: instant("digest_since"),
    /** When the mail server refused the last digest for good. */
    digestRefusedAt: instant("digest_refused_at"),
    createdAt: instant("created_at").notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.personId, table.projectId] }),
    index("memberships_by_project").on(table.projectId, table.personId),
  ],
);

/** An offer to become a member; deleted when it is accepted or revoked. */
export const invitationsTable = sqliteTable(
  "invitations",
  {
    id: integer("id").$type<InvitationId>().primaryKey({ autoIncrement: true }),
    hash: text("hash").notNull().unique(),
    projectId: integer("project_id")
      .$type<ProjectId>()
      .notNull()
      .references(() => projectsTable.id),
    /** In lower case; null: for everyone who has the link. */
    email: text("email"),
    role: text("role").$type<Role>().notNull(),
    invitedBy: text("invited_by").notNull(),
    createdAt: instant("created_at").notNull(),
    expiresAt: instant("expires_at").notNull(),
  },
  (table) => [
    index("invitations_by_project").on(table.projectId, table.id),
    index("invitations_by_email").on(table.email, table.expiresAt),
    index("invitations_expiry").on(table.expiresAt),
  ],
);
