BEGIN TRANSACTION;
CREATE TABLE answer (
        seq INTEGER PRIMARY KEY REFERENCES entry (seq),
        blob BLOB NOT NULL
    ) STRICT;
INSERT INTO "answer" VALUES(5,X'000000000000000000000000000000000000000000000000');
INSERT INTO "answer" VALUES(7,X'010101010101010101010101010101010101010101010101');
INSERT INTO "answer" VALUES(9,X'020202020202020202020202020202020202020202020202');
INSERT INTO "answer" VALUES(11,X'5B5D');
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
        hash TEXT NOT NULL UNIQUE CHECK (length(hash) = 64)
    ) STRICT;
INSERT INTO "entry" VALUES(1,'population','patients','','',0,1000,50,'opened','','2026-11-21T03:21:25+00:00','','f6bdbb86f630f0b318ac165615e94e2b75e9e0cffcb3fbb21f400cd7b1bff202');
INSERT INTO "entry" VALUES(2,'population','staff','','',0,70,1000000000,'another line','','2026-11-21T03:21:25+00:00','f6bdbb86f630f0b318ac165615e94e2b75e9e0cffcb3fbb21f400cd7b1bff202','dfafc38cd34ea08e359ee64ef616f1532eab8bc0b2e63db44c0341a92e44515f');
INSERT INTO "entry" VALUES(3,'run','patients','first','',0,600,20,'table','','2026-11-21T03:21:25+00:00','dfafc38cd34ea08e359ee64ef616f1532eab8bc0b2e63db44c0341a92e44515f','066f78bed64d2dfcfcfc3587b937d811431281be5e33e7eed7ef732301ff3339');
INSERT INTO "entry" VALUES(4,'charge','patients','first','mechanism',0,100,0,'{"ask":"measure","clique":["a"]}','1ece9467423185e7104764bf799ed8fec7729c43b46e37e9563bada6941a4d2c','2026-11-21T03:21:25+00:00','066f78bed64d2dfcfcfc3587b937d811431281be5e33e7eed7ef732301ff3339','9716fa9a512b150a1c3254b2fa84ab710e2552ce45c7054a9bb7f1e5b0cb02ad');
INSERT INTO "entry" VALUES(5,'answer','patients','first','mechanism',0,0,0,'','9d908ecfb6b256def8b49a7c504e6c889c4b0e41fe6ce3e01863dd7b61a20aa0','2026-11-21T03:21:25+00:00','9716fa9a512b150a1c3254b2fa84ab710e2552ce45c7054a9bb7f1e5b0cb02ad','2e2420f5267f0868f078a499904c5c9d141ae37c5d568b2e2be56609243ff10a');
INSERT INTO "entry" VALUES(6,'charge','patients','first','mechanism',1,101,0,'{"ask":"measure","clique":["a"]}','1ece9467423185e7104764bf799ed8fec7729c43b46e37e9563bada6941a4d2c','2026-11-21T03:21:25+00:00','2e2420f5267f0868f078a499904c5c9d141ae37c5d568b2e2be56609243ff10a','a22499cd442d19dacd5d31e4074f41db19410d0daf177706c89eaeda99d9a10b');
INSERT INTO "entry" VALUES(7,'answer','patients','first','mechanism',1,0,0,'','5b8b4d29020ea5b1bc427c40a0cab2bf944be057ec482110f1d12b68008cd286','2026-11-21T03:21:25+00:00','a22499cd442d19dacd5d31e4074f41db19410d0daf177706c89eaeda99d9a10b','d3e7bc66d24b42d6b37d8bc4a28dd9c537d9fc3607fb1f67244e27e285f6998e');
INSERT INTO "entry" VALUES(8,'charge','patients','first','mechanism',2,102,0,'{"ask":"measure","clique":["a"]}','1ece9467423185e7104764bf799ed8fec7729c43b46e37e9563bada6941a4d2c','2026-11-21T03:21:25+00:00','d3e7bc66d24b42d6b37d8bc4a28dd9c537d9fc3607fb1f67244e27e285f6998e','f9f77b4eadecc5061c430f63c6c063a170b59274f4b9e4b9709eec29b87778ec');
INSERT INTO "entry" VALUES(9,'answer','patients','first','mechanism',2,0,0,'','358dd46dc13e85b0baf9511c536472bea3e415b3808f78f2a8060df46ea04490','2026-11-21T03:21:25+00:00','f9f77b4eadecc5061c430f63c6c063a170b59274f4b9e4b9709eec29b87778ec','32d9f29e2d10e340e2929b33df69550f93597c16e38f3d53036f2e272e124f87');
INSERT INTO "entry" VALUES(10,'charge','patients','first','preprocess',0,10,20,'{"ask":"values","clique":["b"]}','5a28542e3df66d58e3e93a9a721747eb42b148b1d75077c4f34de4c3360284b3','2026-11-21T03:21:25+00:00','32d9f29e2d10e340e2929b33df69550f93597c16e38f3d53036f2e272e124f87','9f7966aceb749a6f84b144ac27ae60bdd598bfd7a5c0cafcfee1465560aba3ac');
INSERT INTO "entry" VALUES(11,'answer','patients','first','preprocess',0,0,0,'','4f53cda18c2baa0c0354bb5f9a3ecbe5ed12ab4d8e11ba873c2f11161202b945','2026-11-21T03:21:25+00:00','9f7966aceb749a6f84b144ac27ae60bdd598bfd7a5c0cafcfee1465560aba3ac','c1aa1d411b5bdb6f289e4a61c68eb5bb3a9285f5db1630ca40277c7795b0e279');
INSERT INTO "entry" VALUES(12,'close','patients','first','',0,287,0,'','','2026-11-21T03:21:25+00:00','c1aa1d411b5bdb6f289e4a61c68eb5bb3a9285f5db1630ca40277c7795b0e279','d9be520a8ec69d08afb4dc3540565ffd2c5a2e1f8abea34e502f42e1c6b18617');
INSERT INTO "entry" VALUES(13,'raise','patients','','',0,500,0,'a second year','','2026-11-21T03:21:25+00:00','d9be520a8ec69d08afb4dc3540565ffd2c5a2e1f8abea34e502f42e1c6b18617','bb182d44f28796c4f2bb9e31dd2fadb2857351d287999ff4ba232311dd79494b');
INSERT INTO "entry" VALUES(14,'run','patients','second','',0,300,0,'table','','2026-11-21T03:21:25+00:00','bb182d44f28796c4f2bb9e31dd2fadb2857351d287999ff4ba232311dd79494b','669fd662b7e965968570024c4dea6ec01acd3c2eef93490b327a3f091c6304b8');
INSERT INTO "entry" VALUES(15,'charge','patients','second','mechanism',0,7,0,'{"ask":"choose"}','02d9e6f80d6aaab0d4dd70b95db271a8e858b3ff97171b82f7f6b41611b6d4fa','2026-11-21T03:21:25+00:00','669fd662b7e965968570024c4dea6ec01acd3c2eef93490b327a3f091c6304b8','9f5f65c47a527d4288409ceb61c7e50c659c7933c1c91b12d556fe57e6eae2bb');
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
CREATE TRIGGER "limits have a limit" BEFORE INSERT ON entry WHEN NEW.kind = 'raise' AND max((SELECT coalesce(sum(units), 0) FROM entry WHERE population = NEW.population AND kind IN ('population', 'raise')) + NEW.units, (SELECT coalesce(sum(delta_units), 0) FROM entry WHERE population = NEW.population AND kind IN ('population', 'raise')) + NEW.delta_units) > 1000000000000000000 BEGIN SELECT RAISE(ABORT, 'limits have a limit'); END;
CREATE TRIGGER "one reservation for a run" BEFORE INSERT ON entry WHEN NEW.kind = 'run' AND EXISTS (SELECT 1 FROM entry WHERE kind = 'run' AND run = NEW.run) BEGIN SELECT RAISE(ABORT, 'one reservation for a run'); END;
CREATE TRIGGER "within the limit" BEFORE INSERT ON entry WHEN NEW.kind = 'run' AND ((SELECT coalesce(sum(units), 0) FROM entry WHERE population = NEW.population AND kind IN ('run')) - (SELECT coalesce(sum(units), 0) FROM entry WHERE population = NEW.population AND kind IN ('close')) + NEW.units > (SELECT coalesce(sum(units), 0) FROM entry WHERE population = NEW.population AND kind IN ('population', 'raise')) OR (SELECT coalesce(sum(delta_units), 0) FROM entry WHERE population = NEW.population AND kind IN ('run')) - (SELECT coalesce(sum(delta_units), 0) FROM entry WHERE population = NEW.population AND kind IN ('close')) + NEW.delta_units > (SELECT coalesce(sum(delta_units), 0) FROM entry WHERE population = NEW.population AND kind IN ('population', 'raise'))) BEGIN SELECT RAISE(ABORT, 'within the limit'); END;
CREATE TRIGGER "a reservation before a question" BEFORE INSERT ON entry WHEN NEW.kind IN ('charge', 'answer', 'close') AND NOT EXISTS (SELECT 1 FROM entry WHERE kind = 'run' AND run = NEW.run AND population = NEW.population) BEGIN SELECT RAISE(ABORT, 'a reservation before a question'); END;
CREATE TRIGGER "nothing after the close" BEFORE INSERT ON entry WHEN NEW.kind IN ('charge', 'answer', 'close') AND EXISTS (SELECT 1 FROM entry WHERE kind = 'close' AND run = NEW.run) BEGIN SELECT RAISE(ABORT, 'nothing after the close'); END;
CREATE TRIGGER "one charge for a question" BEFORE INSERT ON entry WHEN NEW.kind = 'charge' AND EXISTS (SELECT 1 FROM entry WHERE kind = 'charge' AND run = NEW.run AND part = NEW.part AND step = NEW.step) BEGIN SELECT RAISE(ABORT, 'one charge for a question'); END;
CREATE TRIGGER "no question for nothing" BEFORE INSERT ON entry WHEN NEW.kind = 'charge' AND NEW.units + NEW.delta_units = 0 BEGIN SELECT RAISE(ABORT, 'no question for nothing'); END;
CREATE TRIGGER "within the reservation" BEFORE INSERT ON entry WHEN NEW.kind = 'charge' AND ((SELECT coalesce(sum(units), 0) FROM entry WHERE run = NEW.run AND kind IN ('charge')) + NEW.units > (SELECT coalesce(sum(units), 0) FROM entry WHERE run = NEW.run AND kind IN ('run')) OR (SELECT coalesce(sum(delta_units), 0) FROM entry WHERE run = NEW.run AND kind IN ('charge')) + NEW.delta_units > (SELECT coalesce(sum(delta_units), 0) FROM entry WHERE run = NEW.run AND kind IN ('run'))) BEGIN SELECT RAISE(ABORT, 'within the reservation'); END;
CREATE TRIGGER "a charge before an answer" BEFORE INSERT ON entry WHEN NEW.kind = 'answer' AND NOT EXISTS (SELECT 1 FROM entry WHERE kind = 'charge' AND run = NEW.run AND part = NEW.part AND step = NEW.step) BEGIN SELECT RAISE(ABORT, 'a charge before an answer'); END;
CREATE TRIGGER "one answer for a question" BEFORE INSERT ON entry WHEN NEW.kind = 'answer' AND EXISTS (SELECT 1 FROM entry WHERE kind = 'answer' AND run = NEW.run AND part = NEW.part AND step = NEW.step) BEGIN SELECT RAISE(ABORT, 'one answer for a question'); END;
CREATE TRIGGER "answers are paid already" BEFORE INSERT ON entry WHEN NEW.kind = 'answer' AND NEW.units + NEW.delta_units > 0 BEGIN SELECT RAISE(ABORT, 'answers are paid already'); END;
CREATE TRIGGER "a close frees the rest" BEFORE INSERT ON entry WHEN NEW.kind = 'close' AND (NEW.units <> (SELECT coalesce(sum(units), 0) FROM entry WHERE run = NEW.run AND kind IN ('run')) - (SELECT coalesce(sum(units), 0) FROM entry WHERE run = NEW.run AND kind IN ('charge')) OR NEW.delta_units <> (SELECT coalesce(sum(delta_units), 0) FROM entry WHERE run = NEW.run AND kind IN ('run')) - (SELECT coalesce(sum(delta_units), 0) FROM entry WHERE run = NEW.run AND kind IN ('charge'))) BEGIN SELECT RAISE(ABORT, 'a close frees the rest'); END;
CREATE TRIGGER "answers belong to entries" BEFORE INSERT ON answer WHEN NOT EXISTS (SELECT 1 FROM entry WHERE seq = NEW.seq AND kind = 'answer') OR EXISTS (SELECT 1 FROM answer WHERE seq = NEW.seq) BEGIN SELECT RAISE(ABORT, 'answers belong to entries'); END;
CREATE TRIGGER "no update of entry" BEFORE UPDATE ON entry WHEN 1 BEGIN SELECT RAISE(ABORT, 'no update of entry'); END;
CREATE TRIGGER "no delete of entry" BEFORE DELETE ON entry WHEN 1 BEGIN SELECT RAISE(ABORT, 'no delete of entry'); END;
CREATE TRIGGER "no update of answer" BEFORE UPDATE ON answer WHEN 1 BEGIN SELECT RAISE(ABORT, 'no update of answer'); END;
CREATE TRIGGER "no delete of answer" BEFORE DELETE ON answer WHEN 1 BEGIN SELECT RAISE(ABORT, 'no delete of answer'); END;
COMMIT;
PRAGMA user_version = 1;
