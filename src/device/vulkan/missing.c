/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

#include "device/vulkan/missing.h"

#include <ctype.h>
#include <dirent.h>
#include <dlfcn.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MAX_PATH 512
#define MAX_MANIFEST 65536 /* bytes that are read of one */

typedef struct vendor {
  uint32_t id; /* PCI's */
  const char *name;
  const char *drivers[3]; /* parts of the names of its drivers' libraries; then NULL */
  const char *package;    /* of Debian, with a manifest */
} vendor;

static const vendor vendors[] = {
    {0x10de, "NVIDIA", {"nvidia", "nouveau"}, "nvidia-vulkan-icd, which comes with nvidia-driver"},
    {0x1002, "AMD", {"radeon", "amdvlk"}, "mesa-vulkan-drivers"},
    {0x8086, "Intel", {"intel"}, "mesa-vulkan-drivers"}};

#define NVIDIA 0x10de

typedef struct search {
  const rdx_vk_places *places;
  const vendor *vendor;
  uint32_t gpus;
  char where[MAX_PATH];    /* the first one: its PCI address, or its device node */
  char why[2 * MAX_PATH];  /* the library of a driver cannot be loaded */
  char manifest[MAX_PATH]; /* that names a driver for it; "": none does */
  bool loads;              /* one that can be loaded */
} search;

static void append(char *text, size_t size, const char *format, ...) RDX_PRINTF(3, 4);

static void append(char *text, size_t size, const char *format, ...) {
  const size_t used = strlen(text);
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(text + used, size - used, format, arguments);
  va_end(arguments);
}

/* ---- GPUs ---- */

/* The hexadecimal number that a file holds; UINT32_MAX: none. */
static uint32_t read_number(const char *folder, const char *entry, const char *file) {
  char path[MAX_PATH], text[32] = "";
  snprintf(path, sizeof path, "%.200s/%.200s/%s", folder, entry, file);
  FILE *f = fopen(path, "re");
  if (!f)
    return UINT32_MAX;
  const bool some = fgets(text, sizeof text, f) != NULL;
  fclose(f);
  return some ? (uint32_t)strtoul(text, NULL, 16) : UINT32_MAX;
}

static bool is_display(uint32_t class) {
  return class >> 16 == 0x03; /* that of PCI */
}

static void count_pci(search *s) {
  char folder[MAX_PATH];
  snprintf(folder, sizeof folder, "%.400s/bus/pci/devices", s->places->sys);
  DIR *dir = opendir(folder);
  for (const struct dirent *e; dir && (e = readdir(dir));) {
    if (e->d_name[0] == '.' || read_number(folder, e->d_name, "vendor") != s->vendor->id ||
        !is_display(read_number(folder, e->d_name, "class")))
      continue;
    if (s->gpus++ == 0 || strcmp(e->d_name, s->where + strlen("PCI ")) < 0)
      snprintf(s->where, sizeof s->where, "PCI %.64s", e->d_name);
  }
  if (dir)
    closedir(dir);
}

/* Whether all that follows is digits. */
static bool is_number(const char *text) {
  for (const char *c = text; *c; c++)
    if (!isdigit((unsigned char)*c))
      return false;
  return *text != '\0';
}

/* How many nodes of a folder of /dev are called `prefix` and a number; one that may not be opened, or any of them. */
static uint32_t count_nodes(const search *s, const char *subfolder, const char *prefix, char *node, size_t size,
                            bool *denied) {
  char folder[MAX_PATH];
  uint32_t count = 0;
  *denied = false;
  snprintf(folder, sizeof folder, "%.400s%s", s->places->dev, subfolder);
  DIR *dir = opendir(folder);
  for (const struct dirent *e; dir && (e = readdir(dir));) {
    char path[2 * MAX_PATH];
    if (strncmp(e->d_name, prefix, strlen(prefix)) != 0 || !is_number(e->d_name + strlen(prefix)))
      continue;
    snprintf(path, sizeof path, "%s/%s", folder, e->d_name);
    const bool no = access(path, R_OK | W_OK) != 0;
    if (count++ == 0 || (no && !*denied))
      snprintf(node, size, "%s", path);
    *denied |= no;
  }
  if (dir)
    closedir(dir);
  return count;
}

/* ---- Drivers ---- */

