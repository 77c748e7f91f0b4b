// Gathers the feature tables for the migration generator; each feature imports its own tables directly.
export * from "../accounts/table.ts";
export * from "../acting/table.ts";
export * from "../audit/table.ts";
export * from "../automations/table.ts";
export * from "../boosts/table.ts";
export * from "../branding/table.ts";
export * from "../channels/table.ts";
export * from "../connect/table.ts";
export * from "../deliveries/table.ts";
export * from "../events/table.ts";
export * from "../files/table.ts";
export * from "../generations/table.ts";
export * from "../http/table.ts";
export * from "../jobs/table.ts";
export * from "../people/table.ts";
export * from "../posts/table.ts";
export * from "../usage/table.ts";
