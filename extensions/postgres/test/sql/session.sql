-- What the README shows.
\set loaded :folder '/loaded'
CREATE SERVER shop FOREIGN DATA WRAPPER raydex_fdw OPTIONS (folder :'loaded');
CREATE SCHEMA shop;
IMPORT FOREIGN SCHEMA files LIMIT TO (orders) FROM SERVER shop INTO shop;
SELECT customer, sum(amount) FROM shop.orders GROUP BY customer ORDER BY customer;
EXPLAIN (VERBOSE, COSTS OFF) SELECT customer, sum(amount) FROM shop.orders GROUP BY customer ORDER BY customer;
-- A file outside of the folder is not read, whether by a link or by its name.
IMPORT FOREIGN SCHEMA files LIMIT TO (outside) FROM SERVER shop INTO shop;
CREATE FOREIGN TABLE shop.linked (key int) SERVER shop OPTIONS (table 'outside');
SELECT * FROM shop.linked;
CREATE FOREIGN TABLE shop.above (key int) SERVER shop OPTIONS (table '../files/labels');
DROP SCHEMA shop CASCADE;
DROP SERVER shop;
