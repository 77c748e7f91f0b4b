/** Variables of a deployed service, with secrets that it accepts. */
export const PRODUCTION = {
  ENVIRONMENT: "production",
  SANDBOX_URL: "",
  CREDENTIAL_KEYS: "k1:Jm0pZ6pZ0yq1xvS2k7T0mX7v0sXk2y2vQeVqf0Yh5aE=",
  SIGNING_KEY: "p0Yw8rJt3nLq6zXc1vBm5kHd9sGf2aTe7uRi4oPy",
  OPERATOR_KEY: "Zc4Vb8Nm2Qw6Er0Ty3Ui7Op1As5Df9Gh4Jk8Lz2X",
};
