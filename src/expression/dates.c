/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* Functions of dates, times and intervals. */

#include <math.h>
#include <string.h>
#include <strings.h>

#include "base/utf8.h"
#include "expression/calendar.h"
#include "expression/functions.h"

/* Read a field's name, unless it is the one that was read before. */
static rdx_status read_field(rdx_worker *w, const rdx_node *n, rdx_sql_text name, rdx_sql_text *last,
                             rdx_time_field *field) {
  char shown[64];
  if (name.data == last->data && name.length == last->length)
    return RDX_OK;
  *last = name;
  if (rdx_time_field_from_name(name.data, name.length, field))
    return RDX_OK;
  rdx_utf8_escape(name.data, name.length, shown, sizeof shown);
  return rdx_node_fail(w, n, RDX_ERROR_ARGUMENT, "unit \"%s\" is not known", shown);
}

static rdx_status refuse(rdx_worker *w, const rdx_node *n, rdx_sql_text name) {
  char shown[64], type[32];
  rdx_utf8_escape(name.data, name.length, shown, sizeof shown);
  return rdx_node_fail(w, n, RDX_ERROR_ARGUMENT, "unit \"%s\" not supported for type %s", shown,
                       rdx_sql_type_text(n->args[1]->type, type));
}

/* Seconds and days of a date are whole. */
static uint8_t scale_of(rdx_time_field field, const rdx_sql_type *type) {
  return field >= RDX_FIELD_JULIAN && type->kind == RDX_SQL_DATE ? 0 : rdx_time_field_scale(field);
}

/* Of a field whose scale is that of the result, unless the field is no constant: then scales are made equal. */
static int64_t extract_one(const rdx_node *n, rdx_time_field field, const rdx_values *values, uint32_t row) {
  int64_t value = 0;
  if (n->args[1]->class == RDX_CLASS_INTERVAL) {
    value = rdx_interval_extract(field, ((const rdx_sql_interval *)values->data)[row]);
  } else {
    const int64_t at = ((const int64_t *)values->data)[row];
    const bool is_date = n->args[1]->type.kind == RDX_SQL_DATE;
    if (is_date && field == RDX_FIELD_EPOCH)
      value = at * (RDX_MICROS_A_DAY / RDX_MICROS_A_SECOND);
    else if (is_date && field >= RDX_FIELD_DAY)
      value = rdx_day_extract(field, at);
    else
      value = rdx_time_extract(field, is_date ? (int64_t)((uint64_t)at * (uint64_t)RDX_MICROS_A_DAY) : at);
  }
  uint8_t scale = scale_of(field, &n->args[1]->type);
  for (; scale < n->type.scale; scale++)
    value = (int64_t)((uint64_t)value * 10);
  for (; scale > n->type.scale; scale--)
    value /= 10;
  return value;
}

/* Whether all rows ask for one field of a timestamp, which is known. */
static bool is_one_field(const rdx_node *n, rdx_time_field *field) {
  const rdx_node *name = n->args[0];
  return name->evaluate == rdx_evaluate_constant && !name->value.null && n->args[1]->type.kind == RDX_SQL_TIMESTAMP &&
         rdx_time_field_from_name(name->value.text.data, name->value.text.length, field) &&
         scale_of(*field, &n->args[1]->type) == n->type.scale;
}

rdx_status rdx_dates_extract(RDX_VALUES_ARGUMENTS) {
  const rdx_sql_text *names = args[0].data;
  rdx_sql_text last = {NULL, 0};
  rdx_time_field field = RDX_FIELD_DAY;
  if (is_one_field(n, &field)) {
    rdx_times_extract(field, args[1].data, w->rows, out->data);
    return RDX_OK;
  }
  for (uint32_t i = 0; i < w->rows; i++) {
    if (!rdx_counts(active, out->nulls, i))
      continue;
    RDX_TRY(read_field(w, n, names[i], &last, &field));
    const bool of_dates = (field >= RDX_FIELD_DAY_OF_WEEK && field <= RDX_FIELD_JULIAN) || field == RDX_FIELD_WEEK;
    if (of_dates && n->args[1]->class == RDX_CLASS_INTERVAL)
      return refuse(w, n, names[i]);
    ((int64_t *)out->data)[i] = extract_one(n, field, &args[1], i);
  }
  return RDX_OK;
}

