CREATE INDEX `tokens_revoked` ON `tokens` (`revoked_at`) WHERE revoked_at IS NOT NULL;--> statement-breakpoint
CREATE INDEX `tokens_expired` ON `tokens` (`expires_at`) WHERE expires_at IS NOT NULL;