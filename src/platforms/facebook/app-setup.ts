import { metaAppSetup } from "../meta/app-setup.ts";
import { FACEBOOK } from "./api.ts";

export const appSetup = metaAppSetup(FACEBOOK, {
  redirectSetting: "Facebook Login for Business › Settings › Valid OAuth Redirect URIs",
  scopesSetting: "App Review › Permissions and Features, Advanced Access for each",
  config: "FACEBOOK_LOGIN_CONFIG",
});
