BEGIN TRANSACTION;
CREATE TABLE answer (
        seq INTEGER PRIMARY KEY REFERENCES entry (seq),
        blob BLOB NOT NULL
    ) STRICT;
INSERT INTO "answer" VALUES(5,X'0000000000000000');
INSERT INTO "answer" VALUES(7,X'010101010101010101010101010101010101010101010101');
INSERT INTO "answer" VALUES(9,X'5B5D');
INSERT INTO "answer" VALUES(13,X'02020202020202020202020202020202');
CREATE TABLE entry (
        seq INTEGER PRIMARY KEY,
        kind TEXT NOT NULL CHECK (kind IN ('population', 'raise', 'run', 'charge', 'answer', 'close')),
        population TEXT NOT NULL CHECK (population <> ''),
        run TEXT NOT NULL CHECK ((run = '') = (kind IN ('population', 'raise'))),
        part TEXT NOT NULL,
        step INTEGER NOT NULL CHECK (step >= 0),
        units INTEGER NOT NULL CHECK (units BETWEEN 0 AND 1000000000000000000),
        delta_units INTEGER NOT NULL CHECK (delta_units BETWEEN 0 AND 1000000000000000000),
        text TEXT NOT NULL,
        digest TEXT NOT NULL,
        at TEXT NOT NULL,
        previous TEXT NOT NULL,
        law TEXT CHECK (law IS NULL OR law = 'gaussian' AND kind IN ('run', 'close')),
        gaussian_units INTEGER CHECK (gaussian_units BETWEEN 0 AND 1000000000000000000),
        mixed_units INTEGER CHECK (mixed_units BETWEEN -1000000000000000000 AND 1000000000000000000),
        epsilon REAL CHECK (epsilon > 0),
        delta REAL CHECK (delta > 0 AND delta < 1),
        hash TEXT NOT NULL UNIQUE CHECK (length(hash) = 64),
        CHECK ((epsilon IS NULL) = (gaussian_units IS NULL)),
        CHECK ((epsilon IS NULL) = (mixed_units IS NULL)),
        CHECK ((epsilon IS NULL) = (delta IS NULL)),
        CHECK (epsilon IS NULL OR kind IN ('population', 'raise'))
    ) STRICT;
