-- What is prepared, and what was pushed down.
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
