-- What broke other extensions. Each part has a name.
SET search_path = files, public;
\echo -- EXPLAIN EXECUTE, generic plans
PREPARE q(int, text) AS SELECT count(*) FROM all_types WHERE small = $1 AND name <> $2;
SET plan_cache_mode = force_generic_plan;
EXPLAIN (VERBOSE, COSTS OFF) EXECUTE q(3, 'alpha');
EXECUTE q(3, 'alpha');
EXECUTE q(3, 'it''s $1');
EXECUTE q(NULL, 'alpha');
SET plan_cache_mode = force_custom_plan;
EXECUTE q(3, 'alpha');
RESET plan_cache_mode;
\echo -- parameters of every type in generic plans
CREATE FUNCTION generic(c text) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
  n bigint;
  m bigint;
  total bigint := 0;
  v text;
BEGIN
  EXECUTE format('PREPARE g AS SELECT count(*) FROM files.all_types WHERE %I = $1', c);
  FOR v, m IN EXECUTE format('SELECT %I::text, count(*) FROM heap.all_types WHERE %I IS NOT NULL GROUP BY %I', c, c, c) LOOP
    EXECUTE format('EXECUTE g(%L)', v) INTO n;
    IF n <> m THEN
      RAISE EXCEPTION '% = %: % rows, not %', c, v, n, m;
    END IF;
    total := total + n;
  END LOOP;
  DEALLOCATE g;
  RETURN total;
END $$;
SET plan_cache_mode = force_generic_plan;
SELECT c, generic(c) FROM unnest('{flag,a,b,c,e,ua,ub,uc,ue,f,g,price,day,moment,name}'::text[]) c;
PREPARE n(numeric) AS SELECT count(*) FROM all_types WHERE price < $1;
EXECUTE n('NaN');
EXECUTE n('-1e40');
EXECUTE n(1.2345678901234567890123);
PREPARE m(numeric) AS SELECT count(*), min($1), max(price) FILTER (WHERE price < $1) FROM all_types WHERE id > 3;
EXECUTE m('NaN');
EXECUTE m(1e30);
EXECUTE m(1.5);
PREPARE d(timestamptz) AS SELECT count(*) FROM all_types WHERE moment < $1;
EXECUTE d('infinity');
RESET plan_cache_mode;
EXECUTE d('infinity');
\echo -- auto_explain, EXPLAIN (FORMAT JSON)
LOAD 'auto_explain';
SET auto_explain.log_min_duration = 0;
SET auto_explain.log_analyze = on;
SET auto_explain.log_verbose = on;
SELECT count(*) FROM all_types;
RESET auto_explain.log_min_duration;
SELECT explained('SELECT small, count(*) FROM files.all_types GROUP BY small');
\echo -- cursors: back and forth, and a file that is replaced in the middle
\set source :folder '/loaded/orders.rdx'
\set work :folder '/loaded'
\setenv SOURCE :source
\! cp "$SOURCE" "$SOURCE.kept" && cp "$SOURCE" "${SOURCE%orders.rdx}replaced.rdx"
CREATE SERVER work FOREIGN DATA WRAPPER raydex_fdw OPTIONS (folder :'work');
CREATE FOREIGN TABLE replaced (id int, amount numeric) SERVER work;
SELECT amount FROM replaced LIMIT 0;
BEGIN;
DECLARE c SCROLL CURSOR FOR SELECT id, amount FROM replaced ORDER BY id;
FETCH 2 FROM c;
\! printf 'id,amount\n9,9.90\n' >"$SOURCE.csv" && "$RAYDEX" import "$SOURCE.csv" "${SOURCE%orders.rdx}replaced.rdx" >/dev/null 2>&1
FETCH 1 FROM c;
FETCH BACKWARD 2 FROM c;
COMMIT;
SELECT * FROM replaced;
\echo -- a file that is gone
\! rm "${SOURCE%orders.rdx}replaced.rdx" "$SOURCE.kept" "$SOURCE.csv"
SELECT * FROM replaced;
DROP SERVER work CASCADE;
\echo -- plpgsql and SPI
DO $$
DECLARE
  r record;
  n int := 0;