/* The text of a string behind a key of JSON; false where there is none. */
static bool find_string(const char *json, const char *key, char *out, size_t size) {
  const char *at = strstr(json, key);
  size_t n = 0;
  at = at ? strchr(at + strlen(key), ':') : NULL;
  at = at ? strchr(at, '"') : NULL;
  if (!at)
    return false;
  for (at++; *at && *at != '"' && n + 1 < size; at++) {
    at += *at == '\\' && at[1] != '\0';
    out[n++] = *at;
  }
  out[n] = '\0';
  return n > 0;
}

/* The library that a manifest names: relative to it where there is a slash, else wherever libraries are. */
static bool read_manifest(const char *path, char *library, size_t size) {
  static const char key[] = "\"library_path\"";
  char *json = NULL, name[MAX_PATH];
  FILE *f = fopen(path, "re");
  if (!f)
    return false;
  bool found = rdx_calloc(1, MAX_MANIFEST, "a manifest", (void **)&json, NULL) == RDX_OK;
  found = found && fread(json, 1, MAX_MANIFEST - 1, f) > 0 && find_string(json, key, name, sizeof name);
  const char *slash = strrchr(path, '/');
  if (found && strchr(name, '/') && name[0] != '/' && slash)
    snprintf(library, size, "%.*s/%s", (int)(slash - path), path, name);
  else if (found)
    snprintf(library, size, "%s", name);
  fclose(f);
  rdx_free(json);
  return found;
}

static bool is_driver_of(const vendor *v, const char *library) {
  const char *name = strrchr(library, '/') ? strrchr(library, '/') + 1 : library;
  for (uint32_t i = 0; v->drivers[i]; i++)
    if (strstr(name, v->drivers[i]))
      return true;
  return false;
}

/* The package of Debian with a library that an error of dlopen() says is not there. */
static const char *package_of(const char *error) {
  static const char *const packages[][2] = {{"libX11.so", "libx11-6"},
                                            {"libXext.so", "libxext6"},
                                            {"libGLdispatch.so", "libglvnd0"},
                                            {"libLLVM", "mesa-vulkan-drivers"},
                                            {"libGLX_nvidia", "libglx-nvidia0"},
                                            {"libEGL_nvidia", "libegl-nvidia0"},
                                            {"libnvidia-glcore", "libnvidia-glcore"}};
  for (size_t i = 0; i < RDX_COUNT(packages); i++)
    if (strncmp(error, packages[i][0], strlen(packages[i][0])) == 0)
      return packages[i][1];
  return NULL;
}

static void try_manifest(search *s, const char *path) {
  char library[2 * MAX_PATH];
  if (s->loads || !read_manifest(path, library, sizeof library) || !is_driver_of(s->vendor, library))
    return;
  void *handle = dlopen(library, RTLD_LAZY | RTLD_LOCAL);
  s->loads = handle != NULL;
  snprintf(s->manifest, sizeof s->manifest, "%s", path);
  if (handle) {
    dlclose(handle);
    return;
  }
  const char *error = dlerror(), *package = error ? package_of(error) : NULL;
  snprintf(s->why, sizeof s->why, "%.300s, which %.300s names, cannot be loaded: %.300s%s%s%s", library, path,
           error ? error : "", package ? " (Debian: " : "", package ? package : "", package ? ")" : "");
}

static void try_folder(search *s, const char *folder) {
  DIR *dir = opendir(folder);
  for (const struct dirent *e; dir && (e = readdir(dir));) {
    char path[2 * MAX_PATH];
    const size_t length = strlen(e->d_name);
    if (length < 5 || strcmp(e->d_name + length - 5, ".json") != 0)
      continue;
    snprintf(path, sizeof path, "%.255s/%.255s", folder, e->d_name);
    try_manifest(s, path);
  }
  if (dir)
    closedir(dir);
}

/* A manifest, or a folder of them. */
static void try_listed(search *s, const char *list) {
  for (const char *at = list; *at;) {
    char path[MAX_PATH];
    const size_t length = strcspn(at, ":");
    DIR *dir = NULL;
    snprintf(path, sizeof path, "%.*s", (int)(length < sizeof path ? length : sizeof path - 1), at);
    dir = opendir(path);
    if (dir) {
      closedir(dir);
      try_folder(s, path);
    } else {
      try_manifest(s, path);
    }
    at += length + (at[length] == ':');
  }
}

static void find_driver(search *s) {
  if (s->places->manifests)
    try_listed(s, s->places->manifests);
  for (uint32_t i = 0; !s->places->manifests && i < RDX_VK_MAX_FOLDERS; i++)
    if (s->places->folders[i][0] != '\0')
      try_folder(s, s->places->folders[i]);
}

/* ---- What is missing ---- */

