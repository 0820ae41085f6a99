/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* Pseudo-text (section 4.2.2.14): sentences of a small grammar, of words that are not equally frequent. */

#include "common/common.h"
#include "tpch/internal.h"

#include "generator/random.h"

#include <stdlib.h>
#include <string.h>

/* A word, or the form of a phrase, and how often it comes among its like. In forms capitals are words (Noun, adJective,
 * aDverb, Verb, auXiliary, Preposition, Terminator), small letters phrases (of a noun, a verb, a preposition), a dot is
 * the word "the", and a comma stands for itself. */
typedef struct choice {
  const char *text;
  uint32_t weight;
} choice;

static const choice nouns[] = {
    {"accounts", 40},     {"deposits", 40},     {"packages", 40},    {"requests", 40},      {"foxes", 20},
    {"ideas", 20},        {"instructions", 20}, {"pinto beans", 20}, {"theodolites", 20},   {"asymptotes", 10},
    {"dependencies", 10}, {"excuses", 10},      {"platelets", 10},   {"courts", 5},         {"dolphins", 5},
    {"attainments", 1},   {"braids", 1},        {"decoys", 1},       {"depths", 1},         {"dinos", 1},
    {"dugouts", 1},       {"epitaphs", 1},      {"escapades", 1},    {"forges", 1},         {"frays", 1},
    {"frets", 1},         {"gifts", 1},         {"grouches", 1},     {"hockey players", 1}, {"multipliers", 1},
    {"notornis", 1},      {"orbits", 1},        {"pains", 1},        {"patterns", 1},       {"pearls", 1},
    {"realms", 1},        {"sauternes", 1},     {"sentiments", 1},   {"sheaves", 1},        {"somas", 1},
    {"Tiresias'", 1},     {"tithes", 1},        {"warhorses", 1},    {"warthogs", 1},       {"waters", 1},
};

static const choice adjectives[] = {
    {"regular", 50}, {"final", 40},   {"ironic", 40},  {"even", 30},     {"bold", 20},  {"express", 20},
    {"pending", 20}, {"special", 20}, {"unusual", 20}, {"silent", 10},   {"blithe", 1}, {"brave", 1},
    {"busy", 1},     {"careful", 1},  {"close", 1},    {"daring", 1},    {"dogged", 1}, {"enticing", 1},
    {"fluffy", 1},   {"furious", 1},  {"idle", 1},     {"permanent", 1}, {"quick", 1},  {"quiet", 1},
    {"ruthless", 1}, {"slow", 1},     {"sly", 1},      {"stealthy", 1},  {"thin", 1},
};

static const choice adverbs[] = {
    {"carefully", 50}, {"furiously", 50},  {"slyly", 50},     {"blithely", 40}, {"quickly", 30},   {"fluffily", 20},
    {"always", 1},     {"boldly", 1},      {"bravely", 1},    {"busily", 1},    {"closely", 1},    {"daringly", 1},
    {"doggedly", 1},   {"enticingly", 1},  {"evenly", 1},     {"finally", 1},   {"idly", 1},       {"ironically", 1},
    {"never", 1},      {"permanently", 1}, {"quietly", 1},    {"regularly", 1}, {"ruthlessly", 1}, {"silently", 1},
    {"slowly", 1},     {"sometimes", 1},   {"stealthily", 1}, {"thinly", 1},
};

static const choice verbs[] = {
    {"are", 20},    {"cajole", 20}, {"haggle", 20}, {"sleep", 20},    {"wake", 20},   {"boost", 10}, {"nag", 10},
    {"use", 10},    {"affix", 5},   {"detect", 5},  {"integrate", 5}, {"believe", 1}, {"breach", 1}, {"dazzle", 1},
    {"doubt", 1},   {"doze", 1},    {"eat", 1},     {"engage", 1},    {"grow", 1},    {"hang", 1},   {"hinder", 1},
    {"impress", 1}, {"kindle", 1},  {"lose", 1},    {"maintain", 1},  {"mold", 1},    {"nod", 1},    {"play", 1},
    {"poach", 1},   {"print", 1},   {"promise", 1}, {"run", 1},       {"serve", 1},   {"snooze", 1}, {"solve", 1},
    {"sublate", 1}, {"thrash", 1},  {"unwind", 1},  {"was", 1},       {"x-ray", 1},
};

static const choice auxiliaries[] = {
    {"can", 1},          {"could", 1},          {"could have to", 1}, {"do", 1},
    {"may", 1},          {"might", 1},          {"must", 1},          {"must have to", 1},
    {"need to", 1},      {"ought to", 1},       {"shall", 1},         {"shall have to", 1},
    {"should", 1},       {"should have to", 1}, {"try to", 1},        {"will", 1},
    {"will have to", 1}, {"would", 1},
};

