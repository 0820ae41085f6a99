-- Timestamps that no time zone moves.
ALTER FOREIGN TABLE files.all_types ADD COLUMN clock timestamp OPTIONS ("column" 'moment');
ALTER TABLE heap.all_types ADD COLUMN clock timestamp;
UPDATE heap.all_types SET clock = moment AT TIME ZONE 'UTC';
-- Random statements: heap tables, pushed down, not pushed down.
\ir ../statements.sql
SELECT setseed(0.42);
CREATE TABLE statements AS SELECT i, statement() AS query FROM generate_series(1, 300) i;
SELECT 'Raydex answers more than half of them at once: ' ||
  (count(*) FILTER (WHERE (SELECT count(*) FROM pushed(query)) = 1) > 150) FROM statements;
SELECT result, count(*) FROM (SELECT compare(query) AS result FROM statements) s GROUP BY result ORDER BY 1;
DROP TABLE statements;
\echo -- roots of many groups, whose last digits PostgreSQL rounds in its own way
SELECT count(*) > 0 FROM pushed('SELECT lo_custkey, stddev(lo_revenue) FROM lineorder GROUP BY 1') p WHERE p LIKE '%GROUP BY%';
SELECT compare('SELECT lo_custkey, lo_quantity, stddev(lo_revenue), stddev_pop(lo_quantity + 0.25), var_samp(lo_extendedprice), stddev_pop(lo_discount * 0.01) FROM lineorder GROUP BY 1, 2');
SELECT compare('SELECT lo_partkey, percentile_cont(0.37) WITHIN GROUP (ORDER BY lo_revenue), mode() WITHIN GROUP (ORDER BY lo_discount), string_agg(lo_shipmode, '','' ORDER BY lo_shipmode) FROM lineorder GROUP BY 1');
\echo -- outer joins
SET search_path = files, public;
SELECT pushed(q) FROM unnest(ARRAY[
  'SELECT label, count(a.id), sum(price) FROM labels LEFT JOIN all_types a ON key = small AND a.a > 0 GROUP BY label',
  'SELECT count(*) FROM all_types a LEFT JOIN labels ON key = small WHERE label IS NULL OR weight > 1',
  'SELECT x.label, y.label, count(*) FROM all_types a JOIN labels x ON a.small = x.key LEFT JOIN labels y ON a.ua = y.key AND y.weight > x.weight GROUP BY 1, 2',
  'SELECT count(*), sum(y.weight) FROM all_types a LEFT JOIN labels x ON a.small = x.key LEFT JOIN labels y ON x.key = y.key AND y.key > 2 WHERE a.id > 5 AND EXISTS (SELECT FROM labels z WHERE z.key = a.ua)',
  'SELECT a.id, label FROM all_types a LEFT JOIN labels ON key = small ORDER BY a.id LIMIT 5']) q;
SELECT setseed(0.42);
CREATE TABLE statements AS SELECT i, outer_statement() AS query FROM generate_series(1, 300) i;
SELECT 'Raydex answers nearly all that are left: ' ||
  (avg((SELECT count(*) FROM pushed(query)) ) FILTER (WHERE query !~ 'FULL|RIGHT') < 1.1) FROM statements;
SELECT result, count(*) FROM (SELECT compare(query) AS result FROM statements) s GROUP BY result ORDER BY 1;
DROP TABLE statements;
\echo -- more of both, and with generic plans
\! "$RANDOM_STATEMENTS"
ALTER TABLE heap.all_types DROP COLUMN clock;
ALTER FOREIGN TABLE files.all_types DROP COLUMN clock;