BEGIN
  FOR i IN 1..8 LOOP
    FOR r IN SELECT key, label FROM files.labels WHERE key > i ORDER BY key LOOP
      n := n + r.key;
    END LOOP;
  END LOOP;
  RAISE NOTICE 'sum %', n;
END $$;
\echo -- views, security_barrier, row-level security
CREATE VIEW plain_view AS SELECT key, label FROM labels WHERE key > 2;
CREATE VIEW barrier_view WITH (security_barrier) AS SELECT key, label FROM labels WHERE key > 2;
SELECT count(*), max(label) FROM plain_view WHERE label <> 'three';
SELECT count(*), max(label) FROM barrier_view WHERE label <> 'three';
SELECT regexp_replace(pushed('SELECT count(*) FROM barrier_view WHERE label <> ''three'''), '\mr[0-9]+', 'r', 'g');
CREATE FUNCTION leak(text) RETURNS boolean LANGUAGE plpgsql COST 0.0000001 AS $$ BEGIN RAISE NOTICE 'saw %', $1; RETURN true; END $$;
SELECT count(*) FROM barrier_view WHERE leak(label);
ALTER TABLE labels ENABLE ROW LEVEL SECURITY;
DROP VIEW plain_view, barrier_view;
\echo -- row-level security of a table with a partition that is a table file
CREATE TABLE guarded (key int, label text COLLATE "C", weight numeric) PARTITION BY RANGE (key);
CREATE FOREIGN TABLE guarded_cold PARTITION OF guarded FOR VALUES FROM (0) TO (100) SERVER files OPTIONS ("table" 'labels');
ALTER TABLE guarded ENABLE ROW LEVEL SECURITY;
CREATE POLICY few ON guarded USING (key > 3);
CREATE ROLE limited;
GRANT USAGE ON SCHEMA files TO limited;
GRANT SELECT ON guarded TO limited;
SET ROLE limited;
SELECT count(*), min(key), max(label) FROM guarded;
SELECT key, count(*) FROM guarded WHERE key < 8 GROUP BY key ORDER BY key;
SELECT count(*) FROM guarded WHERE leak(label);
SELECT count(*) FROM guarded_cold;
RESET ROLE;
DROP TABLE guarded;
DROP FUNCTION leak;
DROP OWNED BY limited;
DROP ROLE limited;
\echo -- search_path changes
PREPARE s AS SELECT count(*) FROM labels WHERE key > 3;
EXECUTE s;
SET search_path = heap, public;
EXECUTE s;
SET search_path = files, public;
EXECUTE s;
\echo -- a function of the same name as a built-in one, and operators of other schemas
CREATE SCHEMA shadow;
CREATE FUNCTION shadow.less(int, int) RETURNS boolean LANGUAGE sql IMMUTABLE AS 'SELECT $1 > $2';
CREATE OPERATOR shadow.< (LEFTARG = int, RIGHTARG = int, FUNCTION = shadow.less);
CREATE FUNCTION shadow.sum_step(bigint, int) RETURNS bigint LANGUAGE sql IMMUTABLE AS 'SELECT -1::bigint';
CREATE AGGREGATE shadow.sum(int) (SFUNC = shadow.sum_step, STYPE = bigint, INITCOND = '0');
SELECT count(*) FROM labels WHERE key OPERATOR(shadow.<) 3;
SELECT shadow.sum(key) FROM labels;
SET client_min_messages = warning;
DROP SCHEMA shadow CASCADE;
RESET client_min_messages;
\echo -- outer joins with aggregates over them
SELECT compare(q) FROM unnest(ARRAY[
  'SELECT count(*), count(label), count(a.id), sum(weight) FROM all_types a LEFT JOIN labels ON key = small',
  'SELECT label, count(a.id) FROM labels LEFT JOIN all_types a ON key = small AND a.a > 0 GROUP BY label',
  'SELECT label, count(*) FROM labels RIGHT JOIN all_types ON key = small WHERE label IS NULL GROUP BY label',
  'SELECT count(*), count(key), count(id) FROM labels FULL JOIN all_types ON key = id',
  'SELECT count(*) FROM all_types x LEFT JOIN (labels l JOIN all_types y ON l.key = y.small) ON x.id = y.id WHERE l.label IS NULL',
  'SELECT count(*), sum(y.small) FROM all_types x LEFT JOIN (labels l JOIN all_types y ON l.key = y.small AND y.flag) ON x.small = l.key',
  'SELECT coalesce(label, ''none'') AS l, count(*) FROM all_types LEFT JOIN labels ON key = small GROUP BY 1',
  'SELECT count(*) FROM (SELECT 5 AS five, key FROM labels) l RIGHT JOIN all_types ON key = small WHERE five IS NULL',
  'SELECT count(*) FROM all_types WHERE small NOT IN (SELECT key FROM labels)',
  'SELECT count(*) FROM all_types t WHERE NOT EXISTS (SELECT FROM labels WHERE key = t.small)',
  'SELECT count(*), sum(small) FROM all_types t WHERE EXISTS (SELECT FROM labels WHERE key = t.small AND weight > 1)',
  'SELECT flag, count(*) FROM all_types t WHERE small IN (SELECT key FROM labels WHERE label <> ''one'') GROUP BY flag',
  'SELECT count(*) FROM all_types t JOIN labels l ON t.a = l.key WHERE EXISTS (SELECT FROM all_types u WHERE u.small = l.key AND u.id <> t.id AND u.flag)',
  'SELECT count(*) FROM all_types t WHERE EXISTS (SELECT FROM all_types u WHERE u.id = t.small AND NOT EXISTS (SELECT FROM labels WHERE key = u.small))',
  'SELECT count(*) FROM all_types t WHERE NOT EXISTS (SELECT FROM all_types u JOIN labels ON key = u.small WHERE u.id = t.small AND label LIKE ''t%'')',
  'SELECT count(*), count(l.label) FROM all_types t LEFT JOIN labels l ON l.key = t.small WHERE l.key IS NULL AND t.id > 9',
  'SELECT label, (SELECT max(price) FROM all_types WHERE small = key) FROM labels',
  'SELECT l.label, s.n FROM labels l, LATERAL (SELECT count(*) AS n FROM all_types WHERE small = l.key) s',
  'SELECT x.label, y.label FROM labels x JOIN labels y ON x.key = y.key JOIN all_types a ON a.small = x.key AND a.id < 50']) q;
