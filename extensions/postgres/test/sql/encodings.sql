-- Databases of other encodings: texts of files are UTF-8.
\! printf 'id,name\n1,apple\n2,Öl\n3,€uro\n4,élan\n5,žito\n6,\n7,zebra\n' >"$FOLDER/words.csv" && "$RAYDEX" import "$FOLDER/words.csv" "$FOLDER/files/words.rdx" >/dev/null 2>&1
\! printf 'id,name\n1,😀\n2,b\n' >"$FOLDER/words.csv" && "$RAYDEX" import "$FOLDER/words.csv" "$FOLDER/files/smile.rdx" >/dev/null 2>&1
\set files :folder '/files'
CREATE DATABASE win ENCODING WIN1252 LOCALE 'C' TEMPLATE template0;
\c win
SET client_encoding = 'UTF8';
CREATE EXTENSION raydex_fdw;
CREATE SERVER files FOREIGN DATA WRAPPER raydex_fdw OPTIONS (folder :'files');
IMPORT FOREIGN SCHEMA files LIMIT TO (words, smile) FROM SERVER files INTO public;
CREATE TABLE heap AS TABLE words;
-- The bytes of € come before those of é there, and after them in UTF-8.
SELECT name FROM words ORDER BY name;
SELECT name FROM heap ORDER BY name;
SELECT min(name), max(name), greatest('é', max(name)) FROM words WHERE name > 'é';
SELECT min(name), max(name), greatest('é', max(name)) FROM heap WHERE name > 'é';
EXPLAIN (VERBOSE, COSTS OFF) SELECT count(*) FROM words WHERE name = 'é' OR name IN ('Öl', '€uro');
SELECT count(*) FROM words WHERE name = 'é' OR name IN ('Öl', '€uro');
PREPARE p(text) AS SELECT id FROM words WHERE name = $1;
SET plan_cache_mode = force_generic_plan;
EXECUTE p('žito');
EXECUTE p('apple');
SELECT length(name), upper(name), count(*) FROM words GROUP BY 1, 2 ORDER BY 1, 2;
SELECT count(*) FROM words WHERE name LIKE '_l%';
-- What the encoding does not have is an error, where it is asked for.
SELECT count(*) FROM smile WHERE name = 'b';
SELECT name FROM smile;
\set back :folder '/files/back.rdx'
SELECT raydex_load('SELECT id, name || ''ß'' AS name FROM heap', :'back');
IMPORT FOREIGN SCHEMA files LIMIT TO (back) FROM SERVER files INTO public;
SELECT count(*) FROM back JOIN heap USING (id) WHERE back.name = heap.name || 'ß';
\c postgres
CREATE DATABASE bytes ENCODING SQL_ASCII LOCALE 'C' TEMPLATE template0;
\c bytes
CREATE EXTENSION raydex_fdw;
CREATE SERVER files FOREIGN DATA WRAPPER raydex_fdw OPTIONS (folder :'files');
IMPORT FOREIGN SCHEMA files LIMIT TO (words) FROM SERVER files INTO public;
SELECT id FROM words WHERE name = 'žito';
SELECT id FROM words WHERE name = E'\xff';
SELECT name FROM words ORDER BY name DESC LIMIT 1;
\c postgres
CREATE DATABASE icu ENCODING UTF8 LOCALE_PROVIDER icu ICU_LOCALE 'en-US' LOCALE 'C.UTF-8' TEMPLATE template0;
\c icu
CREATE EXTENSION raydex_fdw;
CREATE SERVER files FOREIGN DATA WRAPPER raydex_fdw OPTIONS (folder :'files');
CREATE FOREIGN TABLE words (id int, name text) SERVER files;
SELECT name FROM words ORDER BY name;
SELECT max(name), count(*) FROM words WHERE name < 'f';
SELECT id FROM words WHERE name = 'élan';
\c postgres
DROP DATABASE win;
DROP DATABASE bytes;
DROP DATABASE icu;
\! rm "$FOLDER/files/words.rdx" "$FOLDER/files/smile.rdx" "$FOLDER/files/back.rdx"
