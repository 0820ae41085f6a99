/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */
#extension GL_EXT_ray_tracing : require

/* A ray that hits nothing leaves its payload as it was. */
void main() {
}
