BEGIN TRANSACTION;
CREATE TABLE answer (
        seq INTEGER PRIMARY KEY REFERENCES entry (seq),
        blob BLOB NOT NULL
    ) STRICT;
INSERT INTO "answer" VALUES(5,X'30');
INSERT INTO "answer" VALUES(7,X'010101010101010101010101010101010101010101010101');
INSERT INTO "answer" VALUES(9,X'5B5D');
INSERT INTO "answer" VALUES(13,X'02020202020202020202020202020202');
CREATE TABLE entry (
        seq INTEGER PRIMARY KEY,
        kind TEXT NOT NULL CHECK (kind IN ('population', 'raise', 'declare', 'run', 'charge', 'answer', 'close')),
        population TEXT NOT NULL CHECK (population <> ''),
        run TEXT NOT NULL CHECK ((run = '') = (kind IN ('population', 'raise', 'declare'))),
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
        unit TEXT CHECK (unit <> ''),
        max_rows INTEGER CHECK (max_rows BETWEEN 1 AND 1000000000000000000),
        neighbours TEXT CHECK (neighbours IN ('add-or-remove-one-unit', 'replace-one-unit')),
        is_capped INTEGER CHECK (is_capped IN (0, 1)),
        hash TEXT NOT NULL UNIQUE CHECK (length(hash) = 64),
        CHECK ((epsilon IS NULL) = (gaussian_units IS NULL)),
        CHECK ((epsilon IS NULL) = (mixed_units IS NULL)),
        CHECK ((epsilon IS NULL) = (delta IS NULL)),
        CHECK (epsilon IS NULL OR kind IN ('population', 'raise')),
        CHECK ((unit IS NULL) = (max_rows IS NULL)),
        CHECK ((unit IS NULL) = (neighbours IS NULL)),
        CHECK ((unit IS NULL) = (is_capped IS NULL)),
        CHECK (unit IS NULL OR kind IN ('population', 'declare', 'run')),
        CHECK (kind <> 'declare' OR unit IS NOT NULL AND units + delta_units = 0)
    ) STRICT;
