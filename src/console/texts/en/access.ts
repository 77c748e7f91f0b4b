/** Terminals and apps that request access: the code, and the page where a person decides. */
export const access = {
  deviceTitle: "Connect a terminal",
  deviceLead: "Enter the code that your terminal shows.",
  code: "Code",
  codeHint: "Eight letters, such as WDJB-MJHT. The case does not matter.",
  compare:
    "Check that your terminal shows this code. If you did not start the sign-in yourself, or received the code from someone else, close this page.",
  next: "Continue",
  wrongCode: "No terminal waits with this code. Codes expire after ten minutes and work once.",
  tooManyCodes: "You entered too many codes. Wait ten minutes.",
  title: (name: string) => `Give ${name} access?`,
  lead: "It receives an access token for one project. You can revoke the token at any time.",
  unverified:
    "Everyone can choose this name, and we do not check it. Allow access only if you started this sign-in yourself a moment ago.",
  facts: { name: "Calls itself", from: "Request from", at: "Requested", returns: "Returns to" },
  kinds: { terminal: "A terminal", app: "An app or agent" },
  project: "Project",
  noProjectTitle: "You own no project",
  noProjectLead: "Only an owner of a project can give access to it. Ask an owner, or create a project of your own.",
  createProject: "Create a project",
  allow: "Allow access",
  deny: "Deny",
  notOffered: "Choose only permissions that were requested.",
  overTitle: "This request is no longer open",
  overLead: "It was answered, has expired, or belongs to another person. Start the sign-in again.",
  allowedNotice: (name: string) => `${name} has access. Go back to your terminal.`,
  deniedNotice: "Access is denied.",
  refusedTitle: "This app cannot request access",
  refusals: {
    unknown_client:
      "The app is not registered with this service, or its registration is from another service. Connect it again.",
    bad_address: "The app names an address to return to that it has not registered. Nothing was sent there.",
    unsupported_response_type: "The app requests something other than a code (response_type).",
    invalid_request: "The app's request lacks a valid S256 code_challenge, or its state is too long.",
    invalid_target: "The app requests a token for another service (resource).",
  },
};
