CREATE TABLE `usage` (
	`scope_id` text NOT NULL,
	`day` text NOT NULL,
	`author_id` text NOT NULL,
	`session_id` text NOT NULL,
	`tokens` integer NOT NULL,
	`calls` integer NOT NULL,
	PRIMARY KEY(`scope_id`, `day`, `author_id`, `session_id`)
);
