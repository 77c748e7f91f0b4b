DROP TRIGGER file_uses_begun;--> statement-breakpoint
DROP TRIGGER file_uses_ended;--> statement-breakpoint
DROP TRIGGER posts_release_files;
