ALTER TABLE `jobs` ADD `woken_by` text;--> statement-breakpoint
CREATE INDEX `jobs_woken` ON `jobs` (`woken_by`) WHERE state = 'open' AND woken_by IS NOT NULL;