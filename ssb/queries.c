/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* The 13 queries (the SSB, section 3). */

#include "ssb/ssb.h"

#define QUERY(name, select, tables, joins, where, tail, ...)                                                           \
  {                                                                                                                    \
    name, "SELECT " select "\nFROM lineorder, " tables "\nWHERE " joins "\n  AND " where tail,                         \
        "SELECT " select "\nFROM lineorder_flat\nWHERE " where tail, where, __VA_ARGS__                                \
  }

#define BY_DATE "lo_orderdate = d_datekey"
#define BY_PART " AND lo_partkey = p_partkey"
#define BY_SUPPLIER " AND lo_suppkey = s_suppkey"
#define BY_CUSTOMER " AND lo_custkey = c_custkey"

#define FLIGHT_1(name, where, selectivity)                                                                             \
  QUERY(name, "sum(lo_extendedprice * lo_discount) AS revenue", "date", BY_DATE, where, "", {0}, SSB_DISCOUNTED,       \
        false, false, selectivity, 1)

#define FLIGHT_2(name, where, selectivity, rows)                                                                       \
  QUERY(name, "sum(lo_revenue) AS revenue, d_year, p_brand1", "date, part, supplier", BY_DATE BY_PART BY_SUPPLIER,     \
        where, "\nGROUP BY d_year, p_brand1\nORDER BY d_year, p_brand1", {"d_year", "p_brand1"}, SSB_REVENUE, true,    \
        false, selectivity, rows)

#define FLIGHT_3(name, c_place, s_place, where, selectivity, rows)                                                     \
  QUERY(name, c_place ", " s_place ", d_year, sum(lo_revenue) AS revenue", "date, supplier, customer",                 \
        BY_DATE BY_SUPPLIER BY_CUSTOMER, where,                                                                        \
        "\nGROUP BY " c_place ", " s_place ", d_year\nORDER BY d_year, revenue DESC", {c_place, s_place, "d_year"},    \
        SSB_REVENUE, false, true, selectivity, rows)

#define FLIGHT_4(name, groups, where, names, selectivity, rows)                                                        \
  QUERY(name, groups ", sum(lo_revenue - lo_supplycost) AS profit", "date, part, supplier, customer",                  \
        BY_DATE BY_PART BY_SUPPLIER BY_CUSTOMER, where, "\nGROUP BY " groups "\nORDER BY " groups, names, SSB_PROFIT,  \
        false, false, selectivity, rows)
#define NAMES(...)                                                                                                     \
  { __VA_ARGS__ }

#define YEARS_92_TO_97 " AND d_year BETWEEN 1992 AND 1997"
#define TWO_CITIES "c_city IN ('UNITED KI1', 'UNITED KI5') AND s_city IN ('UNITED KI1', 'UNITED KI5')"

const ssb_query ssb_queries[SSB_QUERIES] = {
    FLIGHT_1("1.1", "d_year = 1993 AND lo_discount BETWEEN 1 AND 3 AND lo_quantity < 25", 1.99),
    FLIGHT_1("1.2", "d_yearmonthnum = 199401 AND lo_discount BETWEEN 4 AND 6 AND lo_quantity BETWEEN 26 AND 35", 0.07),
    FLIGHT_1("1.3",
             "d_weeknuminyear = 6 AND d_year = 1994 AND lo_discount BETWEEN 5 AND 7 AND lo_quantity BETWEEN 26 AND 35",
             0.02),
    FLIGHT_2("2.1", "p_category = 'MFGR#12' AND s_region = 'AMERICA'", 0.80, 280),
    FLIGHT_2("2.2", "p_brand1 BETWEEN 'MFGR#2221' AND 'MFGR#2228' AND s_region = 'ASIA'", 0.16, 56),
    FLIGHT_2("2.3", "p_brand1 = 'MFGR#2221' AND s_region = 'EUROPE'", 0.02, 7),
    FLIGHT_3("3.1", "c_nation", "s_nation", "c_region = 'ASIA' AND s_region = 'ASIA'" YEARS_92_TO_97, 3.67, 150),
    FLIGHT_3("3.2", "c_city", "s_city", "c_nation = 'UNITED STATES' AND s_nation = 'UNITED STATES'" YEARS_92_TO_97,
             0.14, 599),
    FLIGHT_3("3.3", "c_city", "s_city", TWO_CITIES YEARS_92_TO_97, 5.76e-3, 24),
    FLIGHT_3("3.4", "c_city", "s_city", TWO_CITIES " AND d_yearmonth = 'Dec1997'", 7.33e-5, 3),
    FLIGHT_4("4.1", "d_year, c_nation",
             "c_region = 'AMERICA' AND s_region = 'AMERICA' AND p_mfgr IN ('MFGR#1', 'MFGR#2')",
             NAMES("d_year", "c_nation"), 1.59, 35),
    FLIGHT_4("4.2", "d_year, s_nation, p_category",
             "c_region = 'AMERICA' AND s_region = 'AMERICA' AND d_year IN (1997, 1998)"
             " AND p_mfgr IN ('MFGR#1', 'MFGR#2')",
             NAMES("d_year", "s_nation", "p_category"), 0.38, 100),
    FLIGHT_4("4.3", "d_year, s_city, p_brand1",
             "c_region = 'AMERICA' AND s_nation = 'UNITED STATES' AND d_year IN (1997, 1998)"
             " AND p_category = 'MFGR#14'",
             NAMES("d_year", "s_city", "p_brand1"), 0.04, 316),
};
