CREATE TABLE `file_bytes` (
	`project_id` integer PRIMARY KEY NOT NULL,
	`bytes` integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE `file_parts` (
	`file_id` integer NOT NULL,
	`number` integer NOT NULL,
	`etag` text NOT NULL,
	PRIMARY KEY(`file_id`, `number`)
);
--> statement-breakpoint
CREATE TABLE `file_uses` (
	`file_id` integer NOT NULL,
	`post_id` integer NOT NULL,
	PRIMARY KEY(`post_id`, `file_id`)
);
--> statement-breakpoint
CREATE INDEX `file_uses_by_file` ON `file_uses` (`file_id`);--> statement-breakpoint
CREATE TABLE `files` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`project_id` integer NOT NULL,
	`name` text NOT NULL,
	`bytes` integer NOT NULL,
	`upload_id` text,
	`media` text,
	`is_copy` integer DEFAULT false NOT NULL,
	`created_at` integer NOT NULL,
	`forget_at` integer,
	FOREIGN KEY (`project_id`) REFERENCES `projects`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE UNIQUE INDEX `files_by_name` ON `files` (`name`);--> statement-breakpoint
CREATE INDEX `files_to_forget` ON `files` (`forget_at`) WHERE forget_at IS NOT NULL;--> statement-breakpoint
-- What a project has uploaded, kept in one row: what is announced counts at once. Copies are ours.
CREATE TRIGGER files_weighed AFTER INSERT ON files WHEN NOT NEW.is_copy BEGIN
  INSERT INTO file_bytes (project_id, bytes) VALUES (NEW.project_id, NEW.bytes)
  ON CONFLICT (project_id) DO UPDATE SET bytes = bytes + NEW.bytes;
END;
--> statement-breakpoint
CREATE TRIGGER files_weighed_on_change AFTER UPDATE OF bytes ON files WHEN NOT NEW.is_copy AND NEW.bytes <> OLD.bytes BEGIN
  UPDATE file_bytes SET bytes = max(0, bytes + NEW.bytes - OLD.bytes) WHERE project_id = NEW.project_id;
END;
--> statement-breakpoint
CREATE TRIGGER files_weighed_on_delete AFTER DELETE ON files WHEN NOT OLD.is_copy BEGIN
  UPDATE file_bytes SET bytes = max(0, bytes - OLD.bytes) WHERE project_id = OLD.project_id;
END;
--> statement-breakpoint
-- A file is kept while a post needs it, and for a while afterwards: a week, a copy of ours for a day (src/files/store.ts).
CREATE TRIGGER file_uses_begun AFTER INSERT ON file_uses BEGIN
  UPDATE files SET forget_at = NULL WHERE id = NEW.file_id;
END;
--> statement-breakpoint
CREATE TRIGGER file_uses_ended AFTER DELETE ON file_uses BEGIN
  UPDATE files SET forget_at = CAST(unixepoch('subsec') * 1000 AS INTEGER) + CASE WHEN is_copy THEN 86400000 ELSE 604800000 END
  WHERE id = OLD.file_id AND forget_at IS NULL AND NOT EXISTS (SELECT 1 FROM file_uses WHERE file_id = OLD.file_id);
END;
--> statement-breakpoint
-- A post needs its files until it has gone out, failed or was deleted.
CREATE TRIGGER posts_release_files AFTER UPDATE OF state ON posts
WHEN NEW.state <> OLD.state AND NEW.state IN ('published', 'failed', 'deleted') BEGIN
  DELETE FROM file_uses WHERE post_id = NEW.id;
END;
