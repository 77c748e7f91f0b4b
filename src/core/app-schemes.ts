/**
 * Schemes that never lead back to an application of ours or a caller's: one list for the addresses to which
 * the connect flow returns, and those to which apps have their codes sent (docs/decisions/0018). An app's own
 * scheme is any other. `intent`, with which Android opens an application, is accepted for the connect flow.
 */
const REFUSED: ReadonlySet<string> = new Set([
  // Scripts and documents in the address itself, and wrappers of other addresses.
  ...["javascript", "livescript", "vbscript", "jscript", "data", "blob", "mhtml", "cid", "mid", "mocha", "feed"],
  ...["view-source", "wyciwyg", "jar", "its", "mk", "res", "resource", "urn", "uuid", "tag", "opaquelocktoken"],
  // Files of the device and of networks.
  ...[
    "file",
    "filesystem",
    "content",
    "ftp",
    "ftps",
    "sftp",
    "tftp",
    "fish",
    "smb",
    "cifs",
    "afp",
    "nfs",
    "dav",
    "davs",
  ],
  ...["webdav", "webdavs", "ldap", "ldaps", "rsync", "svn", "git", "svn+ssh", "git+ssh", "gopher", "wais", "prospero"],
  // Pages of browsers.
  ...["about", "chrome", "devtools", "edge", "brave", "opera", "vivaldi", "safari", "firefox", "googlechrome"],
  ...["googlechromes", "x-safari-http", "x-safari-https", "safari-extension", "safari-web-extension"],
  // Programs and settings of the system, and what installs or runs others.
  ...["shell", "hcp", "search", "search-ms", "ms", "control", "conf", "callto", "dvd", "ldap", "onenote", "excel"],
  ...["word", "powerpoint", "itms", "itms-apps", "itms-appss", "itms-services", "itms-beta", "market", "macappstore"],
  ...["macappstores", "apt", "apturl", "snap", "appstream", "flatpak", "flatpak+https", "steam", "x-apple-helpbasic"],
  ...["help", "x-help-action", "x-man-page", "x-apple.systempreferences", "prefs", "app-prefs", "applescript"],
  ...["jnlp", "jnlps", "java", "webcal", "webcals", "wsl", "wslsettings", "windowsdefender", "insiderhub", "ie.http"],
  ...["com.microsoft.intune", "zoommtg", "zoomus", "msteams", "tel-launcher", "taskschd", "rundll", "mmc"],
  ...["powershell", "cmd", "terminal", "x-terminal", "xterm", "vbs", "hta", "ps1", "exe", "com", "bat"],
  // Remote terminals and desktops, databases, and protocols that are no application.
  ...["ssh", "telnet", "rlogin", "rsh", "tn3270", "rdp", "ms-rd", "vnc", "spice", "teamviewer8", "teamviewer10"],
  ...["teamviewerapi", "anydesk", "x11", "winbox", "mysql", "postgres", "postgresql", "redis", "mongodb", "jdbc"],
  ...["ws", "wss", "imap", "pop", "nntp", "news", "snews", "rtsp", "rtmp", "mms", "magnet", "ed2k", "bitcoin"],
  // People and their phones.
  ...["mailto", "tel", "sms", "smsto", "mms", "mmsto", "facetime", "facetime-audio", "sip", "sips", "xmpp", "geo"],
]);
/** Windows settings, installers and Office (`ms-msdt`, `ms-settings`, …), and pages of browsers. */
const REFUSED_FAMILIES = ["ms-", "ms.", "microsoft", "windows", "chrome-", "moz-", "edge-", "ext+", "web+ms-", "x-ms-"];

/**
 * Whether an address of this scheme (without a colon) may start a program, or leads into the browser or the
 * system.
 */
export function isRefusedScheme(scheme: string): boolean {
  const name = scheme.toLowerCase();
  return REFUSED.has(name) || REFUSED_FAMILIES.some((family) => name.startsWith(family));
}
