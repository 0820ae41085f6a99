-- Values at the edges of each type, and statements of all kinds over them: heap tables, pushed down, not pushed down.
-- Which of 0 and -0 a group shows is open, and sums of floats are rounded: see docs/postgres.md.
\set trial :folder '/files/trial.rdx'
CREATE TABLE heap.trial (id int, s text COLLATE "C", v text COLLATE "C", r real, d double precision, n numeric(18,3), i2 smallint, i8 bigint, dt date, ts timestamptz, b boolean, k int);
INSERT INTO heap.trial
SELECT i,
 (ARRAY['', ' ', 'a', 'A', 'a ', ' a', 'ä', 'Ä', E'a\u0308', 'ab', 'aB', '%', '_', 'a%b', 'a_b', E'a\\b', 'ß', 'SS', 'ss', 'i', 'I', 'İ', 'ı', '€', '😀', E'tab\there', E'nl\nx', 'null', 'NULL', '''', '"', '$1', '--', 'NaN', '0', '-0', '1e5', NULL])[1 + i % 38],
 (ARRAY['x','y','z',NULL])[1 + i % 4],
 (ARRAY['0','-0','NaN','Infinity','-Infinity','1e-45','3.4028235e38','0.1','1','-1','16777217',NULL])[1 + i % 12]::real,
 (ARRAY['0','-0','NaN','Infinity','-Infinity','5e-324','1.7976931348623157e308','0.1','1','-1','0.30000000000000004','0.3',NULL])[1 + (i*5) % 13]::float8,
 (ARRAY['0','-0.001','0.001','999999999999999.999','-999999999999999.999','1','1.5','-1.5','2.5','1.234',NULL])[1 + (i*3) % 11]::numeric,
 (ARRAY['-32768','32767','0','1','-1','7',NULL])[1+(i*2)%7]::smallint,
 (ARRAY['-9223372036854775808','9223372036854775807','0','1','-1','4294967296',NULL])[1+(i*4)%7]::bigint,
 (ARRAY['0001-01-01','9999-12-31','1970-01-01','1969-12-31','2000-02-29','2024-12-31','1582-10-10','0044-03-15 BC','12024-01-01','2020-01-01',NULL])[1+(i*7)%11]::date,
 (ARRAY['0001-01-01 00:00:00+00','9999-12-31 23:59:59.999999+00','1970-01-01 00:00+00','1969-12-31 23:59:59.999999+00','2000-02-29 12:00+00','2024-03-31 01:30:00+00','2024-10-27 00:30:00+00','2024-10-27 01:30:00+00','0044-03-15 12:00 BC','2020-01-01 00:00:00.000001+00',NULL])[1+(i*6)%11]::timestamptz,
 (ARRAY[true,false,NULL])[1 + i%3], i % 9
FROM generate_series(1, 1200) i;
ANALYZE heap.trial;
SELECT raydex_load('SELECT * FROM heap.trial', :'trial');
IMPORT FOREIGN SCHEMA files LIMIT TO (trial) FROM SERVER files INTO files;
SELECT count(*) FROM ((TABLE heap.trial EXCEPT ALL TABLE files.trial) UNION ALL (TABLE files.trial EXCEPT ALL TABLE heap.trial)) d;
CREATE TABLE edges (query text);
COPY edges FROM STDIN;
SELECT id FROM trial WHERE s = 'a'
SELECT id FROM trial WHERE s = 'a '
SELECT id FROM trial WHERE s = 'a '::char(5)
SELECT id FROM trial WHERE s::char(3) = 'a'
SELECT id FROM trial WHERE s < 'a' COLLATE "en-x-icu"
SELECT s FROM trial ORDER BY s COLLATE "en-x-icu", id LIMIT 100
SELECT s FROM trial ORDER BY s, id LIMIT 200
SELECT max(s COLLATE "en-x-icu"), min(s), max(s) FROM trial
SELECT upper(s COLLATE "en-x-icu") u, count(*) FROM trial GROUP BY 1
SELECT upper(s), lower(s), initcap(s), count(*) FROM trial GROUP BY 1,2,3
SELECT id FROM trial WHERE s ILIKE 'A%'
SELECT id FROM trial WHERE s LIKE 'a\\%b'
SELECT id FROM trial WHERE s LIKE 'a%b'
SELECT id FROM trial WHERE s LIKE 'a#_b' ESCAPE '#'
SELECT id FROM trial WHERE s LIKE '_'
SELECT id FROM trial WHERE s LIKE '__'
SELECT id FROM trial WHERE s NOT LIKE '%'
SELECT id FROM trial WHERE s LIKE ''
SELECT id FROM trial WHERE s ~ '^a'
SELECT id FROM trial WHERE s SIMILAR TO 'a(b|B)'
SELECT id FROM trial WHERE s LIKE ANY (ARRAY['a%','%b'])
SELECT id FROM trial WHERE s = ANY (ARRAY['a',NULL,''])
SELECT id FROM trial WHERE s <> ALL (ARRAY['a','b'])
SELECT id FROM trial WHERE s <> ALL (ARRAY['a',NULL])
SELECT id FROM trial WHERE s = ANY ('{}'::text[])
SELECT id FROM trial WHERE s <> ALL ('{}'::text[])
SELECT id FROM trial WHERE s = ANY (NULL::text[])
SELECT id FROM trial WHERE k = ANY ('{{1,2},{3,4}}'::int[])
SELECT id FROM trial WHERE i2 < ALL ('{3,7}'::int[])
SELECT id FROM trial WHERE s IN ('$1', '--', '''', '"')
SELECT length(s), octet_length(s), char_length(s), bit_length(s), count(*) FROM trial GROUP BY 1,2,3,4
SELECT reverse(s), left(s,1), left(s,-1), right(s,1), right(s,-1), left(s,0), substr(s,1,0), substr(s,2), substring(s from 2 for 1), count(*) FROM trial GROUP BY 1,2,3,4,5,6,7,8,9
SELECT substr(s,-1,3), substr(s,0), count(*) FROM trial GROUP BY 1,2
SELECT replace(s,'a',''), replace(s,'','x'), translate(s,'abc','x'), translate(s,'ä','ö'), count(*) FROM trial GROUP BY 1,2,3,4
SELECT btrim(s), ltrim(s), rtrim(s), btrim(s,'a'), trim(both '' from s), count(*) FROM trial GROUP BY 1,2,3,4,5
SELECT lpad(s,3), lpad(s,3,''), lpad(s,0), rpad(s,3,'äö'), lpad(s, 4, '😀x'), count(*) FROM trial GROUP BY 1,2,3,4,5
SELECT strpos(s,'a'), strpos(s,''), position('b' in s), ascii(s), md5(s), count(*) FROM trial GROUP BY 1,2,3,4,5
SELECT split_part(s,'a',1), split_part(s,'',1), split_part(s,'a',2), count(*) FROM trial GROUP BY 1,2,3
SELECT split_part(s,'a',-1), count(*) FROM trial GROUP BY 1
SELECT overlay(s placing 'ZZ' from 1 for 0), overlay(s placing '' from 1), overlay(s placing 'Q' from 3 for 2), count(*) FROM trial GROUP BY 1,2,3
SELECT s || v, concat(s,v), concat_ws(',',s,v), concat(s, NULL, v), concat_ws(NULL, s, v), count(*) FROM trial GROUP BY 1,2,3,4,5
SELECT s || k, count(*) FROM trial GROUP BY 1
SELECT concat(s, b, k, n), count(*) FROM trial GROUP BY 1
SELECT concat_ws(s, v, 'x'), count(*) FROM trial GROUP BY 1
SELECT b::text, k::text, i8::text, i2::text, n::text, r::text, d::text, dt::text, count(*) FROM trial GROUP BY 1,2,3,4,5,6,7,8
SELECT s::varchar(1), count(*) FROM trial GROUP BY 1
SELECT s::char(2), count(*) FROM trial GROUP BY 1
SELECT s::name, count(*) FROM trial GROUP BY 1
SELECT starts_with(s,'a'), s ^@ 'a', starts_with(s, ''), count(*) FROM trial GROUP BY 1,2,3
SELECT repeat(s,2), chr(k+60), to_hex(k), to_hex(i8), quote_literal(s), count(*) FROM trial GROUP BY 1,2,3,4,5
SELECT string_agg(s, ',' ORDER BY s), string_agg(DISTINCT s, '' ORDER BY s DESC), string_agg(s, NULL ORDER BY s) FROM trial
SELECT k, string_agg(s, ',' ORDER BY s NULLS FIRST), array_agg(s ORDER BY s,id) FROM trial GROUP BY k
SELECT k, string_agg(s, ',' ORDER BY k, s DESC NULLS LAST) FROM trial GROUP BY k
SELECT s, v, count(*) FROM trial GROUP BY s, v HAVING s > v
SELECT id FROM trial WHERE s = v
SELECT id FROM trial WHERE s IS NOT DISTINCT FROM v
SELECT id FROM trial WHERE s IS DISTINCT FROM NULL
SELECT nullif(s,'a'), coalesce(s,'n'), greatest(s,v), least(s,v,'m'), count(*) FROM trial GROUP BY 1,2,3,4
SELECT greatest(s COLLATE "en-x-icu",v COLLATE "en-x-icu"), count(*) FROM trial GROUP BY 1
SELECT CASE s WHEN 'a' THEN 1 WHEN NULL THEN 2 ELSE 3 END, CASE WHEN s > 'a' THEN s ELSE v END, count(*) FROM trial GROUP BY 1,2
SELECT id FROM trial WHERE d = 'NaN'
SELECT id FROM trial WHERE d > 'Infinity'
SELECT id FROM trial WHERE d >= 'NaN'
SELECT id FROM trial WHERE d <> d
SELECT id FROM trial WHERE d = -0.0::float8
SELECT id FROM trial WHERE r = 0.1
SELECT id FROM trial WHERE r = 0.1::real
SELECT id FROM trial WHERE r < d
SELECT id FROM trial WHERE r = d
SELECT id FROM trial WHERE r > 16777216
SELECT id FROM trial WHERE r = 16777217
SELECT id FROM trial WHERE d = 0.3
SELECT id FROM trial WHERE d BETWEEN -1 AND 0.3
SELECT d, count(*) FROM trial WHERE d <> 0 AND r <> 0 GROUP BY d
SELECT r, d, count(*) FROM trial WHERE d <> 0 AND r <> 0 GROUP BY r, d
SELECT DISTINCT d FROM trial WHERE d <> 0 AND r <> 0
SELECT DISTINCT r, d FROM trial WHERE r <> 0 AND d <> 0 ORDER BY r, d DESC
SELECT d, id FROM trial ORDER BY d, id
SELECT r, id FROM trial ORDER BY r DESC NULLS LAST, id LIMIT 500
SELECT min(d), max(d), min(r), max(r), count(DISTINCT d), count(DISTINCT r) FROM trial
SELECT k, min(d), max(d), min(r), max(r) FROM trial GROUP BY k
SELECT k, min(d) = 0, max(d) = 0 FROM trial WHERE d = 0 GROUP BY k
SELECT sum(r), avg(r), sum(d), avg(d), stddev(d), var_pop(r) FROM trial
SELECT round(sum(d)::numeric, 6) FROM trial WHERE abs(d) < 10
SELECT k, round((sum(d) FILTER (WHERE d < 5 AND d > -5))::numeric, 6) FROM trial GROUP BY k
SELECT abs(d), floor(d), sign(d), count(*) FROM trial WHERE d <> 0 AND r <> 0 GROUP BY 1,2,3
SELECT ceil(d), trunc(d), round(d), -d, count(*) FROM trial WHERE d <> 0 AND r <> 0 GROUP BY 1,2,3,4
SELECT d::real, count(*) FROM trial WHERE d <> 0 AND r <> 0 AND abs(d) < 1e30 AND abs(d)>1e-30 GROUP BY 1
SELECT r::float8, count(*) FROM trial WHERE d <> 0 AND r <> 0 GROUP BY 1
SELECT d::int, count(*) FROM trial WHERE abs(d) < 10 GROUP BY 1
SELECT r::numeric, count(*) FROM trial WHERE abs(r) < 10 GROUP BY 1
SELECT n::float8, i8::float8, count(*) FROM trial GROUP BY 1,2
SELECT n::real, i8::real, count(*) FROM trial GROUP BY 1,2
SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY d), percentile_cont(0.25) WITHIN GROUP (ORDER BY r), mode() WITHIN GROUP (ORDER BY d), percentile_disc(0.5) WITHIN GROUP (ORDER BY d) FROM trial WHERE abs(d) < 5
SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY d) FROM trial
SELECT k, percentile_cont(1) WITHIN GROUP (ORDER BY i8) FROM trial GROUP BY k
SELECT k, percentile_disc(0.1) WITHIN GROUP (ORDER BY n DESC), mode() WITHIN GROUP (ORDER BY ts) FROM trial GROUP BY k
SELECT count(*) FROM trial a JOIN trial b ON a.d = b.d WHERE a.id < 50 AND b.id < 60
SELECT count(*) FROM trial a JOIN trial b ON a.r = b.d WHERE a.id < 50 AND b.id < 60
SELECT count(*) FROM trial a JOIN trial b ON a.d = b.i2 WHERE a.id < 50 AND b.id < 60
SELECT id FROM trial WHERE d IN (0, 'NaN', 0.1)
SELECT id FROM trial WHERE d NOT IN (0, 'NaN')
SELECT greatest(d, r), least(d, 0), count(*) FROM trial WHERE d <> 0 AND r <> 0 GROUP BY 1, 2
SELECT nullif(d, 0), coalesce(d, r), count(*) FROM trial WHERE d <> 0 AND r <> 0 GROUP BY 1,2
SELECT CASE WHEN d > 0 THEN d ELSE r END, count(*) FROM trial WHERE d <> 0 AND r <> 0 GROUP BY 1
SELECT round(sum(CASE WHEN abs(d) < 5 THEN d END)::numeric, 6) FROM trial
SELECT power(2::float8, k), sqrt(abs(k)::float8), ln(k + 1.0), exp(k::float8), count(*) FROM trial GROUP BY 1,2,3,4
SELECT round(n, 1), round(n, -1), round(n), trunc(n, 2), trunc(n), ceil(n), floor(n), sign(n), abs(n), count(*) FROM trial GROUP BY 1,2,3,4,5,6,7,8,9
SELECT id FROM trial WHERE n = 1.5
SELECT id FROM trial WHERE n = 1.50000
SELECT id FROM trial WHERE n > 999999999999999.9989999
SELECT id FROM trial WHERE n < 1e100
SELECT id FROM trial WHERE n > 'Infinity'
SELECT id FROM trial WHERE n < 'NaN'
SELECT id FROM trial WHERE n = i8
SELECT id FROM trial WHERE n > i2
SELECT id FROM trial WHERE n > d
SELECT id FROM trial WHERE n IN (1.5, 2.50, -0.001)
SELECT sum(n), avg(n), min(n), max(n), count(DISTINCT n), stddev(n), var_pop(n) FROM trial
SELECT k, sum(n), avg(n), stddev(n) FROM trial WHERE abs(n) < 100 GROUP BY k
SELECT n * 2, n + 1, n - 0.5, -n, n / 3, n % 2, count(*) FROM trial GROUP BY 1,2,3,4,5,6
SELECT n * n, count(*) FROM trial GROUP BY 1
SELECT n::int, count(*) FROM trial WHERE abs(n) < 1000 GROUP BY 1
SELECT n::bigint, n::numeric(18,1), n::numeric, count(*) FROM trial GROUP BY 1,2,3
SELECT n::smallint FROM trial
SELECT sum(i8), avg(i8), sum(i2), avg(i2), sum(k), avg(k) FROM trial
SELECT sum(i8) FROM trial WHERE i8 > 0
SELECT k, sum(DISTINCT i8), avg(DISTINCT i2) FROM trial GROUP BY k
SELECT i2 + 1::smallint FROM trial
SELECT i2 + 1, i2 * 2, i2 / 2, i2 % 3, i2::int, -i2::int, abs(i2::int), count(*) FROM trial GROUP BY 1,2,3,4,5,6,7
SELECT abs(i2) FROM trial
SELECT -i8 FROM trial
SELECT i8 / 2, i8 % 10, i8 / -1 FROM trial WHERE i8 > 0
SELECT i8 / -1 FROM trial
SELECT i8 % -1, count(*) FROM trial GROUP BY 1
SELECT mod(i8, 7), mod(i2, 3::smallint), mod(n, 2), div(n, 2), count(*) FROM trial WHERE abs(n)<1000 GROUP BY 1,2,3,4
SELECT k / 0 FROM trial
SELECT k FROM trial WHERE false AND k / 0 = 1
SELECT id FROM trial WHERE i8 = 1.5
SELECT id FROM trial WHERE i8 = '9223372036854775807'
SELECT id FROM trial WHERE i8 > 9223372036854775808
SELECT id FROM trial WHERE i8 < 1.0::float8
SELECT i8 & 1, i8 | 2, i8 # 3, ~i8, i8 << 1, count(*) FROM trial GROUP BY 1,2,3,4,5
SELECT bit_and(i8), bit_or(i2), bit_xor(k) FROM trial
SELECT id FROM trial WHERE k BETWEEN SYMMETRIC 5 AND 2
SELECT id FROM trial WHERE (k, i2) < (3, 0)
SELECT id FROM trial WHERE (k, i2) = (3, 0)
SELECT id FROM trial WHERE (k, i2) IN ((3, 0), (4, 1))
SELECT id FROM trial WHERE ROW(k, s) IS DISTINCT FROM ROW(3, 'a')
SELECT id FROM trial WHERE trial IS NULL
SELECT id FROM trial WHERE ROW(k, s) IS NULL
SELECT id FROM trial WHERE dt = '0044-03-15 BC'
SELECT id FROM trial WHERE dt < '0001-01-01'
SELECT id FROM trial WHERE dt > '9999-12-31'
SELECT id FROM trial WHERE dt < 'infinity'
SELECT id FROM trial WHERE dt > '-infinity'
SELECT id FROM trial WHERE dt >= '12024-01-01'
SELECT id FROM trial WHERE dt < now()
SELECT id FROM trial WHERE dt < '2020-01-01'::timestamptz
SELECT id FROM trial WHERE dt <= '2020-01-01 12:00'::timestamp
SELECT id FROM trial WHERE dt = ts
SELECT id FROM trial WHERE dt = ts::date
SELECT id FROM trial WHERE dt BETWEEN '1960-01-01' AND '2001-01-01'
SELECT id FROM trial WHERE dt IN ('2020-01-01', '1970-01-01')
SELECT dt + 1, dt - 1, dt - date '2000-01-01', dt + interval '1 month', count(*) FROM trial GROUP BY 1,2,3,4
SELECT dt + k, count(*) FROM trial WHERE id < 20 GROUP BY 1
SELECT extract(year from dt), extract(dow from dt), extract(isoyear from dt), extract(week from dt), extract(epoch from dt), extract(julian from dt), extract(century from dt), extract(millennium from dt), extract(decade from dt), count(*) FROM trial GROUP BY 1,2,3,4,5,6,7,8,9
SELECT date_trunc('month', dt), date_part('year', dt), to_char(dt, 'YYYY-MM'), age(dt, '2000-01-01'::date), count(*) FROM trial GROUP BY 1,2,3,4
SELECT extract(year from dt) y, count(*) FROM trial WHERE dt > '1000-01-01' AND dt < '9000-01-01' GROUP BY y
SELECT min(dt), max(dt), count(DISTINCT dt), min(ts), max(ts) FROM trial
SELECT dt, ts, count(*) FROM trial GROUP BY dt, ts ORDER BY dt DESC, ts LIMIT 30
SELECT id FROM trial WHERE ts = '2024-03-31 03:30:00 Europe/Berlin'
SELECT id FROM trial WHERE ts < '2024-10-27 02:30:00'
SELECT id FROM trial WHERE ts > '0044-03-15 11:00 BC'
SELECT date_trunc('day', ts), date_trunc('hour', ts, 'Asia/Kolkata'), extract(hour from ts), extract(timezone from ts), ts AT TIME ZONE 'America/New_York', ts::date, ts::timestamp, to_char(ts, 'YYYY-MM-DD HH24:MI TZ'), count(*) FROM trial GROUP BY 1,2,3,4,5,6,7,8
SELECT id FROM trial WHERE ts::date = '2024-03-31'
SELECT id FROM trial WHERE ts = '2000-02-29 12:00'::timestamp
SELECT extract(epoch from ts), count(*) FROM trial GROUP BY 1
SELECT ts - '2000-01-01'::timestamptz, ts + interval '1 day', count(*) FROM trial WHERE ts > '1000-01-01' GROUP BY 1, 2
SELECT id FROM trial WHERE (ts, ts) OVERLAPS ('2020-01-01'::timestamptz, '2024-01-01')
SELECT id FROM trial WHERE b
SELECT id FROM trial WHERE NOT b
SELECT id FROM trial WHERE b = true
SELECT id FROM trial WHERE b <> false
SELECT id FROM trial WHERE b IS UNKNOWN
SELECT id FROM trial WHERE b < true
SELECT id FROM trial WHERE b = (k > 3)
SELECT b, bool_and(k > 3), bool_or(b), every(b), count(*) FILTER (WHERE b) FROM trial GROUP BY b ORDER BY b NULLS FIRST
SELECT max(b::int), sum(b::int) FROM trial
SELECT CASE WHEN b THEN 1 WHEN NOT b THEN 0 END, count(*) FROM trial GROUP BY 1
SELECT id FROM trial WHERE b IS TRUE AND (k > 3) IS NOT FALSE
SELECT id FROM trial WHERE (k > NULL) IS NULL
SELECT count(*) FROM trial WHERE NULL
SELECT count(*) FROM trial WHERE NOT (k > 3 AND s > 'a')
SELECT id FROM trial WHERE coalesce(b, k > 3)
SELECT id FROM trial WHERE nullif(b, true)
SELECT greatest(b, k > 4), count(*) FROM trial GROUP BY 1
SELECT count(*), count(a.id), count(b.id) FROM trial a LEFT JOIN trial b ON a.k = b.id AND b.b WHERE a.id < 100
SELECT a.id, b.label, c.label FROM trial a LEFT JOIN labels b ON a.k = b.key LEFT JOIN labels c ON b.key = c.key AND c.weight > 2 WHERE a.id < 50
SELECT count(*) FROM trial a WHERE EXISTS (SELECT FROM labels l WHERE l.key = a.k AND l.label > a.s)
SELECT count(*) FROM trial a WHERE a.k NOT IN (SELECT key FROM labels WHERE key IS NOT NULL)
SELECT id, (SELECT label FROM labels WHERE key = k) FROM trial WHERE id < 30
SELECT id, (SELECT count(*) FROM labels WHERE key < k) FROM trial WHERE id < 30
SELECT a.id, x.* FROM trial a, LATERAL (SELECT label, weight FROM labels WHERE key >= a.k ORDER BY key LIMIT 2) x WHERE a.id < 30
SELECT a.id, x.* FROM trial a LEFT JOIN LATERAL (SELECT max(weight) AS m FROM labels WHERE key >= a.k) x ON true WHERE a.id < 30
SELECT k FROM trial UNION SELECT key FROM labels
SELECT k FROM trial UNION ALL SELECT key FROM labels
SELECT k FROM trial INTERSECT ALL SELECT key FROM labels
SELECT k FROM trial EXCEPT ALL SELECT key FROM labels
WITH w AS MATERIALIZED (SELECT k, count(*) c FROM trial GROUP BY k) SELECT * FROM w a JOIN w b ON a.c = b.c
WITH RECURSIVE r(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM r WHERE x < (SELECT max(key) FROM labels)) SELECT * FROM r
SELECT id, k, sum(k) OVER (PARTITION BY s ORDER BY id) FROM trial WHERE id < 100
SELECT k, count(*), sum(count(*)) OVER (ORDER BY k) FROM trial GROUP BY k
SELECT k, b, count(*), grouping(k, b) FROM trial GROUP BY CUBE (k, b)
SELECT k, b, count(*) FROM trial GROUP BY GROUPING SETS ((k), (b), ())
SELECT count(DISTINCT s), count(DISTINCT (k, b)), sum(k) FILTER (WHERE b), array_agg(DISTINCT k ORDER BY k DESC) FROM trial
SELECT k, sum(i2) s FROM trial GROUP BY k HAVING sum(i2) > 0 AND count(*) > 3 ORDER BY s DESC NULLS LAST, k LIMIT 3
SELECT DISTINCT ON (k) k, id FROM trial ORDER BY k, id DESC
SELECT k, id FROM trial ORDER BY k, id FETCH FIRST 3 ROWS WITH TIES
SELECT count(*) FROM (SELECT 1 FROM trial LIMIT 10) x
SELECT count(*) FROM (SELECT 1 FROM trial OFFSET 1190) x
SELECT count(*) FROM (SELECT * FROM trial LIMIT 0) x
SELECT count(*) FROM (SELECT * FROM trial LIMIT NULL) x
SELECT 1 FROM trial GROUP BY ()
SELECT 1 FROM trial HAVING count(*) > 5
SELECT count(*) FROM trial HAVING false
SELECT 'c' AS c, count(*) FROM trial GROUP BY 1
SELECT k, 'c' AS c, 5 + 1, count(*) FROM trial GROUP BY 1, 2, 3
SELECT k + 1 AS x, k + 1 AS y, count(*), count(*) FROM trial GROUP BY 1, 2
SELECT DISTINCT k, k FROM trial
SELECT DISTINCT 1 FROM trial
SELECT id FROM trial ORDER BY k % 3, id DESC LIMIT 20
SELECT id FROM trial ORDER BY s || v, id LIMIT 20
SELECT id, generate_series(1, 2) FROM trial WHERE id < 4
SELECT unnest(ARRAY[k, id]) FROM trial WHERE id < 4
SELECT (trial).k FROM trial WHERE id < 4
SELECT trial FROM trial WHERE id < 20
SELECT count(trial), count(*) FROM trial
SELECT row_to_json(t) FROM trial t WHERE id < 10
SELECT json_agg(t ORDER BY id) FROM trial t WHERE id < 5
SELECT round(corr(k, i2)::numeric, 9), round(covar_pop(k, i2)::numeric, 6), round(regr_slope(k, i2)::numeric, 9), regr_count(k, i2), round(regr_avgx(k, i2)::numeric, 9) FROM trial
SELECT max(id) FILTER (WHERE s LIKE 'a%') - min(id) FROM trial
SELECT sum(k) / count(*) FROM trial
SELECT count(*) FROM trial a, labels b, labels c WHERE a.k = b.key AND b.key = c.key AND a.id < 100
SELECT a.k, count(*) FROM trial a JOIN labels b ON a.k = b.key JOIN all_types c ON c.small = b.key GROUP BY a.k
SELECT count(*) FROM trial a JOIN trial b USING (k) WHERE a.id < 30
SELECT count(*) FROM trial a NATURAL JOIN (SELECT id, k FROM trial) b
SELECT a.id FROM trial a JOIN labels b ON a.k < b.key WHERE a.id < 5
SELECT a.id FROM trial a CROSS JOIN labels b WHERE a.id < 5
SELECT count(*) FROM trial a JOIN labels b ON a.k = b.key + 1
SELECT count(*) FROM trial a JOIN labels b ON a.s = b.label
SELECT count(*) FROM trial a JOIN labels b ON a.i8 = b.key
SELECT count(*) FROM trial a JOIN labels b ON a.n = b.key
SELECT count(*) FROM trial a JOIN labels b ON a.n = b.weight
SELECT count(*) FROM trial a JOIN trial b ON a.dt = b.ts WHERE a.id < 100 AND b.id < 100
SELECT a.id, b.key FROM trial a LEFT JOIN labels b ON a.k = b.key AND a.id < 10 WHERE a.id < 20 ORDER BY b.key NULLS FIRST, a.id LIMIT 7
SELECT b.label, sum(a.k) FROM labels b LEFT JOIN trial a ON a.k = b.key GROUP BY b.label ORDER BY 2 DESC NULLS FIRST, 1
VALUES (1), ((SELECT count(*)::int FROM trial))
\.
CREATE VIEW wrong AS SELECT r AS result, query FROM edges, compare(query) r WHERE r <> 'same';
TABLE wrong;
\echo -- another time zone, the worker
SET timezone = 'America/New_York';
SELECT * FROM wrong WHERE result NOT LIKE 'error%';
RESET timezone;
LOAD 'raydex_fdw';
ALTER SYSTEM SET raydex.worker_device = 'cpu';
SELECT pg_reload_conf();
SET raydex.worker = on;
SELECT * FROM wrong WHERE result NOT LIKE 'error%';
RESET raydex.worker;
DROP VIEW wrong;
DROP TABLE edges;
DROP TABLE heap.trial;
DROP FOREIGN TABLE files.trial;
\! rm "$FOLDER/files/trial.rdx"