static bool has_loader(const rdx_vk_places *places) {
  void *library = dlopen(places->loader, RTLD_LAZY | RTLD_LOCAL);
  if (library)
    dlclose(library);
  return library != NULL;
}

/* Where the driver is in order. */
static void explain_nodes(const search *s, char *text, size_t size) {
  const bool nvidia = s->vendor->id == NVIDIA;
  char node[2 * MAX_PATH] = "";
  bool denied = false;
  const uint32_t count = nvidia ? count_nodes(s, "", "nvidia", node, sizeof node, &denied)
                                : count_nodes(s, "/dri", "renderD", node, sizeof node, &denied);
  if (count == 0)
    append(text, size, "there is no %s%s: its kernel driver is not loaded, or a container was not given it",
           s->places->dev, nvidia ? "/nvidia0" : "/dri/renderD128");
  else if (denied)
    append(text, size, "%s may not be opened%s", node,
           nvidia ? ": see its permissions" : ": add the user to the group render, and log in again");
  else
    append(text, size,
           "its driver offers no device with Vulkan 1.2 and what Raydex needs; it may not fit the kernel driver "
           "(vulkaninfo tells more; Debian: vulkan-tools)");
}

static void explain(search *s, char *text, size_t size) {
  const rdx_vk_places *p = s->places;
  if (!has_loader(p)) {
    append(text, size, "the Vulkan loader %s is not installed (Debian: libvulkan1)", p->loader);
    return;
  }
  find_driver(s);
  if (s->loads)
    explain_nodes(s, text, size);
  else if (s->manifest[0] != '\0')
    append(text, size, "%s", s->why);
  else if (p->manifests)
    append(text, size, "VK_DRIVER_FILES or VK_ICD_FILENAMES is set, and names no driver for it");
  else
    append(text, size, "no manifest names a Vulkan driver for it, as in %s (Debian: %s)", p->folders[0],
           s->vendor->package);
}

rdx_vk_places rdx_vk_places_of_system(void) {
  static const char *const folders[] = {"/usr/share", "/etc", "/usr/local/share", "/usr/local/etc", "/etc/xdg"};
  static const char *const own[][3] = {{"XDG_DATA_HOME", "HOME", "/.local/share"},
                                       {"XDG_CONFIG_HOME", "HOME", "/.config"}};
  const char *files = getenv("VK_DRIVER_FILES");
  rdx_vk_places p = {.dev = "/dev",
                     .sys = "/sys",
                     .loader = "libvulkan.so.1",
                     .manifests = files && files[0] ? files : getenv("VK_ICD_FILENAMES")};
  uint32_t count = 0;
  for (size_t i = 0; i < RDX_COUNT(folders); i++)
    snprintf(p.folders[count++], sizeof p.folders[0], "%s/vulkan/icd.d", folders[i]);
  for (size_t i = 0; i < RDX_COUNT(own); i++) {
    const char *data = getenv(own[i][0]), *home = getenv(own[i][1]);
    if ((data && data[0]) || home)
      snprintf(p.folders[count++], sizeof p.folders[0], "%.200s%s/vulkan/icd.d", data && data[0] ? data : home,
               data && data[0] ? "" : own[i][2]);
  }
  if (p.manifests && !p.manifests[0])
    p.manifests = NULL;
  return p;
}

uint32_t rdx_vk_find_missing(const rdx_vk_places *places, const uint32_t *shown, uint32_t count, char *text,
                             size_t size) {
  uint32_t lines = 0;
  for (size_t v = 0; v < RDX_COUNT(vendors); v++) {
    search s = {.places = places, .vendor = &vendors[v]};
    char node[2 * MAX_PATH] = "";
    bool denied = false;
    uint32_t of_vendor = 0;
    for (uint32_t i = 0; i < count; i++)
      of_vendor += shown[i] == s.vendor->id;
    count_pci(&s);
    const uint32_t nodes = s.vendor->id == NVIDIA ? count_nodes(&s, "", "nvidia", node, sizeof node, &denied) : 0;
    if (s.gpus == 0 && nodes > 0)
      snprintf(s.where, sizeof s.where, "%.400s", node);
    s.gpus = nodes > s.gpus ? nodes : s.gpus;
    if (s.gpus <= of_vendor)
      continue;
    append(text, size, "%s%u %s GPU%s (%s) %s not shown by Vulkan: ", lines++ ? "\n  " : "", s.gpus - of_vendor,
           s.vendor->name, s.gpus - of_vendor > 1 ? "s" : "", s.where, s.gpus - of_vendor > 1 ? "are" : "is");
    explain(&s, text, size);
  }
  return lines;
}
