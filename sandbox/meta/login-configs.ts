// Facebook Login for Business: a configuration in an app's dashboard names the permissions of its login
// dialog. A person allows all of them or none.

/** The configurations of the apps: one with everything, and one that lacks the permission to publish. */
export const LOGIN_CONFIGS = {
  facebook: { whole: "710000000000001", reading: "710000000000002" },
  instagram: { whole: "720000000000001", reading: "720000000000002" },
} as const;

const MISSING = ["pages_manage_posts", "instagram_content_publish"];

/** Which login dialogs an app has. `either`: it was given both products. */
export const LOGIN_PRODUCTS = ["either", "classic", "business"] as const;
export type LoginProduct = (typeof LOGIN_PRODUCTS)[number];

export type Wanted =
  /** The scopes of the query decide, and the person may untick them. */
  | { kind: "scopes" }
  | { kind: "configured"; scopes: readonly string[] }
  | { kind: "refused"; title: string; detail: string };

/** Which permissions a dialog is about. `scope` beside `config_id` is ignored: the configuration decides. */
export function wantedBy(
  platform: keyof typeof LOGIN_CONFIGS,
  query: Readonly<Record<string, string>>,
  offered: readonly string[],
  product: LoginProduct,
): Wanted {
  const id = query.config_id;
  if (id === undefined) {
    if (product !== "business") return { kind: "scopes" };
    const detail = "It looks like this app isn’t available. This app needs a configuration (config_id).";
    return { kind: "refused", title: "Feature unavailable", detail };
  }
  const { whole, reading } = LOGIN_CONFIGS[platform];
  if (product === "classic" || (id !== whole && id !== reading)) {
    const detail = `The configuration ${id} does not belong to this app. Here ${whole} and ${reading} do.`;
    return { kind: "refused", title: "Invalid configuration", detail };
  }
  return { kind: "configured", scopes: offered.filter((scope) => id === whole || !MISSING.includes(scope)) };
}
