CREATE TABLE `grants` (
	`channel_id` integer NOT NULL,
	`purpose` text NOT NULL,
	`credentials` text,
	`credentials_key` text,
	`scopes` text,
	`expires_at` integer,
	`refresh_due_at` integer,
	`refresh_lease_until` integer,
	`refresh_attempts` integer DEFAULT 0 NOT NULL,
	`version` integer NOT NULL,
	`stored_at` integer NOT NULL,
	`stored_by` text NOT NULL,
	`health` text NOT NULL,
	`health_reason` text,
	`stopped` text NOT NULL,
	PRIMARY KEY(`channel_id`, `purpose`),
	FOREIGN KEY (`channel_id`) REFERENCES `channels`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE INDEX `grants_by_key` ON `grants` (`credentials_key`) WHERE credentials_key IS NOT NULL;--> statement-breakpoint
CREATE INDEX `grants_of_old` ON `grants` (`credentials_key`) WHERE scopes IS NULL AND credentials IS NOT NULL;--> statement-breakpoint
CREATE INDEX `channels_of_account` ON `channels` (`platform`,`account_id`) WHERE disconnected_at IS NULL;--> statement-breakpoint
-- All credentials so far are for publishing. Their scopes are inside: the sweep tells them as it seals them anew.
INSERT INTO `grants` (`channel_id`, `purpose`, `credentials`, `credentials_key`, `expires_at`, `refresh_due_at`, `refresh_lease_until`,
  `refresh_attempts`, `version`, `stored_at`, `stored_by`, `health`, `health_reason`, `stopped`)
SELECT `id`, 'publish', `credentials`, `credentials_key`, `credentials_expire_at`, `refresh_due_at`, `refresh_lease_until`,
  `refresh_attempts`, 1, `updated_at`, 'login', `health`, `health_reason`, '{}' FROM `channels`;--> statement-breakpoint
INSERT INTO `recurring` (`key`, `kind`, `due_at`, `interval_ms`, `created_at`)
SELECT 'refresh:' || `id` || ':publish', 'refresh', `refresh_due_at`, 60000, `updated_at` FROM `channels` WHERE `refresh_due_at` IS NOT NULL;--> statement-breakpoint
-- Between this migration and the deployment the version before goes on renewing and connecting: a refresh token that works
-- once must not be left behind. The new version never writes these columns but to empty them.
CREATE TRIGGER channels_carried_over AFTER UPDATE OF credentials, refresh_due_at, refresh_lease_until, health ON channels
BEGIN
  INSERT INTO grants (channel_id, purpose, credentials, credentials_key, expires_at, refresh_due_at, refresh_lease_until,
    refresh_attempts, version, stored_at, stored_by, health, health_reason, stopped)
  VALUES (NEW.id, 'publish', NEW.credentials, NEW.credentials_key, NEW.credentials_expire_at, NEW.refresh_due_at,
    NEW.refresh_lease_until, NEW.refresh_attempts, 1, NEW.updated_at, 'login', NEW.health, NEW.health_reason, '{}')
  ON CONFLICT (channel_id, purpose) DO UPDATE SET
    credentials = excluded.credentials,
    credentials_key = excluded.credentials_key,
    scopes = NULL,
    expires_at = excluded.expires_at,
    refresh_due_at = excluded.refresh_due_at,
    refresh_lease_until = excluded.refresh_lease_until,
    refresh_attempts = excluded.refresh_attempts,
    version = version + (excluded.credentials IS NOT credentials),
    stored_at = excluded.stored_at,
    health = excluded.health,
    health_reason = excluded.health_reason;
  INSERT OR IGNORE INTO recurring (key, kind, due_at, interval_ms, created_at)
  SELECT 'refresh:' || NEW.id || ':publish', 'refresh', NEW.refresh_due_at, 60000, NEW.updated_at
  WHERE NEW.refresh_due_at IS NOT NULL;
END;