\echo -- conditions without columns, and those that contradict each other
SELECT compare(q) FROM unnest(ARRAY[
  $$SELECT DISTINCT price, b FROM all_types WHERE name = 'x_y' AND name = 'it''s'$$,
  'SELECT small, count(*) FROM all_types WHERE small = 3 AND small = 4 GROUP BY small',
  'SELECT count(*) FROM all_types JOIN labels ON key = small WHERE small = 3 AND key = 5',
  'SELECT count(*) FROM all_types WHERE (SELECT count(*) FROM labels) > 100',
  'SELECT count(*) FROM all_types JOIN labels ON key = small WHERE (SELECT count(*) FROM labels) > 100',
  'SELECT small, count(*) FROM all_types WHERE pg_backend_pid() < 0 GROUP BY small',
  'SELECT small, count(*) FROM all_types JOIN labels ON key = small AND pg_backend_pid() < 0 GROUP BY small',
  'SELECT id FROM all_types WHERE (SELECT max(key) FROM labels) = 3 ORDER BY id LIMIT 3']) q;
\echo -- order of NULLs
SELECT compare(format('SELECT id, %I FROM all_types ORDER BY %I %s, id LIMIT 300', c, c, o))
  FROM unnest('{flag,a,e,ue,f,g,price,day,moment,name}'::text[]) c,
       unnest('{ASC,DESC,ASC NULLS FIRST,DESC NULLS LAST}'::text[]) o EXCEPT SELECT 'same';
