-- Three more servers, and tables that are spread over them.
\set SHOW_CONTEXT never
\! for n in n1 n2 n3; do "$NODES" start $n; done
\set n1 :folder '/n1/socket'
\set n2 :folder '/n2/socket'
\set n3 :folder '/n3/socket'
SET client_min_messages = warning;
CREATE EXTENSION raydex_distribution CASCADE;
RESET client_min_messages;
CREATE SERVER n1 FOREIGN DATA WRAPPER postgres_fdw OPTIONS (host :'n1', dbname 'postgres', connect_timeout '2');
CREATE SERVER n2 FOREIGN DATA WRAPPER postgres_fdw OPTIONS (host :'n2', dbname 'postgres', connect_timeout '2');
CREATE SERVER n3 FOREIGN DATA WRAPPER postgres_fdw OPTIONS (host :'n3', dbname 'postgres', connect_timeout '2');
CREATE USER MAPPING FOR PUBLIC SERVER n1 OPTIONS (user 'test', password_required 'false');
CREATE USER MAPPING FOR PUBLIC SERVER n2 OPTIONS (user 'test', password_required 'false');
CREATE USER MAPPING FOR PUBLIC SERVER n3 OPTIONS (user 'test', password_required 'false');
CREATE SCHEMA spread;
CREATE SCHEMA whole;
CREATE TABLE spread.all_types AS SELECT *, moment AT TIME ZONE 'UTC' AS clock FROM heap.all_types;
CREATE TABLE spread.labels AS TABLE heap.labels;
CREATE TABLE whole.all_types AS TABLE spread.all_types;
CREATE TABLE whole.labels AS TABLE heap.labels;

\echo -- what is refused
BEGIN;
CALL raydex.distribute('spread.all_types', '{spread.labels}', '{n1,n2}');
ROLLBACK;
CALL raydex.distribute('spread.all_types', '{spread.labels}', '{n1,n4}');
CALL raydex.distribute('spread.all_types', '{spread.labels}', '{n1,n1}');
CALL raydex.distribute('spread.all_types', '{spread.labels}', '{files}');
CALL raydex.distribute('spread.all_types', '{spread.all_types}', '{n1}');
CALL raydex.distribute('spread.all_types', '{spread.labels}', '{n1}', key => 'flag');
CALL raydex.distribute('spread.all_types', '{spread.labels}', '{n1,n2}', shards => 1);
CALL raydex.add_node('spread.all_types', 'n1');
CREATE ROLE reader;
GRANT USAGE ON SCHEMA spread, raydex TO reader;
GRANT USAGE ON FOREIGN SERVER n1, n2, n3 TO reader;
SET ROLE reader;
CALL raydex.distribute('spread.all_types', '{spread.labels}', '{n1,n2}');
RESET ROLE;

\echo -- two nodes
CALL raydex.distribute('spread.all_types', '{spread.labels}', '{n1,n2}');
ALTER DATABASE postgres SET session_preload_libraries = raydex_fdw;
\c
SET search_path = spread, public;
SELECT relation, server, cardinality(shards) FROM raydex.parts ORDER BY relation::text, server;
EXPLAIN (COSTS OFF) SELECT label, count(*), avg(price) FROM all_types, labels WHERE small = key AND label <> 'two'
  GROUP BY label HAVING sum(id) > 10 ORDER BY 2 DESC, 1 LIMIT 3;

-- Answers, and how many nodes group.
CREATE FUNCTION spread(query text, OUT result text, OUT nodes bigint) LANGUAGE plpgsql AS $$
DECLARE
  one text := answer(query, 'whole, heap', 'on');
  spread text := answer(query, 'spread', 'on');
  line text;
BEGIN
  result := CASE WHEN one <> spread AND query ~ '[-+*/] ' AND 'error 22003' IN (one, spread)
                 THEN 'overflows in one order of evaluation only'
                 WHEN one <> spread THEN format(E'DIFFERENT: %s\none:    %s\nspread: %s', query, left(one, 300),
                                                 left(spread, 300))
                 WHEN one LIKE 'error%' THEN one ELSE 'same' END;
  nodes := 0;
  PERFORM set_config('search_path', 'spread, public', true);
  FOR line IN EXECUTE 'EXPLAIN (VERBOSE, COSTS OFF) ' || query LOOP
    nodes := nodes + (line ~ 'Relations: Aggregate on')::int;
  END LOOP;
