// The pages where accounts sign in and allow an app, and the posts behind permalinks.

import { Hono } from "hono";
import { type Brand, type ConsentRequest, consentRefused, consentRoutes } from "../consent";
import { postPage } from "../feed";
import type { PlatformBindings } from "../platform";
import type { Sandbox } from "../sandbox";
import { allow, findPushed, type PushedRow } from "./oauth";
import { type AccountRow, addressOf, findAccount, issuerOf, listAccounts } from "./store";

const BRAND: Brand = {
  name: "Bluesky",
  logo: "Bluesky",
  accent: "#0a7aff",
  background: "#eef3f9",
  header: "background:#fff;color:#0a7aff;border-bottom:1px solid #d8e2ee",
};
const SCOPES: Readonly<Record<string, string>> = {
  atproto: "Know who you are",
  "transition:generic": "Read and write everything but your messages",
};

interface Login extends ConsentRequest {
  readonly pushed: PushedRow;
}

export function authorizePages(sandbox: Sandbox, host: string) {
  const issuer = `https://${host}`;
  const here = () => listAccounts(sandbox).filter(({ server }) => issuerOf(server) === issuer);
  const refused = (detail: string) => consentRefused(BRAND, "This sign-in is not valid", detail);
  return consentRoutes<Login>(["/oauth/authorize"], {
    brand: BRAND,
    accountField: "account",
    read(query) {
      const pushed = findPushed(sandbox, query);
      if (pushed?.issuer !== issuer) return refused("The request_uri is unknown, or it has expired.");
      const { redirect_uri: redirectUri, state, scopes } = pushed;
      return { redirectUri, state, scopes: scopes.split(" "), pushed };
    },
    view: ({ scopes, pushed: { hint } }) => ({
      heading: "Belfry wants to access your account",
      accounts: {
        legend: "Account",
        kind: "radio",
        choices: here()
          .toSorted((a, b) => Number(b.handle === hint) - Number(a.handle === hint))
          .map(toChoice),
      },
      scopes: { title: "It may:", canUntick: false, offered: scopes, labels: SCOPES },
      allow: "Authorize",
      fiction: "these accounts live",
    }),
    denied: { error: "access_denied", error_description: "The user rejected the request" },
    grant: ({ pushed }, { accounts: [id = ""] }) => {
      const account = findAccount(sandbox, id);
      const isHere = account?.is_account && issuerOf(account.server) === issuer;
      return account && isHere ? allow(sandbox, pushed, account.id) : refused("Choose one of your accounts.");
    },
  });
}

const toChoice = ({ id, name, handle }: AccountRow) => ({ value: id, label: name, about: `@${handle}` });

export function website(sandbox: Sandbox) {
  const app = new Hono<{ Bindings: PlatformBindings }>();
  app.get("/profile/:did/post/:key", (c) =>
    postPage(sandbox, "bluesky", addressOf(c.req.param("did"), c.req.param("key"))),
  );
  app.get("*", () => postPage(sandbox, "bluesky", null));
  return app;
}
