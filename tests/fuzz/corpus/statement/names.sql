SELECT Foo, "Foo", "A""B", "" AS "", "a;b" FROM "";
SELECT Aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa, "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaZ""", x AS Baaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa FROM aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa1 Caaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa;
SELECT 1 FROM 'x.csv', 'it''s.csv' AS q JOIN 'a/b "c".parquet' ON 'x' = 'y', ('z.csv' CROSS JOIN t), 'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa.csv' WHERE a IN ('b', 'c');
SELECT extract(year FROM 'x'), a IS DISTINCT FROM 'y' FROM t WHERE trim(both FROM 'z') IS DISTINCT FROM 'u' GROUP BY 'v', 'w';
SELECT "t.csv".a FROM (SELECT 'x', 'y' FROM 't.csv') s;
CREATE TABLE aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa ("aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa" int);
