SELECT 1 AS a;

-- the next one has an error in its second line
SELECT name,
       prize
  FROM shop;
SELECT 2 AS b;
