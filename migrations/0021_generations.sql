CREATE TABLE `generation_days` (
	`project_id` integer PRIMARY KEY NOT NULL,
	`day` integer NOT NULL,
	`begun` integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE `generations` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`uuid` text NOT NULL,
	`project_id` integer NOT NULL,
	`type` text NOT NULL,
	`input` text NOT NULL,
	`web_hook` text,
	`origin` text NOT NULL,
	`state` text NOT NULL,
	`caption` text DEFAULT '' NOT NULL,
	`files` text NOT NULL,
	`error` text,
	`error_code` text,
	`created_at` integer NOT NULL,
	`ended_at` integer,
	`deleted_at` integer,
	FOREIGN KEY (`project_id`) REFERENCES `projects`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE UNIQUE INDEX `generations_by_uuid` ON `generations` (`uuid`);--> statement-breakpoint
CREATE INDEX `generations_listed` ON `generations` (`project_id`,`id`) WHERE deleted_at IS NULL;--> statement-breakpoint
CREATE INDEX `generations_deleted` ON `generations` (`deleted_at`) WHERE deleted_at IS NOT NULL;--> statement-breakpoint
ALTER TABLE `files` ADD `generation_id` integer;--> statement-breakpoint
ALTER TABLE `files` ADD `rendition_of` text;--> statement-breakpoint
CREATE INDEX `files_of_generation` ON `files` (`generation_id`) WHERE generation_id IS NOT NULL;--> statement-breakpoint
CREATE UNIQUE INDEX `files_by_original` ON `files` (`rendition_of`) WHERE rendition_of IS NOT NULL;
--> statement-breakpoint
-- How many were begun today, whatever became of them.
CREATE TRIGGER generations_counted AFTER INSERT ON generations BEGIN
  INSERT INTO generation_days (project_id, day, begun) VALUES (NEW.project_id, NEW.created_at / 86400000, 1)
  ON CONFLICT (project_id) DO UPDATE SET
    begun = CASE WHEN day = excluded.day THEN begun + 1 ELSE 1 END, day = excluded.day;
END;
--> statement-breakpoint
-- What a generation keeps stays when the last post that used it is over.
DROP TRIGGER file_uses_ended;
--> statement-breakpoint
CREATE TRIGGER file_uses_ended AFTER DELETE ON file_uses BEGIN
  UPDATE files SET forget_at = CAST(unixepoch('subsec') * 1000 AS INTEGER) + CASE WHEN is_copy THEN 86400000 ELSE 604800000 END
  WHERE id = OLD.file_id AND forget_at IS NULL AND generation_id IS NULL
    AND NOT EXISTS (SELECT 1 FROM file_uses WHERE file_id = OLD.file_id);
END;
