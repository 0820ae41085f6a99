/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* GPUs that Vulkan does not show, in trees of files that are made up. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "device/vulkan/missing.h"

static char root[] = "/tmp/raydex-missing.XXXXXX", dev[64], sys[64];

static int remove_one(const char *path, const struct stat *info, int kind, struct FTW *position) {
  (void)info, (void)kind, (void)position;
  return remove(path);
}

static int make_root(void **state) {
  (void)state;
  memcpy(root + strlen(root) - 6, "XXXXXX", 6);
  if (!mkdtemp(root))
    return -1;
  snprintf(dev, sizeof dev, "%s/dev", root);
  snprintf(sys, sizeof sys, "%s/sys", root);
  return 0;
}

static int remove_root(void **state) {
  (void)state;
  return nftw(root, remove_one, 8, FTW_DEPTH | FTW_PHYS);
}

/* A file below the root, with the folders that it takes. */
static void put(const char *path, const char *text) {
  char whole[512];
  snprintf(whole, sizeof whole, "%s/%s", root, path);
  for (char *slash = strchr(whole + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
    *slash = '\0';
    mkdir(whole, 0777);
    *slash = '/';
  }
  FILE *f = fopen(whole, "w");
  assert_non_null(f);
  fputs(text, f);
  assert_int_equal(fclose(f), 0);
}

static void put_pci(const char *address, const char *vendor, const char *class) {
  char path[256];
  snprintf(path, sizeof path, "sys/bus/pci/devices/%s/vendor", address);
  put(path, vendor);
  snprintf(path, sizeof path, "sys/bus/pci/devices/%s/class", address);
  put(path, class);
}

static rdx_vk_places places(void) {
  rdx_vk_places p = {.dev = dev, .sys = sys, .loader = "libc.so.6"}; /* any library is there */
  snprintf(p.folders[0], sizeof p.folders[0], "%s/icd.d", root);
  snprintf(p.folders[2], sizeof p.folders[2], "%s/nowhere", root);
  return p;
}

/* How many findings there are; of the text `*` is the root's path. */
static void expect(const rdx_vk_places *p, const uint32_t *shown, uint32_t count, uint32_t lines, const char *part) {
  char text[4096] = "", wanted[1024] = "";
  assert_int_equal(rdx_vk_find_missing(p, shown, count, text, sizeof text), lines);
  for (const char *c = part; *c; c++)
    snprintf(wanted + strlen(wanted), sizeof wanted - strlen(wanted), *c == '*' ? "%s" : "%.1s", *c == '*' ? root : c);
  if (!strstr(text, wanted))
    fail_msg("'%s' is not in '%s'", wanted, text);
  assert_int_equal(text[0] == '\0', lines == 0);
}

static void test_nothing(void **state) {
  (void)state;
  rdx_vk_places p = places();
  expect(&p, NULL, 0, 0, "");
  put_pci("0000:00:02.0", "0x1af4\n", "0x030000\n"); /* a virtual display, */
  put_pci("0000:00:03.0", "0x10de\n", "0x040300\n"); /* a sound card */
  put_pci("0000:00:04.0", "0x8086\n", "0x060000\n"); /* and a bridge are no GPUs */
  put("dev/nvidiactl", "");
  put("dev/nvidia-uvm", "");
  expect(&p, NULL, 0, 0, "");
}

static void test_no_loader(void **state) {
  (void)state;
  rdx_vk_places p = places();
  p.loader = "libno-such-loader.so.1";
  put_pci("0000:01:00.0", "0x10de\n", "0x030200\n");
  expect(&p, NULL, 0, 1,
         "1 NVIDIA GPU (PCI 0000:01:00.0) is not shown by Vulkan: the Vulkan loader libno-such-loader.so.1 is not "
         "installed (Debian: libvulkan1)");
  put_pci("0000:02:00.0", "0x1002\n", "0x038000\n");
  expect(&p, NULL, 0, 2, "\n  1 AMD GPU (PCI 0000:02:00.0)");
  const uint32_t shown[] = {0x1002, 0x10005};
  expect(&p, shown, 2, 1, "1 NVIDIA GPU");
}

/* In a container without the folders of PCI there are nodes alone. */
static void test_no_manifest(void **state) {
  (void)state;
  rdx_vk_places p = places();
  put("dev/nvidia0", "");
  put("dev/nvidia1", "");
  put("icd.d/lvp_icd.json", "{\"ICD\": {\"library_path\": \"libvulkan_lvp.so\"}}");
  put("icd.d/notes.txt", "{\"ICD\": {\"library_path\": \"libnvidia.so\"}}");
  put("icd.d/broken.json", "{\"ICD\": {\"library_path\"");
  put("icd.d/empty.json", "");
  expect(&p, NULL, 0, 1, "2 NVIDIA GPUs (*/dev/nvidia");
  expect(&p, NULL, 0, 1,
         "are not shown by Vulkan: no manifest names a Vulkan driver for it, as in */icd.d (Debian: nvidia-vulkan-icd, "
         "which comes with nvidia-driver)");
  const uint32_t one[] = {0x10de}, both[] = {0x10de, 0x10de};
  expect(&p, one, 1, 1, "1 NVIDIA GPU (");
  expect(&p, both, 2, 0, "");
  p.manifests = "/no/such/file.json";
  expect(&p, NULL, 0, 1, "VK_DRIVER_FILES or VK_ICD_FILENAMES is set, and names no driver for it");
}

static void test_no_library(void **state) {
  (void)state;
  rdx_vk_places p = places();
  put("dev/nvidia0", "");
  put("icd.d/nvidia_icd.json",
      "{ \"ICD\" : { \"library_path\" : \"libGLX_nvidia.so.rdx\", \"api_version\": \"1.3\" } }");
  expect(&p, NULL, 0, 1,
         "libGLX_nvidia.so.rdx, which */icd.d/nvidia_icd.json names, cannot be loaded: libGLX_nvidia.so.rdx: cannot "
         "open shared object file: No such file or directory (Debian: libglx-nvidia0)");
  put("icd.d/nvidia_icd.json", "{\"ICD\": {\"library_path\": \".\\/libnvidia.so\"}}");
  put("icd.d/libnvidia.so", "no library");
  expect(&p, NULL, 0, 1, "*/icd.d/./libnvidia.so, which */icd.d/nvidia_icd.json names, cannot be loaded: ");
  char list[256];
  snprintf(list, sizeof list, "/no/such.json:%s/icd.d", root);
  p.manifests = list;
  expect(&p, NULL, 0, 1, "/libnvidia.so, which ");
}

/* What a manifest names can be loaded: here the C library, by a link. */
static void test_nodes(void **state) {
  (void)state;
  rdx_vk_places p = places();
  char from[512], to[512];
  put("icd.d/intel_icd.json", "{\"ICD\": {\"library_path\": \"./libvulkan_intel.so\"}}");
  snprintf(from, sizeof from, "%s/icd.d/libvulkan_intel.so", root);
  assert_int_equal(symlink("/lib/x86_64-linux-gnu/libm.so.6", from), 0);
  put_pci("0000:00:02.0", "0x8086\n", "0x030000\n");
  if (access(from, R_OK) != 0)
    skip(); /* another architecture */
  expect(&p, NULL, 0, 1, "there is no */dev/dri/renderD128: its kernel driver is not loaded, or a container");
  put("dev/dri/card0", "");
  put("dev/dri/renderD129", "");
  expect(&p, NULL, 0, 1, "its driver offers no device with Vulkan 1.2");
  snprintf(to, sizeof to, "%s/dev/dri/renderD129", root);
  assert_int_equal(chmod(to, 0), 0);
  if (geteuid() != 0) /* whom permissions do not stop */
    expect(&p, NULL, 0, 1, "*/dev/dri/renderD129 may not be opened: add the user to the group render, and log in");
}

/* A text that has no room for all of it ends where the room does. */
static void test_cut(void **state) {
  (void)state;
  rdx_vk_places p = places();
  char text[40] = "";
  put_pci("0000:01:00.0", "0x10de\n", "0x030200\n");
  assert_int_equal(rdx_vk_find_missing(&p, NULL, 0, text, sizeof text), 1);
  assert_int_equal(strlen(text), sizeof text - 1);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test_setup_teardown(test_nothing, make_root, remove_root),
                                     cmocka_unit_test_setup_teardown(test_no_loader, make_root, remove_root),
                                     cmocka_unit_test_setup_teardown(test_no_manifest, make_root, remove_root),
                                     cmocka_unit_test_setup_teardown(test_no_library, make_root, remove_root),
                                     cmocka_unit_test_setup_teardown(test_nodes, make_root, remove_root),
                                     cmocka_unit_test_setup_teardown(test_cut, make_root, remove_root)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