\echo -- collations
CREATE COLLATION blind (provider = icu, locale = 'und-u-ks-level2', deterministic = false);
CREATE FOREIGN TABLE blind_labels (key int, label text COLLATE blind, weight numeric) SERVER files OPTIONS ("table" 'labels');
SELECT count(*) FROM blind_labels WHERE label = 'ONE';
SELECT pushed('SELECT label FROM blind_labels WHERE label = ''ONE'' AND key = 1');
CREATE FOREIGN TABLE english_labels (key int, label text COLLATE "en-x-icu", weight numeric) SERVER files OPTIONS ("table" 'labels');
SELECT pushed('SELECT label FROM english_labels WHERE label > ''ONE'' AND label <> ''x'' ORDER BY label LIMIT 2');
DROP FOREIGN TABLE blind_labels, english_labels;
\echo -- overflow and division by zero
SELECT compare(q) FROM unnest(ARRAY[
  'SELECT count(*) FROM all_types WHERE c + 1 > 0',
  'SELECT count(*) FROM all_types WHERE b * b > 0::smallint',
  'SELECT count(*) FROM all_types WHERE id > 3 AND c * c > 0',
  'SELECT count(*) FROM all_types WHERE e * 2 > 0',
  'SELECT count(*) FROM all_types WHERE id / a > 0',
  'SELECT count(*) FROM all_types WHERE a <> 0 AND id / a > 0',
  'SELECT count(*) FROM all_types WHERE CASE WHEN a = 0 THEN false ELSE id / a > 0 END',
  'SELECT sum(e), sum(ue), avg(e), sum(price * 1000), sum(c * c::bigint) FROM all_types',
  'SELECT max(price * price) FROM all_types', 'SELECT -a AS x, abs(e) AS y FROM all_types WHERE id = 1']) q;
\echo -- functions that begin with a constant
SELECT compare(q) FROM unnest(ARRAY[
  'SELECT count(*) FROM all_types WHERE id > 3 AND power(2::float8, g) > 1',
  'SELECT count(*) FROM all_types WHERE mod(7, small + 1) = 1 AND left(''word'', small) = ''wo''',
  'SELECT power(1.5, small) AS p, round(2.345, small) AS r, atan2(1, ua) AS a, count(*) FROM all_types GROUP BY 1, 2, 3',
  'SELECT count(*) FROM all_types WHERE date_part(''year'', day) = 2010 OR age(''2010-01-01''::timestamp, day) > ''1 day''']) q;
\echo -- scale of numeric
SELECT sum(price), sum(price * small), avg(price), min(price), sum(small::numeric), sum(weight * price) FROM all_types, labels
  WHERE key = small AND id > 3;
