import type { DeclarationFields } from "./declarations.ts";
import type { PostType } from "./names.ts";
import type { Option, OptionFields } from "./options.ts";

/** What generic code needs to know of a platform without its adapter. */
export interface PlatformFacts {
  readonly title: string;
  /** What users connect there. */
  readonly offers: string;
  /** A letter or two instead of a logo, on a background of this color. */
  readonly sign: string;
  readonly color: `#${string}`;
  readonly postTypes: readonly PostType[];
  /** Whether its posts take documents. */
  readonly takesDocuments?: true;
  /** Whether its posts take `post_extra`: a title, a category, a playlist. */
  readonly takesPostExtra?: true;
  /** A person confirms each post on a page of its own, whose content the platform prescribes. */
  readonly hasOwnForm?: true;
  /** What it calls a campaign that shows an existing post, if it has a name for it. */
  readonly campaignTerm?: string;
  /** Which declarations its posts can carry (docs/platforms/, Declarations). */
  readonly declarations: DeclarationFields;
  /** Which `options` its posts take. */
  readonly options: OptionFields;
  /** What to send instead of an option that no post takes, in a sentence. */
  readonly optionsInstead?: Readonly<Partial<Record<Option, { readonly use: Option; readonly sentence: string }>>>;
  /** A platform may need several app registrations, and several platforms may share one. */
  readonly apps: Readonly<Record<string, AppRegistration>>;
}

/**
 * One of our registrations at a platform: the source of its id and secret, and its identity in the sandbox.
 */
export interface AppRegistration {
  /** Names of the variable and the secret (docs/deploy.md). */
  readonly id: string;
  readonly secret: string;
  /**
   * The app needs no registration: its id is the address of a document that this service serves at this path
   * of its own origin (`OAuth.clientDocument`). `id` then names the variable with the origin.
   */
  readonly servedAt?: `/${string}`;
  /** Additional variables, by the adapter's names for them (`AppCredentials.options`). */
  readonly options?: Readonly<Record<string, string>>;
  /** For test projects; every sandbox knows it, and it gives access to nothing else. */
  readonly sandbox: {
    readonly id: string;
    readonly secret: string;
    readonly options?: Readonly<Record<string, string>>;
  };
}
