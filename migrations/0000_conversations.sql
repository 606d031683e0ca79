CREATE TABLE `messages` (
	`seq` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`session_id` text NOT NULL,
	`platform_id` text NOT NULL,
	`role` text NOT NULL,
	`author_id` text NOT NULL,
	`author_name` text NOT NULL,
	`text` text NOT NULL,
	`quote_platform_id` text,
	`quote_author_id` text,
	`quote_author_name` text,
	`quote_text` text,
	`created_at` integer NOT NULL,
	`state` text NOT NULL,
	`tokens` integer,
	`encoding` text,
	FOREIGN KEY (`session_id`) REFERENCES `sessions`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE UNIQUE INDEX `messages_identity` ON `messages` (`session_id`,`platform_id`,`role`);--> statement-breakpoint
CREATE INDEX `messages_order` ON `messages` (`session_id`,`seq`);--> statement-breakpoint
CREATE INDEX `messages_pending` ON `messages` (`session_id`,`seq`) WHERE state = 'pending';--> statement-breakpoint
CREATE INDEX `messages_quotes` ON `messages` (`session_id`,`quote_platform_id`) WHERE quote_platform_id is not null;--> statement-breakpoint
CREATE TABLE `sessions` (
	`id` text PRIMARY KEY NOT NULL,
	`server_id` text,
	`parent_id` text,
	`epoch` integer DEFAULT 0 NOT NULL,
	`revision` integer DEFAULT 0 NOT NULL,
	`swept_through` integer DEFAULT 0 NOT NULL,
	`created_at` integer DEFAULT (unixepoch() * 1000) NOT NULL
);
--> statement-breakpoint
CREATE TABLE `settings` (
	`scope_id` text NOT NULL,
	`key` text NOT NULL,
	`value` text,
	`updated_at` integer NOT NULL,
	PRIMARY KEY(`scope_id`, `key`)
);
--> statement-breakpoint
CREATE TABLE `summaries` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`session_id` text NOT NULL,
	`text` text NOT NULL,
	`tokens` integer NOT NULL,
	`encoding` text NOT NULL,
	`from_seq` integer NOT NULL,
	`through_seq` integer NOT NULL,
	`from_at` integer NOT NULL,
	`through_at` integer NOT NULL,
	`model` text NOT NULL,
	`dirty` integer DEFAULT false NOT NULL,
	`created_at` integer NOT NULL,
	FOREIGN KEY (`session_id`) REFERENCES `sessions`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `summaries_watermark` ON `summaries` (`session_id`,`through_seq`);--> statement-breakpoint
CREATE TABLE `tombstones` (
	`session_id` text NOT NULL,
	`platform_id` text NOT NULL,
	`at` integer NOT NULL,
	PRIMARY KEY(`session_id`, `platform_id`)
);
