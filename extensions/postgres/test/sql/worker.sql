-- The worker answers in place of sessions.
SET search_path = files, public;
LOAD 'raydex_fdw';
ALTER SYSTEM SET raydex.worker_device = 'cpu';
SELECT pg_reload_conf();
SET raydex.worker = on;
SELECT count(*) FROM labels;
EXPLAIN (VERBOSE, ANALYZE, COSTS OFF, TIMING OFF, SUMMARY OFF) SELECT sum(ub) FROM all_types WHERE a > 3;
SELECT compare('SELECT * FROM all_types');
SELECT compare('SELECT name, min(day), max(moment), avg(price), count(g) FROM all_types GROUP BY name');
SELECT compare('SELECT * FROM all_types WHERE id < 0');
SELECT compare('SELECT id, e + 1 FROM all_types');
SELECT sum(e) FROM all_types WHERE id = -1;
-- Cubes that are made are there at once.
SELECT raydex_prepare('files', 'by_c', 'SELECT flag, count(*), sum(ub) FROM all_types GROUP BY flag');
SELECT compare('SELECT flag, count(*) FROM all_types GROUP BY flag');
SELECT name, kind, tables, location, uses > 0 AS used FROM raydex_structures WHERE server = 'files' AND location = 'worker' AND name = 'by_c';
\! rm "$FOLDER/files/by_c.view"
-- A query that is cancelled ends at once, in the worker too.
SET statement_timeout = '50ms';
SELECT what, cancelled(query) FROM slow WHERE what = 'joins';
SELECT what, cancelled(query) FROM slow WHERE what = 'groups';
SELECT what, cancelled(query) FROM slow WHERE what = 'sorts';
RESET statement_timeout;
SELECT count(*) FROM labels;
-- Many sessions wait for their turn.
\! for i in 1 2 3 4 5 6; do PGOPTIONS='-c raydex.worker=on' "$PG_BIN/psql" -h "$FOLDER/server/socket" -U test -d postgres -X -q -A -t -c "SELECT sum(lo_revenue) FROM files.lineorder WHERE lo_discount < $i" >"$FOLDER/many.$i" 2>&1 & done; wait; cat "$FOLDER"/many.* | wc -l
-- Memory: what was not used for longest goes.
ALTER SYSTEM SET raydex.memory_limit = '8MB';
SELECT pg_reload_conf();
SELECT pg_sleep(0.5);
SELECT compare('SELECT lo_suppkey, sum(lo_revenue) FROM lineorder GROUP BY lo_suppkey');
SELECT compare('SELECT lo_custkey, sum(lo_tax), min(lo_discount) FROM lineorder WHERE lo_quantity < 20 GROUP BY lo_custkey');
SELECT compare('SELECT name, sum(ub) FROM all_types WHERE a > 3 GROUP BY name');
SELECT compare('SELECT d_year, sum(lo_revenue) FROM lineorder, date WHERE lo_orderdate = d_datekey GROUP BY d_year');
SELECT sum(bytes) < 8 * 1024 * 1024 AS fits, count(*) > 0 AS some FROM raydex_structures WHERE location = 'worker';
ALTER SYSTEM RESET raydex.memory_limit;
-- A device that is not there is an error, and another one can be set.
ALTER SYSTEM SET raydex.worker_device = 'no such device';
SELECT pg_reload_conf();
SELECT pg_sleep(0.5);
DO $$ BEGIN PERFORM count(*) FROM labels; EXCEPTION WHEN OTHERS THEN RAISE NOTICE '%', substr(sqlerrm, 1, 50); END $$;
ALTER SYSTEM SET raydex.worker_device = 'cpu';
SELECT pg_reload_conf();
SELECT pg_sleep(0.5);
SELECT count(*) FROM labels;
RESET raydex.worker;
