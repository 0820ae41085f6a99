-- Random statements: heap tables, pushed down, not pushed down.
\ir ../statements.sql
SELECT setseed(0.42);
CREATE TABLE statements AS SELECT i, statement() AS query FROM generate_series(1, 300) i;
SELECT 'Raydex answers more than half of them at once: ' ||
  (count(*) FILTER (WHERE (SELECT count(*) FROM pushed(query)) = 1) > 150) FROM statements;
SELECT result, count(*) FROM (SELECT compare(query) AS result FROM statements) s GROUP BY result ORDER BY 1;
DROP TABLE statements;
