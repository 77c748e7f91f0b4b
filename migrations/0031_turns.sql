-- Recurring work is owned by a turn counter (docs/decisions/0034). A default that is computed needs a new table.
CREATE TABLE `__turned_recurring` AS SELECT * FROM `recurring`;
--> statement-breakpoint
DROP TABLE `recurring`;
--> statement-breakpoint
CREATE TABLE `recurring` (
	`key` text PRIMARY KEY NOT NULL,
	`kind` text NOT NULL,
	`due_at` integer NOT NULL,
	`interval_ms` integer NOT NULL,
	`failures` integer DEFAULT 0 NOT NULL,
	`state` text,
	`group_key` text,
	`turn` integer DEFAULT (abs(random() % 4503599627370496)) NOT NULL,
	`sent_at` integer,
	`ran_at` integer,
	`created_at` integer NOT NULL
) WITHOUT ROWID;
--> statement-breakpoint
INSERT INTO `recurring` (`key`, `kind`, `due_at`, `interval_ms`, `failures`, `state`, `group_key`, `created_at`)
SELECT `key`, `kind`, `due_at`, `interval_ms`, `failures`, `state`, `group_key`, `created_at` FROM `__turned_recurring`;
--> statement-breakpoint
DROP TABLE `__turned_recurring`;
--> statement-breakpoint
CREATE INDEX `recurring_due` ON `recurring` (`kind`,`due_at`);
--> statement-breakpoint
CREATE INDEX `recurring_by_group` ON `recurring` (`group_key`,`due_at`) WHERE group_key IS NOT NULL;
--> statement-breakpoint
DROP TRIGGER posts_watched;
--> statement-breakpoint
DROP TRIGGER posts_unwatched;
--> statement-breakpoint
DROP TRIGGER channels_unwatched;
--> statement-breakpoint
DROP TRIGGER channels_watched_again;
--> statement-breakpoint
DROP TRIGGER grants_watched_again;
--> statement-breakpoint
-- The polls of a post begin when it is published, where an automation covers it.
CREATE TRIGGER posts_watched AFTER UPDATE OF state ON posts
WHEN NEW.state = 'published' AND OLD.state <> 'published' BEGIN
  INSERT INTO recurring (key, kind, due_at, interval_ms, failures, group_key, created_at)
  SELECT 'comments:' || NEW.id, 'comments', NEW.updated_at, 60000, 0, 'channel:' || NEW.channel_id, NEW.updated_at
  WHERE EXISTS (SELECT 1 FROM automation_targets JOIN automations ON automations.id = automation_targets.automation_id
    WHERE automation_targets.channel_id = NEW.channel_id AND automation_targets.post_id IN (0, NEW.id)
    AND automations.state = 'active' AND automations.deleted_at IS NULL)
  ON CONFLICT (key) DO UPDATE SET due_at = min(recurring.due_at, excluded.due_at), turn = recurring.turn + 1, sent_at = NULL
  WHERE recurring.sent_at IS NULL OR recurring.due_at <= excluded.due_at;
END;
--> statement-breakpoint
CREATE TRIGGER posts_unwatched AFTER UPDATE OF state ON posts
WHEN NEW.state = 'deleted' AND OLD.state <> 'deleted' BEGIN
  DELETE FROM recurring WHERE key = 'comments:' || NEW.id;
  -- And what was to be answered under it.
  INSERT INTO recurring (key, kind, due_at, interval_ms, failures, created_at)
  SELECT 'drop:post:' || NEW.id, 'drop', NEW.updated_at, 60000, 0, NEW.updated_at
  WHERE EXISTS (SELECT 1 FROM automation_targets WHERE channel_id = NEW.channel_id AND post_id IN (0, NEW.id))
  ON CONFLICT (key) DO UPDATE SET due_at = excluded.due_at, turn = recurring.turn + 1, sent_at = NULL;
END;
--> statement-breakpoint
-- The polls of a channel end with it, and begin again when it is connected again.
CREATE TRIGGER channels_unwatched AFTER UPDATE OF disconnected_at ON channels
WHEN NEW.disconnected_at IS NOT NULL AND OLD.disconnected_at IS NULL BEGIN
  DELETE FROM recurring WHERE group_key = 'channel:' || NEW.id;
  INSERT INTO recurring (key, kind, due_at, interval_ms, failures, created_at)
  SELECT 'drop:channel:' || NEW.id, 'drop', NEW.updated_at, 60000, 0, NEW.updated_at
  WHERE EXISTS (SELECT 1 FROM automation_targets WHERE channel_id = NEW.id)
  ON CONFLICT (key) DO UPDATE SET due_at = excluded.due_at, turn = recurring.turn + 1, sent_at = NULL;
END;
--> statement-breakpoint
CREATE TRIGGER channels_watched_again AFTER UPDATE OF disconnected_at ON channels
WHEN NEW.disconnected_at IS NULL AND OLD.disconnected_at IS NOT NULL BEGIN
  INSERT INTO recurring (key, kind, due_at, interval_ms, failures, created_at)
  SELECT DISTINCT 'enroll:' || automations.id, 'enroll', NEW.updated_at, 60000, 0, NEW.updated_at
  FROM automation_targets JOIN automations ON automations.id = automation_targets.automation_id
  WHERE automation_targets.channel_id = NEW.id AND automations.state = 'active' AND automations.deleted_at IS NULL
  ON CONFLICT (key) DO UPDATE SET due_at = excluded.due_at, state = NULL, turn = recurring.turn + 1, sent_at = NULL;
END;
--> statement-breakpoint
-- A new login: polls that slept because the old one was over run within ten minutes, as do those under way with the old one.
CREATE TRIGGER grants_watched_again AFTER UPDATE OF stored_at ON grants
WHEN NEW.stored_by = 'login' AND NEW.credentials IS NOT NULL BEGIN
  UPDATE recurring SET due_at = min(due_at, NEW.stored_at + abs(random() % 600000)), turn = turn + 1, sent_at = NULL
  WHERE group_key = 'channel:' || NEW.channel_id AND (due_at > NEW.stored_at + 600000 OR ran_at > NEW.stored_at - 900000);
END;
--> statement-breakpoint
-- Buckets in the place of reservations (docs/decisions/0033).
CREATE TABLE `rate_buckets` (
	`key` text PRIMARY KEY NOT NULL,
	`full_at` integer NOT NULL,
	`apart_ms` integer NOT NULL,
	`at_once` integer NOT NULL
) WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `rate_buckets_full` ON `rate_buckets` (`full_at`);
--> statement-breakpoint
CREATE TABLE `rate_waits` (
	`bucket` text NOT NULL,
	`waiter` text NOT NULL,
	`party` text NOT NULL,
	`place` integer NOT NULL,
	`since` integer NOT NULL,
	`granted_at` integer,
	PRIMARY KEY(`bucket`, `waiter`)
);
--> statement-breakpoint
CREATE INDEX `rate_waits_in_turn` ON `rate_waits` (`bucket`,`place`,`since`);
--> statement-breakpoint
CREATE INDEX `rate_waits_of_party` ON `rate_waits` (`bucket`,`party`,`place`);
--> statement-breakpoint
DROP TABLE `paces`;
