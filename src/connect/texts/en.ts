/** The hosted pages of a connection. Other languages have the same shape. */
export const en = {
  test: "Test project: simulated platforms",
  promise: (name: string | null) =>
    name === null ? "Belfry never sees your passwords." : `${name} and Belfry never see your passwords.`,
  questions: "Questions?",
  language: "Language",
  back: "Back to the app",
  tryAgain: "Try again",
  otherPlatforms: "Choose other platforms",
  /** A login for one purpose more, such as TikTok comments. */
  furtherLogin: (platform: string, what: string) => `${platform} ${what}`,
  connectedWith: (platform: string, what: string) => `${platform}, with ${what}`,
  connectedList: "Connected",
  connectedMark: "connected",
  without: (login: string) => `Go on without ${login}`,
  platforms: {
    title: "Connect your accounts",
    lead: (name: string) =>
      `${name} wants to publish for you. Choose the platforms. You sign in on each platform's own pages and decide what to allow.`,
    waiting: (platform: string) => `You are signed in to ${platform}.`,
    waitingLink: "Choose the accounts to connect",
    legend: "Platforms",
    submit: "Continue",
    notSetUp: "Not set up by this service",
    noneSetUp: "No platform is set up yet. The operator of this service must set one up first.",
    finish: "Finish with what is connected",
    cancel: "Cancel and go back to the app",
    valid: (minutes: number) => `This page is valid for another ${minutes} ${minutes === 1 ? "minute" : "minutes"}.`,
    chooseOne: "Select at least one platform.",
    unavailable: (login: string) =>
      `${login} is not available. Choose another platform, or contact the operator of this service.`,
  },
  signIn: {
    title: (login: string) => `Sign in to ${login}`,
    required: (label: string) => `${label} is required.`,
  },
  accounts: {
    title: (platform: string) => `Choose accounts from ${platform}`,
    pageTitle: (platform: string) => `Connect ${platform}`,
    lead: "Select every account that this service may publish to.",
    next: (login: string) => `${login} comes next.`,
    count: (count: number) => `${count} ${count === 1 ? "account" : "accounts"}`,
    submit: "Connect",
    unusable: "This account cannot be published to.",
    chooseOne: "Select at least one account.",
    tooMany: (most: number) => `Select at most ${most} accounts at a time.`,
    choosePlatforms: "Choose platforms",
    foreignTitle: "Signed in elsewhere",
    foreignLead: (platform: string) =>
      `You signed in to ${platform} in another browser. Choose the accounts there, or sign in here.`,
    absentTitle: "Nothing to choose from",
    absentLead: (platform: string) => `There is no open sign-in to ${platform}. Sign in again.`,
  },
  finished: {
    title: "Connected",
    close: "All done. You can close this window.",
    back: "All done. You can go back to the app.",
  },
  failed: {
    title: (login: string, isFurther: boolean) => `${login} ${isFurther ? "are" : "is"} not connected`,
    /** Before a platform's own sentence, which is in English. */
    said: "The platform's message:",
    notSetUp: (login: string) => `${login}: no longer set up here. Contact the operator of this service.`,
    declined: (platform: string) => `Access was not allowed at ${platform}, so no account was connected.`,
    declinedFurther: (platform: string, what: string) =>
      `Access was not allowed at ${platform}, so its ${what} are not connected. Existing connections stay.`,
    noPermission: (platform: string) => `${platform} returned no permission. Try again.`,
    refused: (platform: string, words: string) => `${platform} did not connect the account: ${words}`,
    noReason: "no reason was given.",
    noAccount: (platform: string) => `This login has no account at ${platform} that can be published to.`,
    connectFirst: (platform: string, login: string) => `Connect ${platform} first, and ${login} after it.`,
    mismatch: (platform: string, signedIn: string, wanted: string, what: string) =>
      `You signed in to ${platform} as ${signedIn}, but the connected account is ${wanted}. Try again, and sign in as ${wanted} for ${what}. Publishing stays connected.`,
  },
  notice: {
    todo: "What to do next",
    close: "Close this page and go back to the app where you started.",
    restart: "Start connecting again there. The app gives you a new link.",
    help: "If that does not help, contact",
    resume: "Continue connecting",
    openAgain: "Open the page again",
    notFound: { title: "Page not found", lead: "The address may be incomplete." },
    unknown: { title: "Unknown link", lead: "The address may be incomplete." },
    expired: { title: "This link has expired", lead: "A link is valid for 15 minutes." },
    unready: {
      title: "Just a moment",
      lead: "The link was created a moment ago. Try again in a few seconds.",
    },
    form: {
      title: "This form is not valid here",
      lead: "The page was opened in another browser, or this browser blocks cookies. Open the page again and repeat your choice.",
    },
    tooLarge: { title: "The form is too large", lead: "Open the page again and repeat your choice." },
    method: {
      title: "This page cannot be opened with this request",
      lead: (methods: string) =>
        `The address accepts only ${methods} requests. Reloading the page after a form can cause this.`,
      and: " and ",
    },
    unexpected: {
      title: "Something went wrong on our side",
      lead: (reference: string) =>
        `Nothing was lost. Try again. If this keeps happening, send this reference to the app's support: ${reference}`,
    },
    used: {
      title: "This sign-in was already used",
      lead: (platform: string) =>
        `A sign-in link of ${platform} can be used once and expires after 15 minutes. Nothing was changed.`,
    },
    foreign: {
      title: "This sign-in belongs to another browser",
      lead: "The sign-in started in another browser, or this browser blocks cookies. Continue in that browser, or open the link from the app in this one.",
    },
  },
  /** The platforms' own sentences, in English, with their translation. `{}` stands for any words. */
  phrases: {} as Readonly<Record<string, string>>,
};