INSERT INTO "entry" VALUES(1,'population','patients','','',0,1500,1000,'study one','','2026-11-22T08:31:12+00:00','',NULL,NULL,NULL,NULL,NULL,'person',1,'add-or-remove-one-unit',0,'07629dca0cf9d4d5a73127fd314dcca5676986d773932cc065bb473756c795ac');
INSERT INTO "entry" VALUES(2,'population','staff','','',0,14964550268,10000000,'with a promise','','2026-11-22T08:31:12+00:00','07629dca0cf9d4d5a73127fd314dcca5676986d773932cc065bb473756c795ac',NULL,16537284635,11858248123,1.0,9.9e-10,'person',1,'add-or-remove-one-unit',0,'1a9daa7ec4b12f6d5d4036e3d2288e5ce656228be10cc90cff4995d5b4a5b82f');
INSERT INTO "entry" VALUES(3,'run','patients','first','',0,400,10,'table one','','2026-11-22T08:31:12+00:00','1a9daa7ec4b12f6d5d4036e3d2288e5ce656228be10cc90cff4995d5b4a5b82f',NULL,NULL,NULL,NULL,NULL,'person',1,'add-or-remove-one-unit',0,'41e30d232c5b5e47a8a7a1ea6cef2bfd851e54adecf7c26b0b6ff7ca0038b238');
INSERT INTO "entry" VALUES(4,'charge','patients','first','mechanism',0,19,0,'{"ask":"choose"}','02d9e6f80d6aaab0d4dd70b95db271a8e858b3ff97171b82f7f6b41611b6d4fa','2026-11-22T08:31:12+00:00','41e30d232c5b5e47a8a7a1ea6cef2bfd851e54adecf7c26b0b6ff7ca0038b238',NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,'e1d257bdbfdd7c9583a2c078c4e2685b721115385a9d1a147cc3bef122afe5ab');
INSERT INTO "entry" VALUES(5,'answer','patients','first','mechanism',0,0,0,'','5feceb66ffc86f38d952786c6d696c79c2dbc239dd4e91b46729d73a27fb57e9','2026-11-22T08:31:12+00:00','e1d257bdbfdd7c9583a2c078c4e2685b721115385a9d1a147cc3bef122afe5ab',NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,'23879b6f06239e41bf654bb729cb87c35748a029fa6aa01d570eadf2c5e2955b');
INSERT INTO "entry" VALUES(6,'charge','patients','first','mechanism',1,101,0,'{"ask":"measure","clique":["a"]}','1ece9467423185e7104764bf799ed8fec7729c43b46e37e9563bada6941a4d2c','2026-11-22T08:31:12+00:00','23879b6f06239e41bf654bb729cb87c35748a029fa6aa01d570eadf2c5e2955b',NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,'c71ea9f267a00733f4803e53bbad278b145a6d5c420e10d6169e5650ebbacd46');
INSERT INTO "entry" VALUES(7,'answer','patients','first','mechanism',1,0,0,'','5b8b4d29020ea5b1bc427c40a0cab2bf944be057ec482110f1d12b68008cd286','2026-11-22T08:31:12+00:00','c71ea9f267a00733f4803e53bbad278b145a6d5c420e10d6169e5650ebbacd46',NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,'b1bbe1c4dd5e26c70fd19b34d5458240d01bac67f021043414d216c397268353');
INSERT INTO "entry" VALUES(8,'charge','patients','first','preprocess',0,30,7,'{"ask":"values"}','bb9e4a7fd83a3c0a66bbbd5d69e54ddd74f9ed678c79e9f2d0f1a82c4d145d71','2026-11-22T08:31:13+00:00','b1bbe1c4dd5e26c70fd19b34d5458240d01bac67f021043414d216c397268353',NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,'9a86fbab3e7663d8d4c48dffad2def0f5fc86d3c0c33541bf9eca9a832ee2f04');
INSERT INTO "entry" VALUES(9,'answer','patients','first','preprocess',0,0,0,'','4f53cda18c2baa0c0354bb5f9a3ecbe5ed12ab4d8e11ba873c2f11161202b945','2026-11-22T08:31:13+00:00','9a86fbab3e7663d8d4c48dffad2def0f5fc86d3c0c33541bf9eca9a832ee2f04',NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,'776b050d8166aaf93ec6c94be17bc7d0f9c1f666707b5cc06e2e7d996136749b');
INSERT INTO "entry" VALUES(10,'close','patients','first','',0,250,3,'','','2026-11-22T08:31:14+00:00','776b050d8166aaf93ec6c94be17bc7d0f9c1f666707b5cc06e2e7d996136749b',NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,'641b06ff79fcc9b92b02b05a30ae8a4cc4b09b81d43ce251c89f4258d2b5059c');
INSERT INTO "entry" VALUES(11,'run','staff','second','',0,1000000000,0,'gauss','','2026-11-22T08:31:14+00:00','641b06ff79fcc9b92b02b05a30ae8a4cc4b09b81d43ce251c89f4258d2b5059c','gaussian',NULL,NULL,NULL,NULL,'person',1,'add-or-remove-one-unit',0,'affdf568eb917fb648c92d028b91923166ec3bd040bd8ab335b6fd1279eac307');
INSERT INTO "entry" VALUES(12,'charge','staff','second','mechanism',0,100000000,0,'{"ask":"measure","clique":["a"],"law":"gaussian"}','d6d634c88c158a0bf5342d105b80669fc4a8279033fe6b25be44fee2914ca23a','2026-11-22T08:31:14+00:00','affdf568eb917fb648c92d028b91923166ec3bd040bd8ab335b6fd1279eac307',NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,'92c8e5ab7216242a5f5c7f5f3db26cef08126910818eb4798423d281b5d696c2');
INSERT INTO "entry" VALUES(13,'answer','staff','second','mechanism',0,0,0,'','292afde3b64e6636d68f1120d9242f1f85e38ef7bf306e4407c2303eb63791ef','2026-11-22T08:31:14+00:00','92c8e5ab7216242a5f5c7f5f3db26cef08126910818eb4798423d281b5d696c2',NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,'529c525586c007521e12d421b9a95ad08c3e448db920a14481a69c90df6de219');
INSERT INTO "entry" VALUES(14,'charge','staff','second','mechanism',1,100000000,0,'{"ask":"measure","clique":["b"],"law":"gaussian"}','ac3b1b81d8549db62219336054658e00334b3296c8ecbcdce690cc69fcce5068','2026-11-22T08:31:14+00:00','529c525586c007521e12d421b9a95ad08c3e448db920a14481a69c90df6de219',NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,'ce4eca2716b79b09731c39a3605ca8d8f32317d589ad09d485808504062e0c4d');
INSERT INTO "entry" VALUES(15,'raise','staff','','',0,41135941936,0,'more asked for','','2026-11-22T08:31:14+00:00','ce4eca2716b79b09731c39a3605ca8d8f32317d589ad09d485808504062e0c4d',NULL,45185822958,33155340647,2.0,9.9e-10,NULL,NULL,NULL,NULL,'bc4fdb61dd3aa71837b089577daa13b07bdc22959849945f30dfc35614e7db82');
CREATE TABLE secret (
        id INTEGER PRIMARY KEY CHECK (id = 1),
        key BLOB NOT NULL CHECK (length(key) = 32)
    ) STRICT;
