import { z } from "zod";
import type { AppFinding, AppSetup } from "../login.ts";
import { parseBody } from "../request.ts";

/**
 * Checks our client at Google without a user: it sends an invalid code to the token endpoint, which checks id
 * and secret first. Redirect addresses and scopes cannot be read. Where Google checks the address before the
 * code, it reports a wrong one.
 */
export const TOKEN_URL = "https://oauth2.googleapis.com/token";

const Refused = z.object({ error: z.string() });

export const appSetup: AppSetup = {
  site: "console.cloud.google.com/auth/clients",
  redirectSetting: "Google Auth Platform › Clients › Authorized redirect URIs",
  scopesSetting: "Google Auth Platform › Data access; Verification Center before other people connect",
  apis: {
    names: ["YouTube Data API v3", "YouTube Analytics API"],
    setting: "APIs & Services › Library",
  },
  check: async ({ send, app }, redirectUri) => {
    const grant = { grant_type: "authorization_code", code: "none", redirect_uri: redirectUri };
    const answer = await send({
      method: "POST",
      url: TOKEN_URL,
      form: { ...grant, client_id: app.id, client_secret: app.secret },
    });
    const said = answer.kind === "answered" && answer.status < 500 ? parseBody(Refused, answer)?.error : undefined;
    return findings(said, redirectUri);
  },
};

function findings(said: string | undefined, redirectUri: string): readonly AppFinding[] {
  switch (said) {
    case "invalid_grant":
      return [KNOWN];
    case "redirect_uri_mismatch": {
      const fix = `Add ${redirectUri} under ${appSetup.redirectSetting}.`;
      return [KNOWN, { topic: "redirect", isGood: false, message: `Google does not know ${redirectUri}.`, fix }];
    }
    case "invalid_client":
    case "unauthorized_client":
    case "deleted_client": {
      const fix =
        "Copy both again from Google Auth Platform › Clients. Google deletes clients that are unused for six months.";
      return [
        { topic: "credentials", isGood: false, message: "Google does not accept the client's id and secret.", fix },
      ];
    }
    default: {
      const fix = "Try again in a minute.";
      return [{ topic: "credentials", isGood: false, message: "Google did not answer about the client.", fix }];
    }
  }
}

const KNOWN: AppFinding = { topic: "credentials", isGood: true, message: "Google knows the client's id and secret." };
