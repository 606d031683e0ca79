CREATE TABLE `deliveries` (
	`session_id` text NOT NULL,
	`answer_to` text NOT NULL,
	`chunk` integer NOT NULL,
	`nonce` text NOT NULL,
	`message_id` text,
	PRIMARY KEY(`session_id`, `answer_to`, `chunk`)
);
--> statement-breakpoint
CREATE INDEX `deliveries_shown` ON `deliveries` (`session_id`,`message_id`);--> statement-breakpoint
CREATE TABLE `facts` (
	`name` text PRIMARY KEY NOT NULL,
	`value` text NOT NULL
);
--> statement-breakpoint
CREATE TABLE `opt_outs` (
	`scope_id` text NOT NULL,
	`author_id` text NOT NULL,
	`told` integer DEFAULT false NOT NULL,
	`at` integer NOT NULL,
	PRIMARY KEY(`scope_id`, `author_id`)
);
--> statement-breakpoint
CREATE TABLE `participants` (
	`author_id` text NOT NULL,
	`session_id` text NOT NULL,
	PRIMARY KEY(`author_id`, `session_id`),
	FOREIGN KEY (`session_id`) REFERENCES `sessions`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
ALTER TABLE `sessions` ADD `addressed` integer DEFAULT false NOT NULL;--> statement-breakpoint
CREATE INDEX `sessions_server` ON `sessions` (`server_id`);--> statement-breakpoint
CREATE INDEX `sessions_parent` ON `sessions` (`parent_id`);