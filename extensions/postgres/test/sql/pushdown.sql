-- What Raydex answers of a query, as text.
SELECT pushed('SELECT id FROM all_types WHERE a = 1 AND (b > 3 OR c IS NULL) AND NOT (flag IS TRUE) AND name IS NOT NULL');
SELECT pushed('SELECT id FROM all_types WHERE c BETWEEN 1 AND 9 AND name IN (''a'', ''b'') AND a NOT IN (1, 2, NULL)');
SELECT pushed('SELECT id FROM all_types WHERE name LIKE ''a%'' AND name NOT LIKE ''%\%'' AND name ILIKE ''B%''');
SELECT pushed('SELECT id FROM all_types WHERE upper(name) = ''ALPHA'' AND a > 0');
SELECT pushed('SELECT id FROM all_types WHERE random() < 2 AND small / 2 = 1 AND small + 1 > 3');
SELECT pushed('SELECT id FROM all_types WHERE c + c > 3');
SELECT pushed('SELECT count(*) FROM all_types JOIN labels ON key = small WHERE label <> ''one''');
SELECT pushed('SELECT count(*) FROM all_types LEFT JOIN labels ON key = small');
SELECT pushed('SELECT count(*) FROM all_types, labels');
SELECT pushed('SELECT flag, count(*) FROM all_types t WHERE small IN (SELECT key FROM labels WHERE label <> ''one'') GROUP BY flag');
SELECT pushed('SELECT count(*) FROM all_types t WHERE id > 3 AND NOT EXISTS (SELECT FROM labels WHERE key = t.small AND weight > t.price)');
SELECT pushed('SELECT count(*) FROM labels JOIN all_types t ON key = small WHERE EXISTS (SELECT FROM all_types u WHERE u.id = t.a AND u.flag)');
SELECT pushed('SELECT label, sum(ub), avg(small), count(DISTINCT name) FROM all_types JOIN labels ON key = small
  GROUP BY label HAVING count(*) > 3 AND avg(small) > 1 ORDER BY label DESC NULLS LAST LIMIT 3 OFFSET 1');
SELECT pushed('SELECT small, count(*) FROM all_types GROUP BY small HAVING count(*) > 3 ORDER BY 2 DESC, 1 LIMIT 3 OFFSET 1');
SELECT pushed('SELECT DISTINCT small, flag FROM all_types WHERE id > 5 ORDER BY small LIMIT 4');
SELECT pushed('SELECT count(*) FILTER (WHERE a > 0), sum(small) FILTER (WHERE flag), bool_and(flag) FROM all_types');
SELECT pushed('SELECT small, upper(max(name COLLATE "C")), sum(b) * 2 FROM all_types GROUP BY small');
SELECT pushed('SELECT small, string_agg(name, '''') FROM all_types GROUP BY small');
SELECT pushed('SELECT sum(e), sum(g), sum(price * price) FROM all_types');
SELECT pushed('SELECT sum(weight * key), avg(weight) FROM labels');
SELECT pushed('SELECT name FROM all_types ORDER BY name LIMIT 2');
SELECT pushed('SELECT name FROM all_types ORDER BY name COLLATE "C" LIMIT 2');
SELECT pushed('SELECT id FROM all_types WHERE upper(name) = ''A'' LIMIT 2');
SELECT pushed('SELECT small, count(*) FROM all_types GROUP BY ROLLUP (small)');
SELECT pushed('SELECT id, row_number() OVER (ORDER BY id) FROM all_types ORDER BY id LIMIT 2');
SELECT pushed('SELECT id FROM all_types WHERE id < 3 FOR UPDATE');
SELECT pushed('SELECT id FROM all_types UNION ALL SELECT key FROM labels WHERE key = 3');
SET raydex.pushdown = off;
SELECT pushed('SELECT small, count(*) FROM all_types WHERE id > 3 GROUP BY small');
RESET raydex.pushdown;
-- Times and method.
SELECT explained('SELECT count(*) FROM files.labels WHERE key > 2');
-- Functions, and FULL joins.
SET search_path = files, public;
SELECT pushed('SELECT length(name), count(*) FROM all_types WHERE left(name, 2) = ''al'' GROUP BY 1');
SELECT pushed('SELECT substring(name FROM 2 FOR 3) || ''x'' AS s, sum(abs(small)) FROM all_types WHERE position(''a'' IN name) > 0 GROUP BY 1 ORDER BY 1 LIMIT 2');
SELECT pushed('SELECT count(*) FROM all_types WHERE substr(name, small) = ''a''');
SELECT pushed('SELECT count(*) FROM all_types WHERE upper(name) = ''A''');
SELECT pushed('SELECT label, count(id), count(*) FROM labels FULL JOIN all_types ON key = small AND weight > 1 GROUP BY label');
SELECT pushed('SELECT x.label, y.label, count(id) FROM labels x FULL JOIN all_types ON x.key = small LEFT JOIN labels y ON y.key = a GROUP BY 1, 2');
SELECT pushed('SELECT count(*) FROM labels x FULL JOIN all_types ON x.key = small JOIN labels y ON y.key = a');
SELECT pushed('SELECT count(*) FROM (SELECT * FROM labels WHERE key > 2) x FULL JOIN all_types ON x.key = small');
SELECT pushed('SELECT id, label FROM all_types JOIN labels ON key = small WHERE id > 3 ORDER BY price DESC, id LIMIT 5 OFFSET 1');
-- Spreads of doubles, times, NULLIF, GREATEST and LEAST, signs; what has another type or a time zone stays.
CREATE FOREIGN TABLE public.times (day date, moment timestamp, f real, g double precision, small int, ue numeric(20,0), price numeric(18,4),
  flag boolean, name text COLLATE "C") SERVER files OPTIONS ("table" 'all_types');
SELECT pushed('SELECT flag, stddev(f), var_pop(g) FILTER (WHERE small > 2), variance(DISTINCT f) FROM times GROUP BY flag');
SELECT pushed('SELECT stddev(small), var_samp(price) FROM times');
SELECT pushed('SELECT date_trunc(''month'', moment), extract(year FROM day), date_part(''hour'', moment), sum(extract(second FROM moment)) FROM times GROUP BY 1, 2, 3');
SELECT pushed('SELECT count(*) FROM all_types WHERE date_trunc(''month'', moment) < ''2003-01-01''');
SELECT pushed('SELECT nullif(small, 3), greatest(small, -small), least(name, ''m''), count(*) FROM times GROUP BY 1, 2, 3');
SELECT pushed('SELECT greatest(f, g), count(*) FROM times GROUP BY 1');
SELECT pushed('SELECT max(ue), max(coalesce(ue, 1)) FROM times');
SELECT pushed('SELECT max(ue) FILTER (WHERE flag) FROM times');
-- Variances that are exact come as their parts; quotients of what PostgreSQL rounds stay there.
SELECT pushed('SELECT flag, stddev(small), var_pop(ub) FILTER (WHERE id > 2) FROM all_types GROUP BY flag HAVING variance(small) > 1 ORDER BY 1');
SELECT pushed('SELECT stddev(weight), avg(weight) FROM labels');
SELECT pushed('SELECT stddev(DISTINCT small) FROM all_types');
SELECT pushed('SELECT regr_count(g, f), regr_count(small, ub) FROM all_types');
SELECT pushed('SELECT flag, covar_pop(g, f), covar_samp(g, small), regr_avgx(g, f), regr_avgy(price, f), regr_sxx(g, f), regr_syy(g, f), regr_sxy(g, f) FROM all_types GROUP BY flag');
SELECT pushed('SELECT corr(small, ub) FILTER (WHERE flag), regr_slope(small, ub), regr_intercept(a, b), regr_r2(c, small) FROM all_types');
SELECT pushed(format('SELECT %s FROM all_types', a)) FROM unnest('{"corr(g, f)","regr_slope(g, small)","regr_r2(price, small)","regr_intercept(e, small)"}'::text[]) a;
SELECT compare(format('SELECT flag, round(%s(%s)::numeric, 3) FROM all_types WHERE id %s GROUP BY flag', f, a, w))
  FROM unnest('{corr,covar_pop,covar_samp,regr_slope,regr_intercept,regr_r2,regr_avgx,regr_avgy,regr_sxx,regr_syy,regr_sxy}'::text[]) f,
       unnest('{"small, ua","b, small","small, small","f, g","price, small","7, small","small, NULL"}'::text[]) a, unnest('{> 3,= 7,< 0}'::text[]) w
  EXCEPT SELECT 'same';
SELECT pushed('SELECT regr_count(DISTINCT g, f) FROM all_types');
-- What ORDER BY decides.
SELECT pushed('SELECT string_agg(name, '', '' ORDER BY small DESC, name), string_agg(DISTINCT name, '''' ORDER BY name) FILTER (WHERE flag) FROM all_types');
SELECT pushed('SELECT string_agg(name, '', '' ORDER BY id) FROM all_types');
SELECT pushed('SELECT string_agg(name, label ORDER BY name) FROM all_types JOIN labels ON key = small');
SELECT pushed('SELECT flag, percentile_cont(0.3) WITHIN GROUP (ORDER BY g), percentile_cont(0.5) WITHIN GROUP (ORDER BY small DESC), percentile_disc(1) WITHIN GROUP (ORDER BY price),
  mode() WITHIN GROUP (ORDER BY name DESC) FILTER (WHERE small > 2) FROM all_types GROUP BY flag');
SELECT pushed('SELECT percentile_disc(0.5) WITHIN GROUP (ORDER BY f) FROM all_types');
SELECT pushed('SELECT mode() WITHIN GROUP (ORDER BY label COLLATE "default") FROM labels');
SELECT pushed('SELECT percentile_cont(ARRAY[0.5]) WITHIN GROUP (ORDER BY small) FROM all_types');
-- More functions, division by constants, casts, days.
SELECT pushed('SELECT upper(name), lower(name), md5(name), lpad(name, 4, ''xy''), rpad(name, 8), translate(name, ''ae'', ''x''), overlay(name PLACING ''ZZ'' FROM 2), split_part(name, ''a'', 2),
  concat(name, ''-'', small::text), concat_ws(''+'', name, flag::text), ascii(name), to_hex(small), count(*) FROM all_types GROUP BY 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12');
SELECT pushed('SELECT upper(name COLLATE "default"), count(*) FROM all_types GROUP BY 1');
SELECT pushed('SELECT count(*) FROM all_types WHERE small / 3 = 1 AND c % 10 = 3 AND mod(b, 7) = 2 AND name ^@ ''a''');
SELECT pushed('SELECT count(*) FROM all_types WHERE small / a = 1');
SELECT pushed('SELECT count(*) FROM all_types WHERE small % 0 = 1');
SELECT pushed('SELECT round(weight, 1), trunc(weight), floor(weight), ceil(weight), sign(weight), weight::int, weight::float8, count(*) FROM labels GROUP BY 1, 2, 3, 4, 5, 6, 7');
SELECT pushed('SELECT floor(g), sign(g), abs(g), small::float8, id::smallint, count(*) FROM all_types GROUP BY 1, 2, 3, 4, 5');
SELECT pushed('SELECT round(g), count(*) FROM all_types GROUP BY 1');
SELECT pushed('SELECT count(*) FROM all_types WHERE uc::int = 1');
SELECT pushed('SELECT count(*) FROM times WHERE moment::date = ''2003-02-01'' AND day - 3 < ''2020-01-01'' AND day - date ''2005-01-01'' > 30');
SELECT pushed('SELECT count(*) FROM times WHERE day + 1 > ''2020-01-01''');
SELECT pushed('SELECT extract(epoch FROM moment), extract(century FROM day), extract(isoyear FROM day), extract(milliseconds FROM moment), date_trunc(''decade'', moment), count(*) FROM times GROUP BY 1, 2, 3, 4, 5');
SELECT pushed('SELECT date_part(''epoch'', moment), count(*) FROM times GROUP BY 1');
-- Where only PostgreSQL knows a group, Raydex groups by what it reads.
EXPLAIN (VERBOSE, COSTS OFF) SELECT initcap(name), small / 2, count(*), avg(small), sum(a) FILTER (WHERE flag) + 1 FROM all_types GROUP BY 1, 2 HAVING max(price) > 1;
SELECT compare('SELECT initcap(name), small / 2, count(*), avg(small), sum(a) FILTER (WHERE flag) + 1 FROM all_types WHERE id > 3 GROUP BY 1, 2 HAVING max(price) > 1');
SELECT compare('SELECT initcap(name) || small, count(flag), min(day), avg(a) FILTER (WHERE a > 100) FROM all_types JOIN labels ON key = small GROUP BY 1');
SELECT compare(q) FROM (VALUES ('SELECT now()::date - current_date, count(*) FROM all_types GROUP BY 1'), ('SELECT count(id) FROM all_types WHERE id < 0 GROUP BY current_date'), ('SELECT small, now()::date - current_date, count(*) FROM all_types GROUP BY 1, 2')) t (q);
SELECT pushed('SELECT initcap(name), sum(price) FROM all_types GROUP BY 1');
SELECT pushed('SELECT initcap(name), count(DISTINCT small) FROM all_types GROUP BY 1');
SELECT pushed('SELECT id::numeric ^ 2, count(*) FROM all_types GROUP BY 1');
SELECT pushed('SELECT round(g), count(*) FROM all_types GROUP BY 1');
SELECT pushed('SELECT floor(random() * 2 + small), count(*) FROM all_types GROUP BY 1');
DROP FOREIGN TABLE public.times;
RESET search_path;
-- EXPLAIN (VERBOSE) has the methods and what they are expected to take, unless a parameter decides.
CREATE FUNCTION methods(query text) RETURNS SETOF text LANGUAGE plpgsql AS $$
DECLARE line text;
BEGIN
  FOR line IN EXECUTE 'EXPLAIN (VERBOSE) ' || query LOOP
    IF line ~ 'Raydex .*Method' THEN
      RETURN NEXT regexp_replace(trim(line), '[0-9.]+ ms', 'n ms', 'g');
    END IF;
  END LOOP;
END $$;
SET search_path = files, public;
SELECT methods('SELECT d_year, sum(lo_revenue) FROM lineorder, date WHERE lo_orderdate = d_datekey GROUP BY d_year');
PREPARE p(int) AS SELECT count(*) FROM labels WHERE key = $1;
SET plan_cache_mode = force_generic_plan;
SELECT methods('EXECUTE p(1)');
RESET plan_cache_mode;
RESET search_path;
-- Sums of bigint and numeric, too, as states that PostgreSQL adds up.
EXPLAIN (VERBOSE, COSTS OFF) SELECT initcap(lo_shipmode), sum(lo_revenue::bigint), sum(lo_discount * 0.25) + 1 FROM files.lineorder GROUP BY 1 HAVING sum(lo_tax::numeric) > 3;
SELECT compare(format('SELECT %s, sum(%s)%s FROM lineorder %s GROUP BY 1 %s', g, a, m, w, h)) AS result, count(*)
  FROM unnest('{initcap(lo_shipmode),initcap(lo_orderpriority) || lo_tax}'::text[]) g,
       unnest('{lo_revenue::bigint,lo_tax * 0.25,"CASE WHEN lo_tax > 3 THEN lo_discount::bigint END"}'::text[]) a,
       unnest('{"",", count(*), sum(lo_tax::bigint) FILTER (WHERE lo_discount = 5) + 1"}'::text[]) m,
       unnest('{WHERE lo_tax < 0,""}'::text[]) w, unnest('{HAVING sum(lo_quantity::numeric) > 10000,""}'::text[]) h GROUP BY 1;
SELECT compare('SELECT initcap(name), sum(weight), avg(key) FROM all_types JOIN labels ON key = small GROUP BY 1');
