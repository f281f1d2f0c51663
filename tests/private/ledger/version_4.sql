BEGIN TRANSACTION;
CREATE TABLE answer (
        seq INTEGER PRIMARY KEY REFERENCES entry (seq),
        blob BLOB NOT NULL
    ) STRICT;
INSERT INTO "answer" VALUES(5,X'30');
INSERT INTO "answer" VALUES(7,X'010101010101010101010101010101010101010101010101');
INSERT INTO "answer" VALUES(9,X'5B5D');
INSERT INTO "answer" VALUES(13,X'02020202020202020202020202020202');
INSERT INTO "answer" VALUES(15,X'03030303030303030303030303030303');
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
        law TEXT CHECK (law IS NULL OR law <> 'zcdp' AND kind IN ('run', 'close')),
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
INSERT INTO "entry" VALUES(1,'population','patients','','',0,1500,1000,'study one','','2026-11-23T03:02:52+00:00','',NULL,NULL,NULL,NULL,NULL,'person',1,'add-or-remove-one-unit',0,'6b64ba5146ba74992fc7304531e627e8476e801078c84196ae6a547365287662');
INSERT INTO "entry" VALUES(2,'population','staff','','',0,56100492204,10000000,'with a promise','','2026-11-23T03:02:52+00:00','6b64ba5146ba74992fc7304531e627e8476e801078c84196ae6a547365287662',NULL,61723107593,45013588770,2.0,9.9e-10,'person',1,'add-or-remove-one-unit',0,'a1590c2f6f827de6d8236149fb93eafb69573ea7e3ad1b81167700d8f45367d8');
INSERT INTO "entry" VALUES(3,'run','patients','first','',0,400,10,'table one','','2026-11-23T03:02:52+00:00','a1590c2f6f827de6d8236149fb93eafb69573ea7e3ad1b81167700d8f45367d8',NULL,NULL,NULL,NULL,NULL,'person',1,'add-or-remove-one-unit',0,'003b5bcbbf22c808719aa95d01fcf1f45f5090ee05dc74983037b0864a489b49');
INSERT INTO "entry" VALUES(4,'charge','patients','first','preprocess',0,30,7,'{"ask":"values","column":"a"}','0eb8289e652f612c3f6c2f0fbe6a8be66a4b95351d687c35b31645374469c371','2026-11-23T03:02:52+00:00','003b5bcbbf22c808719aa95d01fcf1f45f5090ee05dc74983037b0864a489b49',NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,'076b8c108aebbdba9c30bda7931ba5118e85b5ec5e3503dee39ae1330fec27ad');
INSERT INTO "entry" VALUES(5,'answer','patients','first','preprocess',0,0,0,'','5feceb66ffc86f38d952786c6d696c79c2dbc239dd4e91b46729d73a27fb57e9','2026-11-23T03:02:52+00:00','076b8c108aebbdba9c30bda7931ba5118e85b5ec5e3503dee39ae1330fec27ad',NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,'60918780bba7253551c48c1176249bf43b0379cb466aa7f424b104e03b33bc37');
INSERT INTO "entry" VALUES(6,'charge','patients','first','mechanism',0,101,0,'{"ask":"measure","clique":["a"]}','1ece9467423185e7104764bf799ed8fec7729c43b46e37e9563bada6941a4d2c','2026-11-23T03:02:52+00:00','60918780bba7253551c48c1176249bf43b0379cb466aa7f424b104e03b33bc37',NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,'49c4b3bd11cc5af7c2aabbcc4c59a40ef1128376c2c3a2be0a56523b01491ef7');
INSERT INTO "entry" VALUES(7,'answer','patients','first','mechanism',0,0,0,'','5b8b4d29020ea5b1bc427c40a0cab2bf944be057ec482110f1d12b68008cd286','2026-11-23T03:02:52+00:00','49c4b3bd11cc5af7c2aabbcc4c59a40ef1128376c2c3a2be0a56523b01491ef7',NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,'1350d1076b4779505677aa9c8e9948ec5349a3a177beb439a912c36eb7440562');
INSERT INTO "entry" VALUES(8,'charge','patients','first','mechanism',1,19,0,'{"ask":"choose"}','02d9e6f80d6aaab0d4dd70b95db271a8e858b3ff97171b82f7f6b41611b6d4fa','2026-11-23T03:02:52+00:00','1350d1076b4779505677aa9c8e9948ec5349a3a177beb439a912c36eb7440562',NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,'87f0b3b3c65aa58513abccac2ee1b5b6b189247b2ffae3b7f8502ec9ecf0adb6');
INSERT INTO "entry" VALUES(9,'answer','patients','first','mechanism',1,0,0,'','4f53cda18c2baa0c0354bb5f9a3ecbe5ed12ab4d8e11ba873c2f11161202b945','2026-11-23T03:02:52+00:00','87f0b3b3c65aa58513abccac2ee1b5b6b189247b2ffae3b7f8502ec9ecf0adb6',NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,'523b1c49878ab68ccad944924e406f82c85e6ec3f603b0c96f40698fd42fa0b1');
INSERT INTO "entry" VALUES(10,'close','patients','first','',0,250,3,'','','2026-11-23T03:02:52+00:00','523b1c49878ab68ccad944924e406f82c85e6ec3f603b0c96f40698fd42fa0b1',NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,'40ca88a065ce31737b7674809b669d92876b7b01897008c2e63805ce442dcc2d');
INSERT INTO "entry" VALUES(11,'run','staff','second','',0,1000000000,0,'trained','','2026-11-23T03:02:52+00:00','40ca88a065ce31737b7674809b669d92876b7b01897008c2e63805ce442dcc2d','sampled',NULL,NULL,NULL,NULL,'person',1,'add-or-remove-one-unit',0,'aa25a8617c73ade35b461a41d75e22b18edf18e06b4b629bf122f0d405f2b4de');
INSERT INTO "entry" VALUES(12,'charge','staff','second','m',0,100000000,0,'{"ask":"measure","clique":["b"],"law":"sampled"}','f126b8163c29f65aad271dd3e5228bc3c0115b9b740f2caf2d434af030994da6','2026-11-23T03:02:52+00:00','aa25a8617c73ade35b461a41d75e22b18edf18e06b4b629bf122f0d405f2b4de',NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,'8409a3e066bf264c2ed2a683589a9853c900439b23ae01841828b6052714f76c');
INSERT INTO "entry" VALUES(13,'answer','staff','second','m',0,0,0,'','292afde3b64e6636d68f1120d9242f1f85e38ef7bf306e4407c2303eb63791ef','2026-11-23T03:02:52+00:00','8409a3e066bf264c2ed2a683589a9853c900439b23ae01841828b6052714f76c',NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,'2e1d8dd0a850c5d61a1e88a16cf1747c8379673a4346f942c2717ead89feedde');
INSERT INTO "entry" VALUES(14,'charge','staff','second','m',1,100000000,0,'{"ask":"train","law":"sampled","most":364}','597343618571d65cae88d0ff7451c31dc97e94421f173e0e3bd9b9cdaf44cbdc','2026-11-23T03:02:52+00:00','2e1d8dd0a850c5d61a1e88a16cf1747c8379673a4346f942c2717ead89feedde',NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,'55e212eab0902d2c974d3826ccf756aaacd4c8ebf0308893ad640e267d47bb7c');
INSERT INTO "entry" VALUES(15,'answer','staff','second','m',1,0,0,'','6399f6d863b08f4652b342c2e1350b4c01e291332d9d84d84b575bf7272897d2','2026-11-23T03:02:52+00:00','55e212eab0902d2c974d3826ccf756aaacd4c8ebf0308893ad640e267d47bb7c',NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,'d6ae1633c6c032e3aa085f39dbc09bb940598c0c8fb02b6e17fa40401c232e59');
INSERT INTO "entry" VALUES(16,'charge','staff','second','m',2,50000000,0,'{"ask":"train","law":"sampled","most":364}','597343618571d65cae88d0ff7451c31dc97e94421f173e0e3bd9b9cdaf44cbdc','2026-11-23T03:02:52+00:00','d6ae1633c6c032e3aa085f39dbc09bb940598c0c8fb02b6e17fa40401c232e59',NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,'4eeeb707ee47e28db1695acf6f411ea63142fce2e897ba5916ff943e2789808d');
INSERT INTO "entry" VALUES(17,'run','staff','third','',0,100000000,0,'gaussian','','2026-11-23T03:02:52+00:00','4eeeb707ee47e28db1695acf6f411ea63142fce2e897ba5916ff943e2789808d','gaussian',NULL,NULL,NULL,NULL,'person',1,'add-or-remove-one-unit',0,'7bce64fd0fd2b8b05aa9a287266db8b4c66c434756666633cf86cb6e06b6e9b5');
CREATE TABLE law (
        name TEXT PRIMARY KEY CHECK (name <> ''),
        own_limit TEXT NOT NULL CHECK (own_limit IN ('units', 'gaussian_units'))
    ) STRICT;
