# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Raydex authors
#
# Print the table of all types as CSV.

function value(row, which, text) { return "," (row % 7 == which ? "" : text) }

BEGIN {
  print "id,flag,a,b,c,e,ua,ub,uc,ue,f,g,price,day,moment,name,small"
  printf "1,false,-128,-32768,-2147483648,-9223372036854775808,0,0,0,0,-3.5,-1e300,-12345678901234.5678,"
  print "1492-10-12,1969-12-31T23:59:59.999999Z,,1"
  printf "2,true,127,32767,2147483647,9223372036854775807,255,65535,4294967295,18446744073709551615,inf,NaN,"
  print "99999999999999.9999,9999-12-31,9999-12-31T23:59:59Z,Zoë,2"
  print "3,,,,,,,,,,,,,,,,"
  split("alpha,Beta,gamma,Delta,it's,a%b,x_y,$1,Ångström,zeta", names, ",")
  for (i = 4; i <= 600; i++) {
    h = (i * 7919) % 1009
    row = i value(i, 0, h % 2 ? "true" : "false") value(i, 1, h % 5 - 2) value(i, 2, h % 300 - 150)
    row = row value(i, 3, sprintf("%.0f", h * 1001)) value(i, 4, sprintf("%.0f", h * 100000007)) value(i, 5, h % 6)
    row = row value(i, 6, h) value(i, 0, h * 3) value(i, 1, h * 5) value(i, 2, (h % 9) / 4)
    row = row value(i, 3, (h % 11) / 8 - 0.5) value(i, 4, sprintf("%d.%02d", h % 40 - 20, h % 100))
    row = row value(i, 5, sprintf("20%02d-%02d-%02d", h % 24, h % 12 + 1, h % 28 + 1))
    row = row value(i, 6, sprintf("20%02d-%02d-%02dT%02d:00:00.25Z", h % 5, h % 12 + 1, h % 28 + 1, h % 24))
    print row value(i, 0, names[h % 10 + 1]) "," h % 13
  }
}
