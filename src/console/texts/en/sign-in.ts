/** Signing in, invitations, and the account of a person. */
export const signIn = {
  signIn: {
    title: "Sign in to Belfry",
    againTitle: "Confirm that it is you",
    lead: "Enter your e-mail address. We send you a code, you need no password.",
    againLead: "This action needs a sign-in from the last 10 minutes.",
    email: "E-mail address",
    submit: "Continue",
    or: "or",
    passkey: "Sign in with a passkey",
    passkeyCancelled: "No passkey was used. Try again, or sign in with your e-mail address.",
    passkeyRefused: "This passkey does not sign in here. Use another one, or your e-mail address.",
    provider: {
      button: (name: string) => `Continue with ${name}`,
      lacking: (names: string) =>
        `Sign-in with a provider is not set up completely. The operator must also set: ${names}.`,
      failed: "You are not signed in",
      problems: {
        notConfigured: "This service has no sign-in with a provider.",
        unreachable: "The provider cannot be reached. Try again later, or sign in with your e-mail address.",
        over: "This sign-in was used, has expired, or began in another browser. Start again.",
        refused: "The provider's answer could not be verified, or you did not agree there. Start again.",
        no_address: "The provider has not verified your e-mail address. Verify it there, then start again.",
        not_admitted:
          "Your e-mail address has no account here that you can use this way. Ask for an invitation, or sign in with a code.",
        other: "This is another account than the one that is signed in here. Sign out first to use it.",
      },
    },
    noMail: {
      title: "This service cannot send e-mail yet",
      lead: "The operator can set MAIL_FROM with MAIL_URL, or the send_email binding. Until then, a sign-in link comes from the operator's terminal:",
      command: (email: string) => `npm run account -- --email ${email} --remote`,
    },
    tooMany: "Too many codes were requested. Try again in an hour, or ask the operator for a sign-in link.",
    notAdmitted: (email: string) =>
      `No code was issued: ${email} has no account here. Create one with: npm run account -- --email ${email}`,
    codeTitle: "Enter your code",
    codeLead: (email: string) =>
      email === ""
        ? "If this address may sign in, a code is on its way. It works for 10 minutes, in this browser only."
        : `If ${email} may sign in, a code is on its way. It works for 10 minutes, in this browser only.`,
    code: "Code",
    codeInvalid: "Enter all digits of the code: six or eight.",
    codeWrong: (left: number) =>
      left === 0
        ? "This code is wrong, and it was the last attempt. Request a new code."
        : `This code is wrong. ${left} ${left === 1 ? "attempt" : "attempts"} left.`,
    codeOver: "This code was used or has expired. Request a new code.",
    codeSubmit: "Sign in",
    codeAgain: "Use another address or request a new code",
    development: (code: string) => `Development: your code is ${code}`,
    mailSubject: (code: string) => `${code} is your Belfry code`,
    mailText: (code: string, origin: string) =>
      `Your code for ${origin} is ${code}.\n\nIt works for 10 minutes, once, in the browser that requested it. If you did not request it, ignore this message.\n`,
    link: {
      title: "Sign in to Belfry",
      lead: (email: string) => `This link signs in ${email}. It works once.`,
      submit: "Sign in",
      overTitle: "This link was used or has expired",
      overLead:
        "A sign-in link works once, for an hour. Sign in with your e-mail address, or ask the operator for a new link.",
    },
  },
  invitation: {
    title: (project: string) => `Join ${project}`,
    lead: (by: string, role: string) => `${by} invites you to this project. Your role: ${role}.`,
    accept: "Accept the invitation",
    signInFirst: "Sign in to accept",
    foreign: (email: string) => `This invitation is for ${email}. Sign in with that address to accept it.`,
    overTitle: "This invitation was used or has expired",
    overLead: "Ask the person who invited you for a new one.",
    accepted: (project: string) => `You are now a member of ${project}.`,
    mailSubject: (project: string) => `Invitation to ${project} on Belfry`,
    mailText: (by: string, project: string, link: string) =>
      `${by} invites you to the project "${project}" on Belfry.\n\nOpen this link within 7 days to accept:\n${link}\n`,
  },
  account: {
    title: "Your account",
    lead: (email: string) => `You are signed in as ${email}.`,
    language: "Language",
    languageAuto: "As in the browser",
    languageSave: "Save",
    languageSaved: "The language is saved.",
    sessions: "Where you are signed in",
    sessionsLead:
      "End a session that you do not recognise. Sessions end by themselves after 30 days without use, and after 90 days.",
    current: "This browser",
    device: "Unknown device",
    place: "Unknown place",
    signedIn: "Signed in",
    seen: "Last seen",
    end: "Sign out",
    ended: "The session is ended.",
    endAll: "Sign out everywhere",
    endAllLead: "This ends every session, also this one.",
    delete: {
      title: "Delete your account",
      lead: "Your address, sessions, passkeys and memberships are deleted, and terminals and apps that you allowed lose access. Projects stay with their other owners.",
      button: "Delete the account",
      confirm: (email: string) => `Delete the account of ${email}?`,
      confirmLead: "This cannot be undone. Audit logs of projects keep your address for a year.",
      lastOwner: "You are the only owner of a project. Make another member owner, or delete the project first.",
      done: "Your account is deleted.",
    },
    mails: {
      events: {
        browser: "New sign-in to your Belfry account",
        passkey: "A passkey was added to your Belfry account",
        token: "An access token was created in your name",
      },
      text: (subject: string, from: string, link: string) =>
        `${subject}.\n\nFrom: ${from}\nLook here: ${link}\n\nIf it was not you, end that session, remove what you do not know, and tell the owners of your projects.\n`,
    },
    passkeys: {
      title: "Passkeys",
      lead: "A passkey signs you in with your fingerprint, face or PIN, without a code.",
      empty: "You have no passkey yet.",
      add: "Add a passkey",
      added: "The passkey is added. You can sign in with it from now on.",
      cancelled: "No passkey was added. Try again, or use another device.",
      refused: "The passkey could not be verified. Try again.",
      known: "This passkey is already in use.",
      full: "You have 20 passkeys, the maximum. Remove one first.",
      created: "Added",
      lastUsed: "Last used",
      unnamed: "Passkey",
      rename: "Rename",
      name: "Name",
      save: "Save",
      renamed: "The name is saved.",
      remove: "Remove",
      removeTitle: (name: string) => `Remove "${name}"?`,
      removeLead: "It no longer signs you in. Sessions that it started continue.",
      removed: "The passkey is removed. You can also delete it on your device.",
    },
  },
} as const;