INSERT INTO "secret" VALUES(1,X'B9676CFEE85154B6680C262969233475729F411A87C8F2A9F0DABF96EE2496F5');
CREATE INDEX by_population ON entry (population, kind, units, delta_units);
CREATE INDEX by_run ON entry (run, kind, units, delta_units);
CREATE UNIQUE INDEX one_line ON entry (population) WHERE kind = 'population';
CREATE UNIQUE INDEX one_run ON entry (run) WHERE kind = 'run';
CREATE UNIQUE INDEX one_close ON entry (run) WHERE kind = 'close';
CREATE UNIQUE INDEX one_charge ON entry (run, part, step) WHERE kind = 'charge';
CREATE UNIQUE INDEX one_answer ON entry (run, part, step) WHERE kind = 'answer';
CREATE TRIGGER "in order" BEFORE INSERT ON entry WHEN NEW.seq <> (SELECT coalesce(max(seq), 0) + 1 FROM entry) BEGIN SELECT RAISE(ABORT, 'in order'); END;
CREATE TRIGGER "every hash once" BEFORE INSERT ON entry WHEN EXISTS (SELECT 1 FROM entry WHERE hash = NEW.hash) BEGIN SELECT RAISE(ABORT, 'every hash once'); END;
CREATE TRIGGER "in one chain" BEFORE INSERT ON entry WHEN NEW.previous <> coalesce((SELECT hash FROM entry ORDER BY seq DESC LIMIT 1), '') BEGIN SELECT RAISE(ABORT, 'in one chain'); END;
CREATE TRIGGER "one line for a population" BEFORE INSERT ON entry WHEN NEW.kind = 'population' AND EXISTS (SELECT 1 FROM entry WHERE kind = 'population' AND population = NEW.population) BEGIN SELECT RAISE(ABORT, 'one line for a population'); END;
CREATE TRIGGER "a line before anything else" BEFORE INSERT ON entry WHEN NEW.kind <> 'population' AND NOT EXISTS (SELECT 1 FROM entry WHERE kind = 'population' AND population = NEW.population) BEGIN SELECT RAISE(ABORT, 'a line before anything else'); END;
CREATE TRIGGER "limits have reasons" BEFORE INSERT ON entry WHEN NEW.kind IN ('population', 'raise', 'declare') AND NEW.text = '' BEGIN SELECT RAISE(ABORT, 'limits have reasons'); END;
CREATE TRIGGER "a line protects one change" BEFORE INSERT ON entry WHEN NEW.kind = 'declare' AND (SELECT unit FROM entry WHERE population = NEW.population AND kind IN ('population', 'declare') ORDER BY seq DESC LIMIT 1) IS NOT NULL AND ((SELECT coalesce(sum(units), 0) FROM entry WHERE population = NEW.population AND kind IN ('run') AND 1) - (SELECT coalesce(sum(units), 0) FROM entry WHERE population = NEW.population AND kind IN ('close') AND 1)) + ((SELECT coalesce(sum(delta_units), 0) FROM entry WHERE population = NEW.population AND kind IN ('run') AND 1) - (SELECT coalesce(sum(delta_units), 0) FROM entry WHERE population = NEW.population AND kind IN ('close') AND 1)) > 0 BEGIN SELECT RAISE(ABORT, 'a line protects one change'); END;
CREATE TRIGGER "a run is within what its line protects" BEFORE INSERT ON entry WHEN NEW.kind = 'run' AND NOT (NEW.unit IS (SELECT unit FROM entry WHERE population = NEW.population AND kind IN ('population', 'declare') ORDER BY seq DESC LIMIT 1) AND NEW.neighbours IS (SELECT neighbours FROM entry WHERE population = NEW.population AND kind IN ('population', 'declare') ORDER BY seq DESC LIMIT 1) AND (NEW.max_rows IS (SELECT max_rows FROM entry WHERE population = NEW.population AND kind IN ('population', 'declare') ORDER BY seq DESC LIMIT 1) OR NEW.is_capped = 1 AND NEW.max_rows < (SELECT max_rows FROM entry WHERE population = NEW.population AND kind IN ('population', 'declare') ORDER BY seq DESC LIMIT 1) AND NEW.neighbours = 'add-or-remove-one-unit')) BEGIN SELECT RAISE(ABORT, 'a run is within what its line protects'); END;
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
CREATE TRIGGER "no question for nothing" BEFORE INSERT ON entry WHEN NEW.kind = 'charge' AND NEW.units = 0 BEGIN SELECT RAISE(ABORT, 'no question for nothing'); END;
CREATE TRIGGER "within the reservation" BEFORE INSERT ON entry WHEN NEW.kind = 'charge' AND ((SELECT coalesce(sum(units), 0) FROM entry WHERE run = NEW.run AND kind IN ('charge') AND 1) + NEW.units > (SELECT coalesce(sum(units), 0) FROM entry WHERE run = NEW.run AND kind IN ('run') AND 1) OR (SELECT coalesce(sum(delta_units), 0) FROM entry WHERE run = NEW.run AND kind IN ('charge') AND 1) + NEW.delta_units > (SELECT coalesce(sum(delta_units), 0) FROM entry WHERE run = NEW.run AND kind IN ('run') AND 1)) BEGIN SELECT RAISE(ABORT, 'within the reservation'); END;
CREATE TRIGGER "a charge before an answer" BEFORE INSERT ON entry WHEN NEW.kind = 'answer' AND NOT EXISTS (SELECT 1 FROM entry WHERE kind = 'charge' AND run = NEW.run AND part = NEW.part AND step = NEW.step) BEGIN SELECT RAISE(ABORT, 'a charge before an answer'); END;
CREATE TRIGGER "one answer for a question" BEFORE INSERT ON entry WHEN NEW.kind = 'answer' AND EXISTS (SELECT 1 FROM entry WHERE kind = 'answer' AND run = NEW.run AND part = NEW.part AND step = NEW.step) BEGIN SELECT RAISE(ABORT, 'one answer for a question'); END;
CREATE TRIGGER "answers are paid already" BEFORE INSERT ON entry WHEN NEW.kind = 'answer' AND NEW.units + NEW.delta_units > 0 BEGIN SELECT RAISE(ABORT, 'answers are paid already'); END;
CREATE TRIGGER "a close frees the rest" BEFORE INSERT ON entry WHEN NEW.kind = 'close' AND (NEW.units <> (SELECT coalesce(sum(units), 0) FROM entry WHERE run = NEW.run AND kind IN ('run') AND 1) - (SELECT coalesce(sum(units), 0) FROM entry WHERE run = NEW.run AND kind IN ('charge') AND 1) OR NEW.delta_units <> (SELECT coalesce(sum(delta_units), 0) FROM entry WHERE run = NEW.run AND kind IN ('run') AND 1) - (SELECT coalesce(sum(delta_units), 0) FROM entry WHERE run = NEW.run AND kind IN ('charge') AND 1)) BEGIN SELECT RAISE(ABORT, 'a close frees the rest'); END;
CREATE TRIGGER "answers belong to entries" BEFORE INSERT ON answer WHEN NOT EXISTS (SELECT 1 FROM entry WHERE seq = NEW.seq AND kind = 'answer') OR EXISTS (SELECT 1 FROM answer WHERE seq = NEW.seq) BEGIN SELECT RAISE(ABORT, 'answers belong to entries'); END;
CREATE TRIGGER "one key for good" BEFORE INSERT ON secret WHEN EXISTS (SELECT 1 FROM secret) BEGIN SELECT RAISE(ABORT, 'one key for good'); END;
CREATE TRIGGER "no update of entry" BEFORE UPDATE ON entry WHEN 1 BEGIN SELECT RAISE(ABORT, 'no update of entry'); END;
CREATE TRIGGER "no delete of entry" BEFORE DELETE ON entry WHEN 1 BEGIN SELECT RAISE(ABORT, 'no delete of entry'); END;
CREATE TRIGGER "no update of answer" BEFORE UPDATE ON answer WHEN 1 BEGIN SELECT RAISE(ABORT, 'no update of answer'); END;
CREATE TRIGGER "no delete of answer" BEFORE DELETE ON answer WHEN 1 BEGIN SELECT RAISE(ABORT, 'no delete of answer'); END;
CREATE TRIGGER "no update of secret" BEFORE UPDATE ON secret WHEN 1 BEGIN SELECT RAISE(ABORT, 'no update of secret'); END;
CREATE TRIGGER "no delete of secret" BEFORE DELETE ON secret WHEN 1 BEGIN SELECT RAISE(ABORT, 'no delete of secret'); END;
PRAGMA user_version = 3;
COMMIT;
