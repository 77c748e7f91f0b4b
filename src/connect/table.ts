import { sql } from "drizzle-orm";
import { index, integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";
import type { ProjectId } from "../core/ids.ts";
import { instant, json } from "../db/columns.ts";
import type { GrantPurpose, PlatformName } from "../platforms/names.ts";
import type { LoginName } from "./logins.ts";

export const CONNECT_STATUS = ["pending", "success", "failed"] as const;
export type ConnectStatus = (typeof CONNECT_STATUS)[number];

/**
 * What a poller must see at once although KV may be a minute behind: written when a session is opened, with
 * nothing to go through yet, and when its person does something. The session itself (who, where to return) is
 * in KV under `connect:<token hash>`.
 */
export const connectSessionsTable = sqliteTable(
  "connect_sessions",
  {
    tokenHash: text("token_hash").primaryKey(),
    projectId: integer("project_id").$type<ProjectId>().notNull(),
    status: text("status").$type<ConnectStatus>().notNull(),
    /** Logins still to be gone through, the present one first. */
    remaining: json("remaining").$type<readonly LoginName[]>().notNull(),
    connected: json("connected").$type<readonly ConnectedChannel[]>().notNull(),
    message: text("message"),
    updatedAt: instant("updated_at").notNull(),
    expiresAt: instant("expires_at").notNull(),
  },
  (table) => [
    index("connect_sessions_expiry").on(table.expiresAt),
    // Those that may still be gone through: counted by each one that is opened.
    index("connect_sessions_open").on(table.projectId, table.expiresAt).where(sql`status <> 'success'`),
  ],
);

export interface ConnectedChannel {
  readonly id: number;
  readonly platform: PlatformName;
  readonly name: string;
  /**
   * Its additional logins, once they are connected. An object, so that a merge patch adds one and keeps the
   * others.
   */
  readonly further?: Readonly<Partial<Record<GrantPurpose, true>>>;
}

/** One row an authorization request; deleted as it is read, so a `state` works once. */
export const oauthStatesTable = sqliteTable(
  "oauth_states",
  {
    stateHash: text("state_hash").primaryKey(),
    tokenHash: text("token_hash").notNull(),
    /** The login: a platform's own, or a further one. */
    platform: text("platform").$type<LoginName>().notNull(),
    /** The browser that began it, as the hash of its cookie. */
    browserHash: text("browser_hash").notNull(),
    /** Sealed: the connect token to come back to, and the PKCE verifier. */
    sealed: text("sealed").notNull(),
    expiresAt: instant("expires_at").notNull(),
  },
  (table) => [
    index("oauth_states_expiry").on(table.expiresAt),
    // A session keeps the newest few.
    index("oauth_states_by_session").on(table.tokenHash),
  ],
);

/** Accounts that a login yielded, waiting for the person to tick which to connect. */
export const connectChoicesTable = sqliteTable(
  "connect_choices",
  {
    tokenHash: text("token_hash").notNull(),
    platform: text("platform").$type<PlatformName>().notNull(),
    browserHash: text("browser_hash").notNull(),
    /** Sealed: the granted accounts with their credentials. */
    sealed: text("sealed").notNull(),
    expiresAt: instant("expires_at").notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.tokenHash, table.platform] }),
    index("connect_choices_expiry").on(table.expiresAt),
  ],
);
