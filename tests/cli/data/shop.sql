-- Two statements and a command; a ; in a comment ends nothing.
SELECT name, price FROM shop WHERE price > 0;
.mode json
SELECT count(*) AS n
  FROM shop /* all; of them */
 WHERE name <> ';';