static const choice prepositions[] = {
    {"about", 50},   {"above", 50},        {"according to", 50}, {"across", 50},     {"after", 50},   {"against", 40},
    {"along", 40},   {"alongside of", 30}, {"among", 30},        {"around", 20},     {"at", 10},      {"atop", 10},
    {"before", 10},  {"behind", 10},       {"beneath", 10},      {"beside", 10},     {"besides", 10}, {"between", 10},
    {"beyond", 10},  {"by", 10},           {"despite", 10},      {"during", 10},     {"except", 10},  {"for", 10},
    {"from", 10},    {"in place of", 10},  {"inside", 10},       {"instead of", 10}, {"into", 10},    {"near", 10},
    {"of", 10},      {"on", 10},           {"outside", 10},      {"over", 10},       {"past", 10},    {"since", 10},
    {"through", 10}, {"throughout", 10},   {"to", 10},           {"toward", 10},     {"under", 10},   {"until", 10},
    {"up", 10},      {"upon", 10},         {"with", 10},         {"within", 10},     {"without", 10},
};

static const choice terminators[] = {{".", 50}, {"!", 1}, {"--", 1}, {":", 1}, {";", 1}, {"?", 1}};

static const choice sentences[] = {{"nvT", 3}, {"nvpT", 3}, {"nvnT", 3}, {"npvnT", 1}, {"npvpT", 1}};
static const choice noun_phrases[] = {{"N", 10}, {"JN", 20}, {"J,JN", 10}, {"DJN", 50}};
static const choice verb_phrases[] = {{"V", 30}, {"XV", 1}, {"VD", 40}, {"XVD", 1}};
static const choice prepositional_phrases[] = {{"P.n", 1}};

#define LIST(symbol, choices)                                                                                          \
  { symbol, choices, sizeof choices / sizeof *choices }

static const struct {
  char symbol;
  const choice *choices;
  uint32_t count;
} lists[] = {LIST('N', nouns),
             LIST('J', adjectives),
             LIST('D', adverbs),
             LIST('V', verbs),
             LIST('X', auxiliaries),
             LIST('P', prepositions),
             LIST('T', terminators),
             LIST('s', sentences),
             LIST('n', noun_phrases),
             LIST('v', verb_phrases),
             LIST('p', prepositional_phrases)};

/* What a symbol becomes: each choice as often as its weight says. */
#define MAX_WEIGHT 1024
typedef struct urn {
  uint32_t count;
  const char *texts[MAX_WEIGHT];
} urn;

typedef struct writer {
  urn urns[128]; /* by symbol */
  uint64_t stream, drawn;
  char *begin, *at, *end;
} writer;

static void fill_urns(writer *w) {
  for (size_t l = 0; l < sizeof lists / sizeof *lists; l++) {
    urn *u = &w->urns[(unsigned char)lists[l].symbol];
    for (uint32_t i = 0; i < lists[l].count; i++)
      for (uint32_t n = 0; n < lists[l].choices[i].weight; n++)
        u->texts[u->count++] = lists[l].choices[i].text;
  }
}

/* Append a text, after a blank where it is a word; what does not fit is cut off. */
static void append(writer *w, const char *text, bool word) {
  const char *blank = word && w->at > w->begin ? " " : "";
  for (const char *part[] = {blank, text, NULL}, **p = part; *p; p++) {
    const size_t length = strlen(*p), capacity = (size_t)(w->end - w->at), n = length < capacity ? length : capacity;
    memcpy(w->at, *p, n);
    w->at += n;
  }
}

/* Append what a symbol becomes. */
static void expand(writer *w, char symbol) {
  const urn *u = &w->urns[(unsigned char)symbol];
  const char *text = u->texts[generator_pick(w->stream, w->drawn++, u->count)];
  if (symbol >= 'A' && symbol <= 'Z') {
    append(w, text, symbol != 'T');
    return;
  }
  for (; *text; text++) {
    if (*text == ',')
      append(w, ",", false);
    else if (*text == '.')
      append(w, "the", true);
    else
      expand(w, *text);
  }
}

rdx_status tpch_text_make(uint64_t stream, char text[TEXT_BYTES], rdx_error *err) {
  writer *w = calloc(1, sizeof *w);
  if (!w) {
    if (err)
      return console_error(err, RDX_ERROR_MEMORY, "host memory ran out");
  }
  w->stream = stream;
  w->begin = w->at = text;
  w->end = text + TEXT_BYTES;
  fill_urns(w);
  while (w->at < w->end)
    expand(w, 's');
  free(w);
  return RDX_OK;
}
