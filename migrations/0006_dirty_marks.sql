CREATE INDEX `summaries_dirty` ON `summaries` (`session_id`,`through_seq`) WHERE dirty = 1;--> statement-breakpoint
DELETE FROM `summaries` WHERE `dirty` = 1 AND EXISTS (
	SELECT 1 FROM `summaries` AS `higher`
	WHERE `higher`.`session_id` = `summaries`.`session_id` AND `higher`.`dirty` = 1
	AND (`higher`.`through_seq`, `higher`.`id`) > (`summaries`.`through_seq`, `summaries`.`id`)
);--> statement-breakpoint
UPDATE `summaries` SET `text` = '', `tokens` = 0 WHERE `dirty` = 1;
