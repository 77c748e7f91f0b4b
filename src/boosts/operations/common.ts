export const TAG = "Boost campaigns";

export const COMMON = {
  tag: TAG,
  permission: "boost-create-campaign",
  extension: true,
  asksPlatform: true,
} as const;