rdx_status rdx_dates_truncate(RDX_VALUES_ARGUMENTS) {
  const rdx_sql_text *names = args[0].data;
  rdx_sql_text last = {NULL, 0};
  rdx_time_field field = RDX_FIELD_DAY;
  for (uint32_t i = 0; i < w->rows; i++) {
    if (!rdx_counts(active, out->nulls, i))
      continue;
    RDX_TRY(read_field(w, n, names[i], &last, &field));
    if (!rdx_time_truncates(field) || (field == RDX_FIELD_WEEK && n->class == RDX_CLASS_INTERVAL))
      return refuse(w, n, names[i]);
    if (n->class == RDX_CLASS_INTERVAL)
      ((rdx_sql_interval *)out->data)[i] = rdx_interval_truncate(field, ((const rdx_sql_interval *)args[1].data)[i]);
    else
      ((int64_t *)out->data)[i] = rdx_time_truncate(field, ((const int64_t *)args[1].data)[i]);
  }
  return RDX_OK;
}

/* To so many digits of a second; of times halves go away from 2000, as PostgreSQL counts. */
rdx_status rdx_dates_round(RDX_ROW_ARGUMENTS) {
  const bool span = n->class == RDX_CLASS_INTERVAL;
  const rdx_i128 origin = span ? 0 : (rdx_i128)10957 * RDX_MICROS_A_DAY;
  const rdx_i128 micros = span ? args[0].interval.micros : args[0].i;
  const rdx_i128 rounded = origin + rdx_micros_round(micros - origin, args[1].i);
  if (rounded != (int64_t)rounded)
    return rdx_out_of_range(w, n);
  if (!span) {
    out->i = (int64_t)rounded;
    return RDX_OK;
  }
  out->interval = args[0].interval;
  out->interval.micros = (int64_t)rounded;
  return RDX_OK;
}

rdx_status rdx_dates_make(RDX_ROW_ARGUMENTS) {
  const int64_t year = args[0].i, month = args[1].i, day = args[2].i;
  if (year == 0 || month < 1 || month > 12 || day < 1 ||
      day > rdx_days_of_month(year < 0 ? year + 1 : year, (int32_t)month))
    return rdx_node_fail(w, n, RDX_ERROR_RANGE, "date field value out of range: %lld-%02lld-%02lld", (long long)year,
                         (long long)month, (long long)day);
  out->i = rdx_day_of_civil(year < 0 ? year + 1 : year, (int32_t)month, (int32_t)day);
  return out->i == (int32_t)out->i ? RDX_OK : rdx_out_of_range(w, n);
}

/* make_timestamp(year, month, day, hour, minute, second) */
rdx_status rdx_dates_make_time(RDX_ROW_ARGUMENTS) {
  const int64_t hour = args[3].i, minute = args[4].i;
  const double seconds = args[5].f;
  rdx_datum day = {0};
  RDX_TRY(rdx_dates_make(w, n, args, &day));
  if (hour < 0 || hour > 24 || minute < 0 || minute > 59 || !(seconds >= 0 && seconds <= 60) ||
      (hour == 24 && (minute > 0 || seconds > 0)))
    return rdx_function_fail(w, n, "time field value out of range");
  int64_t time = 0;
  if (!rdx_time_of_day(day.i, &time))
    return rdx_out_of_range(w, n);
  const int64_t in_day =
      (hour * 3600 + minute * 60) * RDX_MICROS_A_SECOND + llrint(seconds * (double)RDX_MICROS_A_SECOND);
  return __builtin_add_overflow(time, in_day, &out->i) ? rdx_out_of_range(w, n) : RDX_OK;
}

/* to_timestamp(seconds since 1970) */
rdx_status rdx_dates_of_epoch(RDX_ROW_ARGUMENTS) {
  const double micros = args[0].f * (double)RDX_MICROS_A_SECOND;
  if (!(micros > -2.1e17 && micros < 9.2e18))
    return rdx_out_of_range(w, n);
  out->i = llrint(micros);
  return RDX_OK;
}

