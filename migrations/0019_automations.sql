-- Found by their key, and clustered by it (WITHOUT ROWID): targets, comments, authors, paces.
CREATE TABLE `automation_counts` (
	`project_id` integer PRIMARY KEY NOT NULL,
	`automations` integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE `automation_targets` (
	`channel_id` integer NOT NULL,
	`post_id` integer NOT NULL,
	`automation_id` integer NOT NULL,
	PRIMARY KEY(`channel_id`, `post_id`, `automation_id`)
) WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `automation_targets_of` ON `automation_targets` (`automation_id`);--> statement-breakpoint
CREATE TABLE `automations` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`project_id` integer NOT NULL,
	`name` text NOT NULL,
	`state` text NOT NULL,
	`channel_ids` text NOT NULL,
	`target_type` text NOT NULL,
	`post_ids` text,
	`campaign_ids` text,
	`trigger_type` text NOT NULL,
	`keywords` text,
	`response_type` text NOT NULL,
	`comment_reply` text,
	`direct_message` text,
	`response_time` text NOT NULL,
	`delay_seconds` integer NOT NULL,
	`frequency` text NOT NULL,
	`uses_ai` integer NOT NULL,
	`ai_settings` text,
	`active_since` integer NOT NULL,
	`revision` integer DEFAULT 0 NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	`deleted_at` integer,
	FOREIGN KEY (`project_id`) REFERENCES `projects`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE INDEX `automations_listed` ON `automations` (`project_id`,`id`) WHERE deleted_at IS NULL;--> statement-breakpoint
CREATE INDEX `automations_deleted` ON `automations` (`deleted_at`) WHERE deleted_at IS NOT NULL;--> statement-breakpoint
CREATE TABLE `comments` (
	`post_id` integer NOT NULL,
	`comment_id` text NOT NULL,
	`author_id` text,
	`author_name` text,
	`text` text NOT NULL,
	`created_at` integer NOT NULL,
	`seen_at` integer NOT NULL,
	PRIMARY KEY(`post_id`, `comment_id`)
) WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `comments_seen` ON `comments` (`seen_at`);--> statement-breakpoint
CREATE TABLE `replied_authors` (
	`automation_id` integer NOT NULL,
	`author_id` text NOT NULL,
	`post_id` integer NOT NULL,
	`comment_id` text NOT NULL,
	PRIMARY KEY(`automation_id`, `author_id`)
) WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `replies` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`automation_id` integer NOT NULL,
	`project_id` integer NOT NULL,
	`post_id` integer NOT NULL,
	`comment_id` text NOT NULL,
	`outcome` text NOT NULL,
	`reason` text,
	`message` text NOT NULL,
	`keyword` text,
	`comment_leg` text,
	`message_leg` text,
	`due_at` integer NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `replies_by_comment` ON `replies` (`post_id`,`comment_id`,`automation_id`);--> statement-breakpoint
CREATE INDEX `replies_listed` ON `replies` (`automation_id`,`id`);--> statement-breakpoint
CREATE INDEX `replies_waiting` ON `replies` (`automation_id`) WHERE outcome = 'waiting';--> statement-breakpoint
CREATE TABLE `paces` (
	`key` text PRIMARY KEY NOT NULL,
	`taken_until` integer NOT NULL
) WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `paces_over` ON `paces` (`taken_until`);--> statement-breakpoint
ALTER TABLE `recurring` ADD `state` text;--> statement-breakpoint
ALTER TABLE `recurring` ADD `group_key` text;--> statement-breakpoint
CREATE INDEX `recurring_by_group` ON `recurring` (`group_key`,`due_at`) WHERE group_key IS NOT NULL;--> statement-breakpoint
-- How many automations a project has, kept in one row.
CREATE TRIGGER automations_counted AFTER INSERT ON automations BEGIN
  INSERT INTO automation_counts (project_id, automations) VALUES (NEW.project_id, 1)
  ON CONFLICT (project_id) DO UPDATE SET automations = automations + 1;
END;
--> statement-breakpoint
CREATE TRIGGER automations_discounted AFTER UPDATE OF deleted_at ON automations
WHEN OLD.deleted_at IS NULL AND NEW.deleted_at IS NOT NULL BEGIN
  UPDATE automation_counts SET automations = automations - 1 WHERE project_id = NEW.project_id;
END;
--> statement-breakpoint
-- A post that goes live is watched from the next sweep on, where an automation is for all posts of its channel.
CREATE TRIGGER posts_watched AFTER UPDATE OF state ON posts
WHEN NEW.state = 'published' AND OLD.state <> 'published' BEGIN
  INSERT INTO recurring (key, kind, due_at, interval_ms, failures, group_key, created_at)
  SELECT 'comments:' || NEW.id, 'comments', NEW.updated_at, 60000, 0, 'channel:' || NEW.channel_id, NEW.updated_at
  WHERE EXISTS (SELECT 1 FROM automation_targets JOIN automations ON automations.id = automation_targets.automation_id
    WHERE automation_targets.channel_id = NEW.channel_id AND automation_targets.post_id = 0
    AND automations.state = 'active' AND automations.deleted_at IS NULL)
  ON CONFLICT (key) DO NOTHING;
END;
--> statement-breakpoint
CREATE TRIGGER posts_unwatched AFTER UPDATE OF state ON posts
WHEN NEW.state = 'deleted' AND OLD.state <> 'deleted' BEGIN
  DELETE FROM recurring WHERE key = 'comments:' || NEW.id;
  -- And what was to be answered under it.
  INSERT INTO recurring (key, kind, due_at, interval_ms, failures, created_at)
  SELECT 'drop:post:' || NEW.id, 'drop', NEW.updated_at, 60000, 0, NEW.updated_at
  WHERE EXISTS (SELECT 1 FROM automation_targets WHERE channel_id = NEW.channel_id AND post_id IN (0, NEW.id))
  ON CONFLICT (key) DO UPDATE SET due_at = excluded.due_at;
END;
--> statement-breakpoint
-- The watches of a channel end with it, and begin anew when it is connected again.
CREATE TRIGGER channels_unwatched AFTER UPDATE OF disconnected_at ON channels
WHEN NEW.disconnected_at IS NOT NULL AND OLD.disconnected_at IS NULL BEGIN
  DELETE FROM recurring WHERE group_key = 'channel:' || NEW.id;
  INSERT INTO recurring (key, kind, due_at, interval_ms, failures, created_at)
  SELECT 'drop:channel:' || NEW.id, 'drop', NEW.updated_at, 60000, 0, NEW.updated_at
  WHERE EXISTS (SELECT 1 FROM automation_targets WHERE channel_id = NEW.id)
  ON CONFLICT (key) DO UPDATE SET due_at = excluded.due_at;
END;
--> statement-breakpoint
CREATE TRIGGER channels_watched_again AFTER UPDATE OF disconnected_at ON channels
WHEN NEW.disconnected_at IS NULL AND OLD.disconnected_at IS NOT NULL BEGIN
  INSERT INTO recurring (key, kind, due_at, interval_ms, failures, created_at)
  SELECT DISTINCT 'enroll:' || automations.id, 'enroll', NEW.updated_at, 60000, 0, NEW.updated_at
  FROM automation_targets JOIN automations ON automations.id = automation_targets.automation_id
  WHERE automation_targets.channel_id = NEW.id AND automations.state = 'active' AND automations.deleted_at IS NULL
  ON CONFLICT (key) DO UPDATE SET due_at = excluded.due_at, state = NULL;
END;
--> statement-breakpoint
-- A login was gone through again: what slept because it was over is looked at within ten minutes.
CREATE TRIGGER grants_watched_again AFTER UPDATE OF stored_at ON grants
WHEN NEW.stored_by = 'login' AND NEW.credentials IS NOT NULL BEGIN
  UPDATE recurring SET due_at = NEW.stored_at + abs(random() % 600000)
  WHERE group_key = 'channel:' || NEW.channel_id AND due_at > NEW.stored_at + 600000;
END;
--> statement-breakpoint
-- What a login begins from now on, for the channels that are there.
INSERT INTO recurring (key, kind, due_at, interval_ms, failures, created_at)
SELECT 'subscribe:' || id, 'subscribe', unixepoch() * 1000 + (id % 60) * 60000, 86400000, 0, unixepoch() * 1000
FROM channels WHERE disconnected_at IS NULL
ON CONFLICT (key) DO NOTHING;