SELECT compare('SELECT sum(price), sum(price * small), avg(price), min(price), sum(small::numeric), sum(weight * price)
  FROM all_types, labels WHERE key = small AND id > 3');
SELECT price, price * 1.50 AS p, price + 1 AS q FROM all_types WHERE id = 22;
\echo -- parallel query
SET max_parallel_workers_per_gather = 2;
SET parallel_setup_cost = 0;
SET min_parallel_table_scan_size = 0;
SELECT count(*), sum(h.small) FROM heap.all_types h JOIN all_types f ON h.id = f.id;
RESET max_parallel_workers_per_gather;
\echo -- updates of heap tables from foreign ones, locks
CREATE TABLE changed AS SELECT key, label FROM heap.labels;
UPDATE changed SET label = a.name FROM all_types a JOIN labels l ON a.small = l.key WHERE changed.key = a.id;
SELECT * FROM changed ORDER BY key;
SELECT key FROM labels WHERE key < 3 ORDER BY key FOR UPDATE;
DROP TABLE changed;
\echo -- partitions of heap and foreign tables
CREATE TABLE parted (key int, label text, weight numeric) PARTITION BY RANGE (key);
CREATE TABLE parted_hot PARTITION OF parted FOR VALUES FROM (100) TO (200);
CREATE FOREIGN TABLE parted_cold PARTITION OF parted FOR VALUES FROM (0) TO (100) SERVER files OPTIONS ("table" 'labels');
INSERT INTO parted VALUES (101, 'hot', 7);
SET enable_partitionwise_aggregate = on;
SET enable_partitionwise_join = on;
SELECT count(*), sum(weight), max(label) FROM parted WHERE key IS NOT NULL;
SELECT key, count(*) FROM parted GROUP BY key ORDER BY key;
SELECT count(*) FROM parted p JOIN parted q USING (key);
EXPLAIN (COSTS OFF) SELECT count(*) FROM parted WHERE key < 50;
CREATE TABLE heap.parted AS TABLE parted;
SELECT pushed('SELECT name, avg(weight) FROM parted, all_types WHERE key = small AND key <> 2 GROUP BY name');
SELECT compare(q) FROM unnest(ARRAY[
  'SELECT count(*), avg(weight), max(label) FROM parted',
  'SELECT name, avg(weight), count(DISTINCT label) FROM parted, all_types WHERE key = small GROUP BY name',
  'SELECT label, count(name) FROM parted LEFT JOIN all_types ON key = id GROUP BY label',
  'SELECT DISTINCT label FROM parted WHERE key > 2 ORDER BY label DESC',
  'SELECT count(*) FROM parted WHERE key > 300', 'SELECT count(*) FROM parted WHERE key = 150',
  'SELECT count(*) FROM parted WHERE key IN (1, 101)']) q;
DROP TABLE heap.parted;
DROP TABLE parted;
RESET enable_partitionwise_aggregate;
RESET enable_partitionwise_join;
\echo -- whole rows and system columns
SELECT l, tableoid::regclass FROM labels l WHERE key = 1;
SELECT count(l) FROM labels l JOIN all_types ON key = small AND id < 20;
\echo -- a dropped column
CREATE FOREIGN TABLE dropped (key int, label text, weight numeric) SERVER files OPTIONS ("table" 'labels');
ALTER FOREIGN TABLE dropped DROP COLUMN label;
SELECT * FROM dropped WHERE key = 2;
DROP FOREIGN TABLE dropped;
\echo -- pg_dump
\! "$PG_BIN/pg_dump" -h "$FOLDER/server/socket" -U test -s -t files.labels postgres | grep -vE '^(--|SET|SELECT|$|.restrict|.unrestrict)'
\echo -- pg_dump of a database, and restored
\set files :folder '/files'
SET client_min_messages = warning;
CREATE DATABASE dumped;
CREATE DATABASE restored;
\c dumped
SET client_min_messages = warning;
CREATE EXTENSION raydex_fdw;
CREATE EXTENSION raydex_distribution CASCADE;
CREATE SERVER files FOREIGN DATA WRAPPER raydex_fdw OPTIONS (folder :'files');
CREATE SCHEMA kept;
IMPORT FOREIGN SCHEMA files LIMIT TO (labels, all_types) FROM SERVER files INTO kept;
CREATE FOREIGN TABLE kept.renamed ("Key" int OPTIONS ("column" 'key')) SERVER files OPTIONS ("table" 'labels');
CREATE TABLE kept.parts (key int, label text COLLATE "C", weight numeric(18,2)) PARTITION BY RANGE (key);
ALTER TABLE kept.parts ATTACH PARTITION kept.labels FOR VALUES FROM (0) TO (100);
CREATE MATERIALIZED VIEW kept.groups AS SELECT label, count(*) AS n FROM kept.labels JOIN kept.all_types ON key = small GROUP BY label;
\! "$PG_BIN/pg_dump" -h "$FOLDER/server/socket" -U test -F c dumped | "$PG_BIN/pg_restore" -h "$FOLDER/server/socket" -U test -d restored --exit-on-error
\c restored
SELECT sum(n) FROM kept.groups;
SELECT count(*), sum("Key") FROM kept.renamed;
SELECT count(*) FROM kept.parts WHERE key > 2;
SELECT count(*) FROM raydex.parts;
\! for d in dumped restored; do "$PG_BIN/pg_dump" -h "$FOLDER/server/socket" -U test $d | grep -v restrict >"$FOLDER/$d.sql"; done; cmp "$FOLDER/dumped.sql" "$FOLDER/restored.sql"
\c postgres
DROP DATABASE dumped;
DROP DATABASE restored;