INSERT INTO "law" VALUES('gaussian','gaussian_units');
INSERT INTO "law" VALUES('sampled','units');
INSERT INTO "law" VALUES('zcdp','units');
CREATE TABLE law_ask (
        law TEXT NOT NULL REFERENCES law (name),
        ask TEXT NOT NULL,
        PRIMARY KEY (law, ask)
    ) STRICT;
INSERT INTO "law_ask" VALUES('gaussian','magnitudes');
INSERT INTO "law_ask" VALUES('gaussian','measure');
INSERT INTO "law_ask" VALUES('gaussian','score');
INSERT INTO "law_ask" VALUES('sampled','magnitudes');
INSERT INTO "law_ask" VALUES('sampled','measure');
INSERT INTO "law_ask" VALUES('sampled','score');
INSERT INTO "law_ask" VALUES('sampled','train');
CREATE TABLE secret (
        id INTEGER PRIMARY KEY CHECK (id = 1),
        key BLOB NOT NULL CHECK (length(key) = 32)
    ) STRICT;
INSERT INTO "secret" VALUES(1,X'EE55EFEA79B261AE88D562AD1A9CC121C41D0EF654298F69F3FBD67E5D72B68F');
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
CREATE TRIGGER "within the limit" BEFORE INSERT ON entry WHEN NEW.kind = 'run' AND (((SELECT coalesce(sum(units), 0) FROM entry WHERE population = NEW.population AND kind IN ('run') AND 1) - (SELECT coalesce(sum(units), 0) FROM entry WHERE population = NEW.population AND kind IN ('close') AND 1)) + NEW.units > CASE WHEN ((SELECT min(seq) FROM entry WHERE population = NEW.population AND kind = 'charge') IS NOT NULL AND ((SELECT coalesce(sum(units), 0) FROM entry WHERE population = NEW.population AND kind IN ('run') AND NOT coalesce(law IN (SELECT name FROM law WHERE own_limit = 'gaussian_units'), 0) AND seq < (SELECT min(seq) FROM entry WHERE population = NEW.population AND kind = 'charge')) - (SELECT coalesce(sum(units), 0) FROM entry WHERE population = NEW.population AND kind IN ('close') AND NOT coalesce(law IN (SELECT name FROM law WHERE own_limit = 'gaussian_units'), 0) AND seq < (SELECT min(seq) FROM entry WHERE population = NEW.population AND kind = 'charge'))) > 0) THEN (SELECT coalesce(sum(coalesce(units, units)), 0) FROM entry WHERE population = NEW.population AND kind IN ('population', 'raise') AND 1) WHEN NOT (((SELECT coalesce(sum(units), 0) FROM entry WHERE population = NEW.population AND kind IN ('run') AND NOT coalesce(law IN (SELECT name FROM law WHERE own_limit = 'gaussian_units'), 0)) - (SELECT coalesce(sum(units), 0) FROM entry WHERE population = NEW.population AND kind IN ('close') AND NOT coalesce(law IN (SELECT name FROM law WHERE own_limit = 'gaussian_units'), 0))) > 0 OR NOT coalesce(NEW.law IN (SELECT name FROM law WHERE own_limit = 'gaussian_units'), 0)) THEN (SELECT coalesce(sum(coalesce(gaussian_units, units)), 0) FROM entry WHERE population = NEW.population AND kind IN ('population', 'raise') AND 1) WHEN (SELECT min(seq) FROM entry WHERE population = NEW.population AND kind = 'charge') IS NULL THEN (SELECT coalesce(sum(coalesce(units, units)), 0) FROM entry WHERE population = NEW.population AND kind IN ('population', 'raise') AND 1) ELSE (SELECT coalesce(sum(coalesce(mixed_units, units)), 0) FROM entry WHERE population = NEW.population AND kind IN ('population', 'raise') AND 1) END OR ((SELECT coalesce(sum(delta_units), 0) FROM entry WHERE population = NEW.population AND kind IN ('run') AND 1) - (SELECT coalesce(sum(delta_units), 0) FROM entry WHERE population = NEW.population AND kind IN ('close') AND 1)) + NEW.delta_units > (SELECT coalesce(sum(delta_units), 0) FROM entry WHERE population = NEW.population AND kind IN ('population', 'raise') AND 1)) BEGIN SELECT RAISE(ABORT, 'within the limit'); END;
CREATE TRIGGER "a run under a known law" BEFORE INSERT ON entry WHEN NEW.law IS NOT NULL AND NOT EXISTS (SELECT 1 FROM law WHERE name = NEW.law) BEGIN SELECT RAISE(ABORT, 'a run under a known law'); END;
CREATE TRIGGER "lists only where the law allows them" BEFORE INSERT ON entry WHEN NEW.kind = 'run' AND NEW.law IS NOT NULL AND NEW.delta_units > 0 AND NOT EXISTS (SELECT 1 FROM law_ask WHERE law = NEW.law AND ask = 'values') BEGIN SELECT RAISE(ABORT, 'lists only where the law allows them'); END;
CREATE TRIGGER "a run asks what its law allows" BEFORE INSERT ON entry WHEN NEW.kind = 'charge' AND (SELECT law FROM entry WHERE kind = 'run' AND run = NEW.run) IS NOT NULL AND (NOT json_valid(NEW.text) OR json_extract(NEW.text, '$.law') IS NOT (SELECT law FROM entry WHERE kind = 'run' AND run = NEW.run) OR NOT EXISTS (SELECT 1 FROM law_ask WHERE law = (SELECT law FROM entry WHERE kind = 'run' AND run = NEW.run) AND ask = json_extract(NEW.text, '$.ask'))) BEGIN SELECT RAISE(ABORT, 'a run asks what its law allows'); END;
CREATE TRIGGER "a close is under the law of its run" BEFORE INSERT ON entry WHEN NEW.kind = 'close' AND NEW.law IS NOT (SELECT law FROM entry WHERE kind = 'run' AND run = NEW.run) BEGIN SELECT RAISE(ABORT, 'a close is under the law of its run'); END;
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
CREATE TRIGGER "no update of law" BEFORE UPDATE ON law WHEN 1 BEGIN SELECT RAISE(ABORT, 'no update of law'); END;
CREATE TRIGGER "no delete of law" BEFORE DELETE ON law WHEN 1 BEGIN SELECT RAISE(ABORT, 'no delete of law'); END;
CREATE TRIGGER "no update of law_ask" BEFORE UPDATE ON law_ask WHEN 1 BEGIN SELECT RAISE(ABORT, 'no update of law_ask'); END;
CREATE TRIGGER "no delete of law_ask" BEFORE DELETE ON law_ask WHEN 1 BEGIN SELECT RAISE(ABORT, 'no delete of law_ask'); END;
CREATE TRIGGER "no insert of law" BEFORE INSERT ON law WHEN 1 BEGIN SELECT RAISE(ABORT, 'no insert of law'); END;
CREATE TRIGGER "no insert of law_ask" BEFORE INSERT ON law_ask WHEN 1 BEGIN SELECT RAISE(ABORT, 'no insert of law_ask'); END;
PRAGMA user_version = 4;
COMMIT;