/* timezone(zone, time), or time AT TIME ZONE zone: all timestamps are in UTC, by whichever of its names. */
rdx_status rdx_dates_of_zone(RDX_ROW_ARGUMENTS) {
  static const char *const names[] = {"UTC", "GMT", "Z", "Etc/UTC"};
  const rdx_sql_text zone = args[0].text;
  char shown[64];
  out->i = args[1].i;
  for (uint32_t i = 0; i < RDX_COUNT(names); i++)
    if (zone.length == strlen(names[i]) && strncasecmp(zone.data, names[i], zone.length) == 0)
      return RDX_OK;
  rdx_utf8_escape(zone.data, zone.length, shown, sizeof shown);
  return rdx_node_fail(w, n, RDX_ERROR_UNSUPPORTED,
                       "time zone \"%s\" is not supported: timestamps are in UTC; add an interval to them", shown);
}

/* date_bin(stride, time, origin): the beginning of the stride that the time is in. */
rdx_status rdx_dates_bin(RDX_ROW_ARGUMENTS) {
  const rdx_i128 stride = rdx_interval_span(args[0].interval), since = (rdx_i128)args[1].i - args[2].i;
  if (args[0].interval.months != 0)
    return rdx_function_fail(w, n, "timestamps cannot be binned into intervals containing months or years");
  if (stride <= 0)
    return rdx_function_fail(w, n, "stride must be greater than zero");
  const rdx_i128 begin = args[2].i + (since - (since % stride + stride) % stride);
  out->i = (int64_t)begin;
  return begin == out->i ? RDX_OK : rdx_out_of_range(w, n);
}

/* age(a, b): years and months between them by the calendar, then days and time. */
rdx_status rdx_dates_age(RDX_ROW_ARGUMENTS) {
  const bool negative = args[0].i < args[1].i;
  const int64_t late = args[negative].i, early = args[!negative].i;
  int64_t rest = 0, before = 0;
  const rdx_civil to = rdx_civil_of_day(rdx_day_of_time(late, &rest));
  const rdx_civil from = rdx_civil_of_day(rdx_day_of_time(early, &before));
  int64_t months = (to.year - from.year) * 12 + to.month - from.month, micros = rest - before;
  int32_t days = to.day - from.day;
  if (micros < 0) {
    micros += RDX_MICROS_A_DAY;
    days--;
  }
  for (; days < 0; months--)
    days += rdx_days_of_month(from.year, from.month);
  const int32_t sign = negative ? -1 : 1;
  out->interval = (rdx_sql_interval){(int32_t)months * sign, days * sign, micros * sign};
  return RDX_OK;
}

/* All dates, times and intervals are: none is infinite. */
rdx_status rdx_dates_finite(RDX_ROW_ARGUMENTS) {
  out->i = 1;
  return RDX_OK;
}

/* ---- (begin, end) OVERLAPS (begin, end) ---- */

typedef struct period {
  int64_t begin, end;
  bool unknown, open; /* neither end is known; one is not, and is taken for the other */
} period;

static period period_of(const rdx_datum *ends) {
  const bool swapped = ends[0].null || (!ends[1].null && ends[0].i > ends[1].i);
  const rdx_datum *begin = &ends[swapped], *end = &ends[!swapped];
  return (period){begin->i, end->null ? begin->i : end->i, begin->null, end->null};
}

/* A period has its begin, and its end not, unless that is the begin, too. */
rdx_status rdx_dates_overlap(RDX_ROW_ARGUMENTS) {
  const period a = period_of(args), b = period_of(args + 2);
  const period *first = a.begin > b.begin ? &b : &a, *second = first == &a ? &b : &a;
  out->null = a.unknown || b.unknown;
  if (out->null)
    return RDX_OK;
  if (a.begin == b.begin) {
    out->null = a.open || b.open;
    out->i = 1;
    return RDX_OK;
  }
  out->null = first->open || (second->open && second->begin >= first->end);
  out->i = !out->null && second->begin < first->end;
  return RDX_OK;
}

/* ---- Parts of intervals moved to larger ones ---- */

#define DAYS_A_MONTH 30

/* Whole months of days, or whole days of a time: `*rest` is less than one, of the sign of the whole. */
static void carry(int64_t *rest, int64_t size, int64_t *whole) {
  *whole += *rest / size;
  *rest %= size;
}

