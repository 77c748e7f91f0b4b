import { describe, test } from "vitest";
import { ClientMetadata } from "../../src/access/clients.ts";
import { returnUrlProblem } from "../../src/connect/return-url.ts";

/** Both doors that send a person's browser to an address of a caller. */
const isTaken = (url: string) => ({
  returns: returnUrlProblem(url) === null,
  registers: ClientMetadata.safeParse({ redirect_uris: [url] }).success,
});

const PROGRAMS = [
  "ms-msdt",
  "ms-settings",
  "ms-word",
  "ms-excel",
  "ms-officecmd",
  "ms-appinstaller",
  "ms-search",
  "ms-cxh",
  "search-ms",
  "search",
  "microsoft-edge",
  "windowsdefender",
  "shell",
  "hcp",
  "itms-services",
  "market",
  "jnlp",
  "smb",
  "cifs",
  "afp",
  "nfs",
  "file",
  "ftp",
  "sftp",
  "ldap",
  "ssh",
  "telnet",
  "rdp",
  "vnc",
  "steam",
  "zoommtg",
  "javascript",
  "data",
  "vbscript",
  "blob",
  "about",
  "filesystem",
  "view-source",
  "chrome",
  "devtools",
  "mailto",
  "tel",
  "sms",
  "facetime",
  "x-apple.systempreferences",
  "apt",
  "ws",
  "wss",
];

describe("the schemes of addresses to which people are sent", () => {
  test.for(PROGRAMS)("%s is refused at both doors, in any case", (scheme, { expect }) => {
    for (const spelled of [scheme, scheme.toUpperCase()])
      expect(isTaken(`${spelled}://callback`), spelled).toEqual({ returns: false, registers: false });
  });

  test.for([
    "https://agent.example/callback",
    "com.example.app:/callback",
    "com.example.app://callback",
    "cursor://anysphere.cursor-mcp/oauth/callback",
    "vscode://ms-python.python/callback",
    "myapp://connected",
  ])("%s is an application's own", (url, { expect }) => {
    expect(isTaken(url)).toEqual({ returns: true, registers: true });
  });
});