END $$;
CREATE TABLE statements (i serial, query text);
INSERT INTO statements (query) VALUES
  ('SELECT count(*), sum(a), sum(b), sum(c), sum(e::numeric), sum(ue), min(name), max(day), avg(price) FROM all_types'),
  ('SELECT count(*), sum(a), avg(b), min(c), bool_or(flag), every(flag), bit_and(a), avg(g) FROM all_types WHERE id < 0'),
  ('SELECT label, avg(a), avg(c), avg(price), avg(e::numeric) FROM all_types JOIN labels ON key = small GROUP BY label'),
  ('SELECT avg(f) > 0.9, avg(g) < 1, sum(f) > 10 FROM all_types WHERE id > 3'),
  ('SELECT name, count(*) FILTER (WHERE small > 3), sum(price) FILTER (WHERE flag) FROM all_types GROUP BY name'),
  ('SELECT small % 2 AS odd, count(DISTINCT name), sum(DISTINCT a), count(*) FROM all_types GROUP BY small % 2'),
  ('SELECT DISTINCT small, flag FROM all_types'),
  ('SELECT small FROM all_types GROUP BY small HAVING count(*) > 44'),
  ('SELECT label, sum(price) AS s FROM all_types LEFT JOIN labels ON key = small GROUP BY label ORDER BY s DESC NULLS LAST, 1 LIMIT 3 OFFSET 1'),
  ('SELECT upper(label) || ''!'' AS l, count(*) * 2 + 1 AS n FROM all_types JOIN labels ON key = small GROUP BY upper(label)'),
  ('SELECT x.label, count(*) FROM labels x JOIN labels y USING (key) JOIN all_types ON small = key GROUP BY x.label'),
  ('SELECT name, rank() OVER (ORDER BY count(*), name) AS r FROM all_types GROUP BY name'),
  ('SELECT max(n) FROM (SELECT small, count(*) AS n FROM all_types GROUP BY small) q'),
  ('WITH q AS (SELECT name, sum(a) AS s FROM all_types GROUP BY name) SELECT * FROM q WHERE s > 0 UNION ALL SELECT label, 1 FROM labels'),
  ('SELECT label FROM labels l WHERE key > (SELECT min(small) FROM all_types WHERE small > 2)'),
  ('SELECT label FROM labels l WHERE 40 > (SELECT count(*) FROM all_types WHERE small = l.key)'),
  ('SELECT count(*) FROM labels LEFT JOIN all_types ON key = small'),
  ('SELECT count(*) FROM all_types x JOIN all_types y ON x.id = y.small'),
  ('SELECT count(*) FROM all_types WHERE small IN (SELECT key FROM labels WHERE weight > 1)'),
  ('SELECT flag, small, count(*) FROM all_types GROUP BY ROLLUP (flag, small)'),
  ('SELECT stddev(small::numeric), string_agg(name, '','' ORDER BY id) FROM all_types WHERE id < 20'),
  ('SELECT count(*) FROM all_types TABLESAMPLE BERNOULLI (100)'),
  ('SELECT count(*), max(all_types::text) FROM all_types WHERE id < 9'),
  ('SELECT * FROM all_types WHERE id IN (7, 99)'),
  ('SELECT label, count(*) FROM labels GROUP BY label'),
  ('SELECT id, label, weight, count(*), sum(price) FROM all_types, labels WHERE small = key AND id < 3 GROUP BY id, label, weight');
SELECT i, s.* FROM statements, spread(query) s ORDER BY i;
\ir ../statements.sql
SELECT setseed(0.37);
DELETE FROM statements;
INSERT INTO statements (query) SELECT statement() FROM generate_series(1, 300) i;
SELECT result, count(*), count(*) FILTER (WHERE nodes = 2) > 50 AS grouped FROM statements, spread(query) s
  GROUP BY result ORDER BY result;
DROP TABLE statements;
\echo -- conditions on the key leave nodes out
EXPLAIN (COSTS OFF) SELECT small, count(*) FROM all_types WHERE id = 7 GROUP BY small;
EXPLAIN (COSTS OFF) SELECT id, name FROM all_types WHERE id = 7;
-- How many servers are asked for the rows of a query, and whether they are the right ones.
CREATE FUNCTION asked(query text, OUT result text, OUT servers bigint) LANGUAGE plpgsql AS $$
DECLARE line text;
BEGIN
  SELECT s.result INTO result FROM spread(query) s;
  servers := 0;
  PERFORM set_config('search_path', 'spread, public', true);
  FOR line IN EXECUTE 'EXPLAIN (VERBOSE, COSTS OFF) ' || query LOOP
    servers := servers + (line ~ 'Foreign Scan')::int;
  END LOOP;
