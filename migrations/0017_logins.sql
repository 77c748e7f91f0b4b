ALTER TABLE `grants` ADD `ends_at` integer;--> statement-breakpoint
ALTER TABLE `grants` ADD `ending_told_at` integer;--> statement-breakpoint
ALTER TABLE `grants` ADD `login` text;--> statement-breakpoint
CREATE INDEX `grants_by_login` ON `grants` (`login`) WHERE login IS NOT NULL AND credentials IS NOT NULL;