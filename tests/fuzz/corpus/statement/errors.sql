SELECT a FORM t x;
SELECT 'äöü', b FORM t x;


SELECT a,
	'é€𝄞' x y
FROM t;
SELECT (1;
SELECT 'abc;
VALUES (1, 2), (3);
SELECT $0;
SELECT a FROM data.csv;
SELECT a aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaax aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaay;