END $$;
SELECT q, a.* FROM unnest(ARRAY[
  'SELECT count(*), sum(price) FROM all_types WHERE id = 7',
  'SELECT count(*), sum(price) FROM all_types WHERE 7::bigint = id AND small < 100',
  'SELECT count(*) FROM all_types WHERE id IN (7, NULL)',
  'SELECT count(*) FROM all_types WHERE id = 1 OR id = 2',
  'SELECT label, count(*) FROM all_types, labels WHERE small = key AND id = 11 GROUP BY label',
  'SELECT id, name FROM all_types WHERE id = 12',
  'SELECT id, name, label FROM all_types LEFT JOIN labels ON key = small WHERE id IN (12)',
  'SELECT id FROM all_types WHERE id = NULL',
  'SELECT id FROM all_types WHERE id <> 7',
  'SELECT count(*) FROM all_types WHERE NOT id = 7']) q, asked(q) a;
SELECT a.result, count(*), count(*) FILTER (WHERE servers = 1) > 300 AS one FROM generate_series(-30, 330) i,
  asked(format(CASE i % 3 WHEN 0 THEN 'SELECT sum(a) FROM all_types WHERE id = %s' WHEN 1 THEN 'SELECT * FROM all_types WHERE %s = id'
               ELSE 'SELECT count(*), min(name) FROM all_types WHERE id IN (%s)' END, i)) a GROUP BY 1;
-- Keys of other types.
CREATE TABLE spread.by_name AS SELECT name, price, id FROM heap.all_types;
CREATE TABLE spread.by_price AS SELECT price, name, id FROM heap.all_types;
CREATE TABLE whole.by_name AS SELECT * FROM spread.by_name;
CREATE TABLE whole.by_price AS SELECT * FROM spread.by_price;
CALL raydex.distribute('spread.by_name', '{}', '{n1,n2}');
CALL raydex.distribute('spread.by_price', '{}', '{n1,n2}');
SELECT a.*, count(*) FROM (SELECT DISTINCT name FROM heap.all_types) k,
  asked(format('SELECT count(*), sum(id) FROM by_name WHERE name = %L', name)) a GROUP BY 1, 2 ORDER BY 1, 2;
SELECT a.*, count(*) FROM (SELECT DISTINCT price FROM heap.all_types) k,
  asked(format('SELECT id, name FROM by_price WHERE price = %s', price || '0')) a WHERE price IS NOT NULL GROUP BY 1, 2 ORDER BY 1, 2;
DROP TABLE spread.by_name, spread.by_price, spread.by_name_local, spread.by_price_local, whole.by_name, whole.by_price;
CALL raydex.clean();
PREPARE one(int) AS SELECT small, count(*) FROM all_types WHERE id = $1 GROUP BY small;
EXPLAIN (COSTS OFF) EXECUTE one(7);
EXECUTE one(7);
EXECUTE one(8);
SET plan_cache_mode = force_generic_plan;
EXECUTE one(7);
RESET plan_cache_mode;
DEALLOCATE one;
\echo -- with the hook off
SET raydex.two_level = off;
SELECT * FROM spread('SELECT small, count(*) FROM all_types GROUP BY small');
RESET raydex.two_level;

\echo -- prepared statements, a dimension that changes, rows that are added
PREPARE p(text) AS SELECT label, count(*) FROM all_types JOIN labels ON key = small WHERE label <> $1 GROUP BY label ORDER BY label;
SET plan_cache_mode = force_generic_plan;
EXECUTE p('one');
UPDATE labels SET label = 'TWO' WHERE key = 2;
EXECUTE p('one');
UPDATE whole.labels SET label = 'TWO' WHERE key = 2;
SELECT * FROM spread('SELECT label, count(*) FROM all_types JOIN labels ON key = small GROUP BY label');
CALL raydex.refresh('labels');
SELECT * FROM spread('SELECT label, count(*) FROM all_types JOIN labels ON key = small GROUP BY label');
EXECUTE p('one');
RESET plan_cache_mode;
INSERT INTO all_types (id, small) SELECT i, 3 FROM generate_series(1000, 1019) i;
INSERT INTO whole.all_types (id, small) SELECT i, 3 FROM generate_series(1000, 1019) i;
UPDATE all_types SET small = 4 WHERE id = 1001;
UPDATE whole.all_types SET small = 4 WHERE id = 1001;
DELETE FROM all_types WHERE id = 1002;
DELETE FROM whole.all_types WHERE id = 1002;
SELECT * FROM spread('SELECT small, count(*), sum(id) FROM all_types GROUP BY small');

\echo -- rights
SET ROLE reader;
SELECT count(*) FROM all_types;
RESET ROLE;
GRANT SELECT ON all_types TO reader;
SET ROLE reader;
SELECT count(*) FROM all_types;
SELECT label, count(*) FROM all_types JOIN labels ON key = small GROUP BY label;
CALL raydex.rebalance('all_types');
DELETE FROM raydex.parts;
SELECT count(*) FROM raydex.parts;
RESET ROLE;