/* A part with the sign of the greater one. */
static void same_sign(int64_t *part, int64_t size, int64_t *greater) {
  const int64_t step = *greater > 0 && *part < 0 ? 1 : *greater < 0 && *part > 0 ? -1 : 0;
  *part += step * size;
  *greater -= step;
}

static rdx_status put_interval(rdx_worker *w, const rdx_node *n, int64_t months, int64_t days, int64_t micros,
                               rdx_datum *out) {
  out->interval = (rdx_sql_interval){(int32_t)months, (int32_t)days, micros};
  return out->interval.months == months && out->interval.days == days ? RDX_OK : rdx_out_of_range(w, n);
}

rdx_status rdx_dates_months(RDX_ROW_ARGUMENTS) {
  out->i = args[0].interval.months;
  return RDX_OK;
}

rdx_status rdx_dates_days(RDX_ROW_ARGUMENTS) {
  out->i = args[0].interval.days;
  return RDX_OK;
}

rdx_status rdx_dates_micros(RDX_ROW_ARGUMENTS) {
  out->i = args[0].interval.micros;
  return RDX_OK;
}

rdx_status rdx_dates_span(RDX_ROW_ARGUMENTS) {
  out->wide = rdx_interval_span(args[0].interval);
  return RDX_OK;
}

rdx_status rdx_dates_interval(RDX_ROW_ARGUMENTS) {
  return put_interval(w, n, args[0].i, args[1].i, args[2].i, out);
}

/* make_interval(years, months, weeks, days, hours, mins, secs) */
rdx_status rdx_dates_make_interval(RDX_ROW_ARGUMENTS) {
  const double micros = rint(args[6].f * RDX_MICROS_A_SECOND);
  int64_t time = args[4].i * (RDX_MICROS_A_SECOND * 3600) + args[5].i * (RDX_MICROS_A_SECOND * 60);
  if (!(fabs(micros) < 0x1p62) || __builtin_add_overflow(time, (int64_t)micros, &time))
    return rdx_out_of_range(w, n);
  return put_interval(w, n, args[0].i * 12 + args[1].i, args[2].i * 7 + args[3].i, time, out);
}

rdx_status rdx_dates_justify_days(RDX_ROW_ARGUMENTS) {
  const rdx_sql_interval from = args[0].interval;
  int64_t months = from.months, days = from.days;
  carry(&days, DAYS_A_MONTH, &months);
  same_sign(&days, DAYS_A_MONTH, &months);
  return put_interval(w, n, months, days, from.micros, out);
}

rdx_status rdx_dates_justify_hours(RDX_ROW_ARGUMENTS) {
  const rdx_sql_interval from = args[0].interval;
  int64_t days = from.days, micros = from.micros;
  carry(&micros, RDX_MICROS_A_DAY, &days);
  same_sign(&micros, RDX_MICROS_A_DAY, &days);
  return put_interval(w, n, from.months, days, micros, out);
}

rdx_status rdx_dates_justify(RDX_ROW_ARGUMENTS) {
  const rdx_sql_interval from = args[0].interval;
  int64_t months = from.months, days = from.days, micros = from.micros;
  carry(&micros, RDX_MICROS_A_DAY, &days);
  carry(&days, DAYS_A_MONTH, &months);
  const int64_t sign = days != 0 ? days : micros; /* of what is less than a month */
  if ((months > 0 && sign < 0) || (months < 0 && sign > 0)) {
    days += months > 0 ? DAYS_A_MONTH : -DAYS_A_MONTH;
    months += months > 0 ? -1 : 1;
  }
  same_sign(&micros, RDX_MICROS_A_DAY, &days);
  return put_interval(w, n, months, days, micros, out);
}

rdx_sql_type rdx_dates_extracted(const rdx_bound *const *args, RDX_UNUSED uint32_t count) {
  rdx_time_field field = RDX_FIELD_EPOCH;
  uint8_t scale = 6;
  if (args[0]->kind == RDX_BOUND_CONSTANT && !args[0]->value.null &&
      rdx_time_field_from_name(args[0]->value.text.data, args[0]->value.text.length, &field))
    scale = scale_of(field, &args[1]->type);
  return rdx_decimal_type(field >= RDX_FIELD_JULIAN ? 18 : 10, scale);
}