INSERT INTO "entry" VALUES(1,'population','patients','','',0,1500,1000,'study one','','2026-11-22T01:25:15+00:00','',NULL,NULL,NULL,NULL,NULL,'8470943024eb600e857fd1df0bf992438d58fc31a38acca83cb75e072d8a3a50');
INSERT INTO "entry" VALUES(2,'population','staff','','',0,14973057673,1000000000,'with a promise','','2026-11-22T01:25:15+00:00','8470943024eb600e857fd1df0bf992438d58fc31a38acca83cb75e072d8a3a50',NULL,16547344066,11863651051,1.0,1.0e-09,'1a0f330903ad45db9d97fa6db3e69e424c8b603bc8187cdab94b7c5338a829fd');
INSERT INTO "entry" VALUES(3,'run','patients','first','',0,400,10,'table one','','2026-11-22T01:25:15+00:00','1a0f330903ad45db9d97fa6db3e69e424c8b603bc8187cdab94b7c5338a829fd',NULL,NULL,NULL,NULL,NULL,'564a85f60e9b597045de615cbadfa69c76079c437471068edd32b96cb0fd168a');
INSERT INTO "entry" VALUES(4,'charge','patients','first','mechanism',0,19,0,'{"ask":"choose"}','02d9e6f80d6aaab0d4dd70b95db271a8e858b3ff97171b82f7f6b41611b6d4fa','2026-11-22T01:25:15+00:00','564a85f60e9b597045de615cbadfa69c76079c437471068edd32b96cb0fd168a',NULL,NULL,NULL,NULL,NULL,'ed275a08a49d7a661621ec8886bbe1a535a90479c16d3639855c27bbd073053a');
INSERT INTO "entry" VALUES(5,'answer','patients','first','mechanism',0,0,0,'','af5570f5a1810b7af78caf4bc70a660f0df51e42baf91d4de5b2328de0e83dfc','2026-11-22T01:25:15+00:00','ed275a08a49d7a661621ec8886bbe1a535a90479c16d3639855c27bbd073053a',NULL,NULL,NULL,NULL,NULL,'8f8485ae7aac0c60b494005a03a8a2d2cc9af2ff56369c19947f3bfe2a140b59');
INSERT INTO "entry" VALUES(6,'charge','patients','first','mechanism',1,101,0,'{"ask":"measure","clique":["a"]}','1ece9467423185e7104764bf799ed8fec7729c43b46e37e9563bada6941a4d2c','2026-11-22T01:25:15+00:00','8f8485ae7aac0c60b494005a03a8a2d2cc9af2ff56369c19947f3bfe2a140b59',NULL,NULL,NULL,NULL,NULL,'fd268bcc9c7482a50168c1b762bc8881dd1a578d48b2dd972744b82290151c9d');
INSERT INTO "entry" VALUES(7,'answer','patients','first','mechanism',1,0,0,'','5b8b4d29020ea5b1bc427c40a0cab2bf944be057ec482110f1d12b68008cd286','2026-11-22T01:25:15+00:00','fd268bcc9c7482a50168c1b762bc8881dd1a578d48b2dd972744b82290151c9d',NULL,NULL,NULL,NULL,NULL,'fed1283fc07a8d9b7b4ef5633265a0021fad6f2940a9d6ad76bb22f91600a6a0');
INSERT INTO "entry" VALUES(8,'charge','patients','first','preprocess',0,30,7,'{"ask":"values"}','bb9e4a7fd83a3c0a66bbbd5d69e54ddd74f9ed678c79e9f2d0f1a82c4d145d71','2026-11-22T01:25:15+00:00','fed1283fc07a8d9b7b4ef5633265a0021fad6f2940a9d6ad76bb22f91600a6a0',NULL,NULL,NULL,NULL,NULL,'a8f6c656781e69537926a90ead38cd68e55219db6f87d087020352e771d34433');
INSERT INTO "entry" VALUES(9,'answer','patients','first','preprocess',0,0,0,'','4f53cda18c2baa0c0354bb5f9a3ecbe5ed12ab4d8e11ba873c2f11161202b945','2026-11-22T01:25:15+00:00','a8f6c656781e69537926a90ead38cd68e55219db6f87d087020352e771d34433',NULL,NULL,NULL,NULL,NULL,'d4549b89d83e395c9c2d63ac7e498bcb5061850659429685be1f220c75229938');
INSERT INTO "entry" VALUES(10,'close','patients','first','',0,250,3,'','','2026-11-22T01:25:15+00:00','d4549b89d83e395c9c2d63ac7e498bcb5061850659429685be1f220c75229938',NULL,NULL,NULL,NULL,NULL,'a4c67c7c14db8f9b1cd6c916f29fdcfe9c75e5b86e9338ec3aa65ae97b85e2bf');
INSERT INTO "entry" VALUES(11,'run','staff','second','',0,1000000000,0,'gauss','','2026-11-22T01:25:15+00:00','a4c67c7c14db8f9b1cd6c916f29fdcfe9c75e5b86e9338ec3aa65ae97b85e2bf','gaussian',NULL,NULL,NULL,NULL,'74ef12634b34fd5a59f8bf0573919d143892a9cd475b06df3c79ab5e85114218');
INSERT INTO "entry" VALUES(12,'charge','staff','second','mechanism',0,100000000,0,'{"ask":"measure","clique":["a"],"law":"gaussian"}','d6d634c88c158a0bf5342d105b80669fc4a8279033fe6b25be44fee2914ca23a','2026-11-22T01:25:15+00:00','74ef12634b34fd5a59f8bf0573919d143892a9cd475b06df3c79ab5e85114218',NULL,NULL,NULL,NULL,NULL,'e8d6732ca58528bd99b6b0e6e797fdd4eb4e90c59ea990c308af6c2765b055f4');
INSERT INTO "entry" VALUES(13,'answer','staff','second','mechanism',0,0,0,'','292afde3b64e6636d68f1120d9242f1f85e38ef7bf306e4407c2303eb63791ef','2026-11-22T01:25:15+00:00','e8d6732ca58528bd99b6b0e6e797fdd4eb4e90c59ea990c308af6c2765b055f4',NULL,NULL,NULL,NULL,NULL,'844652c6d8b647b64f4b0a6f8ec2c87f635b0841e5590ae7272e983eaa8255e1');
INSERT INTO "entry" VALUES(14,'charge','staff','second','mechanism',1,100000000,0,'{"ask":"measure","clique":["b"],"law":"gaussian"}','ac3b1b81d8549db62219336054658e00334b3296c8ecbcdce690cc69fcce5068','2026-11-22T01:25:15+00:00','844652c6d8b647b64f4b0a6f8ec2c87f635b0841e5590ae7272e983eaa8255e1',NULL,NULL,NULL,NULL,NULL,'cd99a3def54efb7cc2738a1b4d50ce5e5242d933746c753a3ab9f5ff4b5da851');
INSERT INTO "entry" VALUES(15,'raise','staff','','',0,41157444123,0,'more asked for','','2026-11-22T01:25:15+00:00','cd99a3def54efb7cc2738a1b4d50ce5e5242d933746c753a3ab9f5ff4b5da851',NULL,45211008620,33169451416,2.0,1.0e-09,'dbae15c0270fdef5a9544ba922347ae97ff6c47bc6a272ceb2b379c06a690d43');
CREATE INDEX by_population ON entry (population, kind, units, delta_units);
CREATE INDEX by_run ON entry (run, kind, units, delta_units);
CREATE UNIQUE INDEX one_line ON entry (population) WHERE kind = 'population';
CREATE UNIQUE INDEX one_run ON entry (run) WHERE kind = 'run';
CREATE UNIQUE INDEX one_close ON entry (run) WHERE kind = 'close';
CREATE UNIQUE INDEX one_charge ON entry (run, part, step) WHERE kind = 'charge';
CREATE UNIQUE INDEX one_answer ON entry (run, part, step) WHERE kind = 'answer';
CREATE TRIGGER "in order" BEFORE INSERT ON entry WHEN NEW.seq <> (SELECT coalesce(max(seq), 0) + 1 FROM entry) BEGIN SELECT RAISE(ABORT, 'in order'); END;
CREATE TRIGGER "in one chain" BEFORE INSERT ON entry WHEN NEW.previous <> coalesce((SELECT hash FROM entry ORDER BY seq DESC LIMIT 1), '') BEGIN SELECT RAISE(ABORT, 'in one chain'); END;
CREATE TRIGGER "one line for a population" BEFORE INSERT ON entry WHEN NEW.kind = 'population' AND EXISTS (SELECT 1 FROM entry WHERE kind = 'population' AND population = NEW.population) BEGIN SELECT RAISE(ABORT, 'one line for a population'); END;
CREATE TRIGGER "a line before anything else" BEFORE INSERT ON entry WHEN NEW.kind <> 'population' AND NOT EXISTS (SELECT 1 FROM entry WHERE kind = 'population' AND population = NEW.population) BEGIN SELECT RAISE(ABORT, 'a line before anything else'); END;
CREATE TRIGGER "limits have reasons" BEFORE INSERT ON entry WHEN NEW.kind IN ('population', 'raise') AND NEW.text = '' BEGIN SELECT RAISE(ABORT, 'limits have reasons'); END;
CREATE TRIGGER "limits have a limit" BEFORE INSERT ON entry WHEN NEW.kind = 'raise' AND max((SELECT coalesce(sum(units), 0) FROM entry WHERE population = NEW.population AND kind IN ('population', 'raise') AND 1) + NEW.units, (SELECT coalesce(sum(delta_units), 0) FROM entry WHERE population = NEW.population AND kind IN ('population', 'raise') AND 1) + NEW.delta_units, (SELECT coalesce(sum(coalesce(gaussian_units, units)), 0) FROM entry WHERE population = NEW.population AND kind IN ('population', 'raise') AND 1) + coalesce(NEW.gaussian_units, NEW.units)) > 1000000000000000000 BEGIN SELECT RAISE(ABORT, 'limits have a limit'); END;
CREATE TRIGGER "the Gaussian limit is the largest" BEFORE INSERT ON entry WHEN NEW.kind = 'population' AND NEW.epsilon IS NOT NULL AND NOT (0 < NEW.mixed_units AND NEW.mixed_units <= NEW.units AND NEW.units <= NEW.gaussian_units) BEGIN SELECT RAISE(ABORT, 'the Gaussian limit is the largest'); END;
CREATE TRIGGER "one reservation for a run" BEFORE INSERT ON entry WHEN NEW.kind = 'run' AND EXISTS (SELECT 1 FROM entry WHERE kind = 'run' AND run = NEW.run) BEGIN SELECT RAISE(ABORT, 'one reservation for a run'); END;
CREATE TRIGGER "within the limit" BEFORE INSERT ON entry WHEN NEW.kind = 'run' AND (((SELECT coalesce(sum(units), 0) FROM entry WHERE population = NEW.population AND kind IN ('run') AND 1) - (SELECT coalesce(sum(units), 0) FROM entry WHERE population = NEW.population AND kind IN ('close') AND 1)) + NEW.units > CASE WHEN ((SELECT min(seq) FROM entry WHERE population = NEW.population AND kind = 'charge') IS NOT NULL AND ((SELECT coalesce(sum(units), 0) FROM entry WHERE population = NEW.population AND kind IN ('run') AND law IS NULL AND seq < (SELECT min(seq) FROM entry WHERE population = NEW.population AND kind = 'charge')) - (SELECT coalesce(sum(units), 0) FROM entry WHERE population = NEW.population AND kind IN ('close') AND law IS NULL AND seq < (SELECT min(seq) FROM entry WHERE population = NEW.population AND kind = 'charge'))) > 0) THEN (SELECT coalesce(sum(coalesce(units, units)), 0) FROM entry WHERE population = NEW.population AND kind IN ('population', 'raise') AND 1) WHEN NOT (((SELECT coalesce(sum(units), 0) FROM entry WHERE population = NEW.population AND kind IN ('run') AND law IS NULL) - (SELECT coalesce(sum(units), 0) FROM entry WHERE population = NEW.population AND kind IN ('close') AND law IS NULL)) > 0 OR NEW.law IS NULL) THEN (SELECT coalesce(sum(coalesce(gaussian_units, units)), 0) FROM entry WHERE population = NEW.population AND kind IN ('population', 'raise') AND 1) WHEN (SELECT min(seq) FROM entry WHERE population = NEW.population AND kind = 'charge') IS NULL THEN (SELECT coalesce(sum(coalesce(units, units)), 0) FROM entry WHERE population = NEW.population AND kind IN ('population', 'raise') AND 1) ELSE (SELECT coalesce(sum(coalesce(mixed_units, units)), 0) FROM entry WHERE population = NEW.population AND kind IN ('population', 'raise') AND 1) END OR ((SELECT coalesce(sum(delta_units), 0) FROM entry WHERE population = NEW.population AND kind IN ('run') AND 1) - (SELECT coalesce(sum(delta_units), 0) FROM entry WHERE population = NEW.population AND kind IN ('close') AND 1)) + NEW.delta_units > (SELECT coalesce(sum(delta_units), 0) FROM entry WHERE population = NEW.population AND kind IN ('population', 'raise') AND 1)) BEGIN SELECT RAISE(ABORT, 'within the limit'); END;
CREATE TRIGGER "a Gaussian run buys no lists" BEFORE INSERT ON entry WHEN NEW.kind = 'run' AND NEW.law IS NOT NULL AND NEW.delta_units > 0 BEGIN SELECT RAISE(ABORT, 'a Gaussian run buys no lists'); END;
CREATE TRIGGER "a Gaussian run asks Gaussian questions" BEFORE INSERT ON entry WHEN NEW.kind = 'charge' AND (SELECT law FROM entry WHERE kind = 'run' AND run = NEW.run) IS NOT NULL AND (NOT json_valid(NEW.text) OR json_extract(NEW.text, '$.law') IS NOT 'gaussian' OR coalesce(json_extract(NEW.text, '$.ask'), '') NOT IN ('measure', 'score', 'magnitudes')) BEGIN SELECT RAISE(ABORT, 'a Gaussian run asks Gaussian questions'); END;
CREATE TRIGGER "a close is of the kind of its run" BEFORE INSERT ON entry WHEN NEW.kind = 'close' AND NEW.law IS NOT (SELECT law FROM entry WHERE kind = 'run' AND run = NEW.run) BEGIN SELECT RAISE(ABORT, 'a close is of the kind of its run'); END;
CREATE TRIGGER "a reservation before a question" BEFORE INSERT ON entry WHEN NEW.kind IN ('charge', 'answer', 'close') AND NOT EXISTS (SELECT 1 FROM entry WHERE kind = 'run' AND run = NEW.run AND population = NEW.population) BEGIN SELECT RAISE(ABORT, 'a reservation before a question'); END;
CREATE TRIGGER "nothing after the close" BEFORE INSERT ON entry WHEN NEW.kind IN ('charge', 'answer', 'close') AND EXISTS (SELECT 1 FROM entry WHERE kind = 'close' AND run = NEW.run) BEGIN SELECT RAISE(ABORT, 'nothing after the close'); END;
CREATE TRIGGER "one charge for a question" BEFORE INSERT ON entry WHEN NEW.kind = 'charge' AND EXISTS (SELECT 1 FROM entry WHERE kind = 'charge' AND run = NEW.run AND part = NEW.part AND step = NEW.step) BEGIN SELECT RAISE(ABORT, 'one charge for a question'); END;
CREATE TRIGGER "no question for nothing" BEFORE INSERT ON entry WHEN NEW.kind = 'charge' AND NEW.units + NEW.delta_units = 0 BEGIN SELECT RAISE(ABORT, 'no question for nothing'); END;
CREATE TRIGGER "within the reservation" BEFORE INSERT ON entry WHEN NEW.kind = 'charge' AND ((SELECT coalesce(sum(units), 0) FROM entry WHERE run = NEW.run AND kind IN ('charge') AND 1) + NEW.units > (SELECT coalesce(sum(units), 0) FROM entry WHERE run = NEW.run AND kind IN ('run') AND 1) OR (SELECT coalesce(sum(delta_units), 0) FROM entry WHERE run = NEW.run AND kind IN ('charge') AND 1) + NEW.delta_units > (SELECT coalesce(sum(delta_units), 0) FROM entry WHERE run = NEW.run AND kind IN ('run') AND 1)) BEGIN SELECT RAISE(ABORT, 'within the reservation'); END;
CREATE TRIGGER "a charge before an answer" BEFORE INSERT ON entry WHEN NEW.kind = 'answer' AND NOT EXISTS (SELECT 1 FROM entry WHERE kind = 'charge' AND run = NEW.run AND part = NEW.part AND step = NEW.step) BEGIN SELECT RAISE(ABORT, 'a charge before an answer'); END;
CREATE TRIGGER "one answer for a question" BEFORE INSERT ON entry WHEN NEW.kind = 'answer' AND EXISTS (SELECT 1 FROM entry WHERE kind = 'answer' AND run = NEW.run AND part = NEW.part AND step = NEW.step) BEGIN SELECT RAISE(ABORT, 'one answer for a question'); END;
CREATE TRIGGER "answers are paid already" BEFORE INSERT ON entry WHEN NEW.kind = 'answer' AND NEW.units + NEW.delta_units > 0 BEGIN SELECT RAISE(ABORT, 'answers are paid already'); END;
CREATE TRIGGER "a close frees the rest" BEFORE INSERT ON entry WHEN NEW.kind = 'close' AND (NEW.units <> (SELECT coalesce(sum(units), 0) FROM entry WHERE run = NEW.run AND kind IN ('run') AND 1) - (SELECT coalesce(sum(units), 0) FROM entry WHERE run = NEW.run AND kind IN ('charge') AND 1) OR NEW.delta_units <> (SELECT coalesce(sum(delta_units), 0) FROM entry WHERE run = NEW.run AND kind IN ('run') AND 1) - (SELECT coalesce(sum(delta_units), 0) FROM entry WHERE run = NEW.run AND kind IN ('charge') AND 1)) BEGIN SELECT RAISE(ABORT, 'a close frees the rest'); END;
CREATE TRIGGER "answers belong to entries" BEFORE INSERT ON answer WHEN NOT EXISTS (SELECT 1 FROM entry WHERE seq = NEW.seq AND kind = 'answer') OR EXISTS (SELECT 1 FROM answer WHERE seq = NEW.seq) BEGIN SELECT RAISE(ABORT, 'answers belong to entries'); END;
CREATE TRIGGER "no update of entry" BEFORE UPDATE ON entry WHEN 1 BEGIN SELECT RAISE(ABORT, 'no update of entry'); END;
CREATE TRIGGER "no delete of entry" BEFORE DELETE ON entry WHEN 1 BEGIN SELECT RAISE(ABORT, 'no delete of entry'); END;
CREATE TRIGGER "no update of answer" BEFORE UPDATE ON answer WHEN 1 BEGIN SELECT RAISE(ABORT, 'no update of answer'); END;
CREATE TRIGGER "no delete of answer" BEFORE DELETE ON answer WHEN 1 BEGIN SELECT RAISE(ABORT, 'no delete of answer'); END;
COMMIT;
PRAGMA user_version = 2;