\echo -- nodes come and go
CREATE FUNCTION nodes_of(fact regclass) RETURNS SETOF text LANGUAGE sql AS $$
  SELECT server || ': ' || cardinality(shards) || ' shards' FROM raydex.parts WHERE relation = $1 ORDER BY server $$;
CALL raydex.add_node('all_types', 'n3');
SELECT nodes_of('all_types');
SELECT * FROM spread('SELECT label, count(*), sum(id) FROM all_types JOIN labels ON key = small GROUP BY label');
CALL raydex.remove_node('all_types', 'n1');
SELECT nodes_of('all_types');
SELECT * FROM spread('SELECT label, count(*), sum(id) FROM all_types JOIN labels ON key = small GROUP BY label');
CALL raydex.rebalance('all_types');
SELECT nodes_of('all_types');
CALL raydex.add_node('all_types', 'n1');
CALL raydex.add_node('all_types', 'n1');
SELECT nodes_of('all_types');
SELECT * FROM spread('SELECT label, count(*), sum(id) FROM all_types JOIN labels ON key = small GROUP BY label');
SELECT node, result FROM raydex.on_nodes('all_types', 'SELECT count(*) FROM pg_class WHERE relkind = ''r'' AND relnamespace = ''raydex_shards''::regnamespace');
SELECT count(*) FROM raydex.leftovers;

\echo -- table files: the 13 queries of the Star Schema Benchmark, the same as over heap tables
DO $$
DECLARE
  t text;
BEGIN
  FOREACH t IN ARRAY '{lineorder,date,customer,supplier,part}'::text[] LOOP
    EXECUTE format('CREATE TABLE spread.%I AS TABLE heap.%I', t, t);
  END LOOP;
END $$;
CALL raydex.distribute('lineorder', '{date,customer,supplier,part}', '{n1,n2}', files => 'disk');
CALL raydex.add_node('lineorder', 'n3');
SELECT node, result FROM raydex.on_nodes('lineorder', 'SELECT count(*) FROM pg_class WHERE relkind = ''f'' AND relnamespace = ''raydex_shards''::regnamespace');
\! ls "$FOLDER"/n[123]/disk | grep -c rdx
-- Rows that come from nodes, and groups.
CREATE FUNCTION shipped(query text, OUT result text, OUT nodes bigint, OUT few boolean) LANGUAGE plpgsql AS $$
DECLARE
  plan jsonb;
  groups bigint;
BEGIN
  SELECT s.result, s.nodes INTO result, nodes FROM spread(query) s;
  PERFORM set_config('search_path', 'spread, public', true);
  EXECUTE 'EXPLAIN (ANALYZE, VERBOSE, FORMAT JSON) ' || query INTO plan;
  EXECUTE format('SELECT count(*) FROM (%s) q', query) INTO groups;
  few := (SELECT sum((s ->> 'Actual Rows')::numeric) FROM jsonb_path_query(plan, 'strict $.**."Plans"[*]') s
          WHERE s ->> 'Node Type' = 'Foreign Scan') <= greatest(groups, 1) * nodes;
END $$;
\set queries :folder '/ssb_shipped.sql'
\i :queries
INSERT INTO lineorder (lo_orderkey) VALUES (1);

\echo -- a slow node, one that ends in the middle, one that is down
SET client_min_messages = error;
\set SHOW_CONTEXT errors
SET statement_timeout = '500ms';
\! "$NODES" hold n2 2
SELECT count(*) FROM all_types;
\! sleep 2
SELECT count(*) FROM all_types;
\! "$NODES" freeze n2
SELECT count(*) FROM all_types;
\! "$NODES" thaw n2
RESET statement_timeout;
-- What else is said of a node that ends depends on PostgreSQL's version.
\! "$NODES" hold n2 9; (sleep 0.5; "$NODES" stop n2) &
\! "$PG_BIN/psql" -h "$FOLDER/server/socket" -U test -d postgres -X -q -A -t -c 'SELECT count(*) FROM spread.all_types' 2>&1 | grep -E '^ERROR|while node'
\! while "$NODES" runs n2; do sleep 0.1; done
SELECT count(*) FROM all_types;
\! "$NODES" again n2
SELECT count(*) FROM all_types;
\echo -- nodes that crash
\! "$NODES" crashes n1
\c
SELECT count(*) FROM spread.all_types;
\! for n in n1 n2 n3; do "$NODES" stop $n; done
