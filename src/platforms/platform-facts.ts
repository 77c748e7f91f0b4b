import type { PostType } from "./names.ts";

/** What generic code needs to know of a platform without its adapter. */
export interface PlatformFacts {
  readonly title: string;
  /** What people connect there. */
  readonly offers: string;
  /** A letter or two in place of a logo, on a background of this color. */
  readonly sign: string;
  readonly color: `#${string}`;
  readonly postTypes: readonly PostType[];
  /** A platform may need several app registrations, and several platforms may share one. */
  readonly apps: Readonly<Record<string, AppRegistration>>;
}

/**
 * One registration of ours at a platform: where its id and secret come from, and what the sandbox knows it
 * by.
 */
export interface AppRegistration {
  /** Names of the variable and the secret (docs/deploy.md). */
  readonly id: string;
  readonly secret: string;
  /** Variables beside them, by the names that the adapter knows them by (`AppCredentials.options`). */
  readonly options?: Readonly<Record<string, string>>;
  /** Of test projects; every sandbox knows it, and it opens nothing else. */
  readonly sandbox: {
    readonly id: string;
    readonly secret: string;
    readonly options?: Readonly<Record<string, string>>;
  };
}
