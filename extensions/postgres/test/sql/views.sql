-- What is prepared, and what was pushed down; views of the folder.
\set files :folder '/files'
CREATE SERVER views FOREIGN DATA WRAPPER raydex_fdw OPTIONS (folder :'files');
SET search_path = files, public;
SELECT raydex_prepare('views', 'by_flag', 'SELECT flag, count(*), sum(ub) FROM all_types GROUP BY flag');
SELECT name, kind, tables, method, location, bytes, uses, last_use FROM raydex_structures
  WHERE server = 'views' AND name = 'by_flag';
SELECT raydex_stats_reset();
SELECT count(*) FROM (SELECT flag, count(*) FROM all_types GROUP BY flag OFFSET 0) q;
SELECT count(*) FROM (SELECT flag, sum(ub) FROM all_types WHERE flag GROUP BY flag OFFSET 0) q;
SELECT kind, tables, method, location, bytes > 0 AS bytes, uses, clock_timestamp() - last_use < '1 minute' AS recent
  FROM raydex_structures WHERE server = 'views' AND name = 'by_flag' AND location = 'session';
SELECT method, device, statements, rows, rays, planning_ms >= 0 AS planned, execution_ms >= 0 AS executed FROM raydex_stats;
-- Other sessions count, too.
\! "$PG_BIN/psql" -h "$FOLDER/server/socket" -U test -d postgres -X -q -A -t -c "SELECT max(ub) FROM files.all_types WHERE a > 3"
SELECT sum(statements) FROM raydex_stats;
-- Rays are counted where that is asked for.
\! "$RAYDEX" -c "CREATE INDEX by_rays ON lineorder USING rx (lo_orderkey)" "$FOLDER/ssb" >/dev/null
\c
SET search_path = files, public;
SELECT count(*) FROM (SELECT lo_revenue FROM lineorder WHERE lo_orderkey = 7 OFFSET 0) q;
SELECT method, rays FROM raydex_stats WHERE method = 'rx';
SET raydex.count_rays = on;
SELECT count(*) FROM (SELECT lo_revenue FROM lineorder WHERE lo_orderkey = 7 OFFSET 0) q;
SELECT method, rays FROM raydex_stats WHERE method = 'rx';
SELECT name, kind, tables, columns, method, location, uses FROM raydex_structures WHERE server = 'ssb' ORDER BY 1;
RESET raydex.count_rays;
-- Views of the folder are foreign tables, which follow their definitions: under prepared statements, cursors, the worker.
\! "$RAYDEX" -c "CREATE VIEW cheap AS SELECT id, ub + 1 AS more, name FROM all_types WHERE ub < 50" "$FOLDER/files" >/dev/null
\! "$RAYDEX" -c "CREATE VIEW cheap_labels AS SELECT label, count(*) AS n FROM cheap JOIN labels ON id = key GROUP BY label" "$FOLDER/files" >/dev/null
IMPORT FOREIGN SCHEMA files LIMIT TO (cheap, cheap_labels) FROM SERVER views INTO public;
SELECT attrelid::regclass, attname, format_type(atttypid, atttypmod) FROM pg_attribute
  WHERE attrelid IN ('cheap'::regclass, 'cheap_labels'::regclass) AND attnum > 0 ORDER BY 1, attnum;
SELECT (SELECT (count(*), sum(more)) FROM cheap) = (SELECT (count(*), sum(ub + 1)) FROM heap.all_types WHERE ub < 50) AS same;
SELECT pushed('SELECT name, sum(more) FROM cheap WHERE id > 3 GROUP BY name');
SELECT count(*) FROM cheap_labels;
PREPARE cheaper AS SELECT count(*) = (SELECT count(*) FROM heap.all_types WHERE ub < $1) AS same FROM cheap;
SET plan_cache_mode = force_generic_plan;
EXECUTE cheaper(50);
\! "$RAYDEX" -c "CREATE OR REPLACE VIEW cheap AS SELECT id, ub + 1 AS more, name FROM all_types WHERE ub < 20" "$FOLDER/files" >/dev/null
EXECUTE cheaper(20);
BEGIN;
SELECT count(*) FROM cheap;
DECLARE c CURSOR FOR SELECT id FROM cheap;
MOVE 1 FROM c;
\! "$RAYDEX" -c "CREATE OR REPLACE VIEW cheap AS SELECT id, ub + 1 AS more, name FROM all_types WHERE ub < 10" "$FOLDER/files" >/dev/null
EXECUTE cheaper(10);
FETCH ALL FROM c \g | wc -l
COMMIT;
RESET plan_cache_mode;
SET raydex.worker = on;
EXECUTE cheaper(10);
\! "$RAYDEX" -c "CREATE OR REPLACE VIEW cheap AS SELECT id, ub + 1 AS more, name FROM all_types WHERE ub < 30" "$FOLDER/files" >/dev/null
EXECUTE cheaper(30);
RESET raydex.worker;
ANALYZE cheap;
\! "$RAYDEX" -c "CREATE OR REPLACE VIEW cheap AS SELECT id, name AS more, name FROM all_types" "$FOLDER/files" >/dev/null
SELECT sum(more) FROM cheap;
\! "$RAYDEX" -c "DROP VIEW cheap_labels; DROP VIEW cheap; CREATE TABLE gone AS SELECT 1 AS a; CREATE VIEW of_gone AS SELECT a FROM gone" "$FOLDER/files" >/dev/null
SELECT count(*) FROM cheap;
\! rm "$FOLDER/files/gone.rdx"
CREATE SCHEMA rest;
IMPORT FOREIGN SCHEMA files LIMIT TO (of_gone, labels) FROM SERVER views INTO rest;
SELECT count(*) FROM rest.labels;
\! "$RAYDEX" -c "DROP VIEW of_gone" "$FOLDER/files" >/dev/null
DROP FOREIGN TABLE cheap, cheap_labels, rest.labels;
DROP SCHEMA rest;
-- Who may not use a server sees nothing of it, and resets nothing.
CREATE ROLE stranger;
SET ROLE stranger;
SELECT count(*) FROM raydex_structures;
SELECT count(*) FROM raydex_structures('views');
SELECT count(*) > 0 FROM raydex_stats;
SELECT raydex_stats_reset();
RESET ROLE;
DROP ROLE stranger;
DROP SERVER views;
\! rm "$FOLDER/files/by_flag.view" "$FOLDER/ssb/by_rays.index"
