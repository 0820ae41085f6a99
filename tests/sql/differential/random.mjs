// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Raydex authors
//
// Random numbers that depend on a seed only.

export class Random {
  constructor(...seeds) {
    this.state = 0x9e3779b9;
    for (const seed of seeds) {
      this.state = (this.state ^ Number(seed)) >>> 0;
      this.state = this.next();
    }
  }

  // 32 bits (a step of SplitMix32).
  next() {
    this.state = (this.state + 0x9e3779b9) >>> 0;
    let z = this.state;
    z = Math.imul(z ^ (z >>> 16), 0x21f0aaad);
    z = Math.imul(z ^ (z >>> 15), 0x735a2d97);
    return (z ^ (z >>> 15)) >>> 0;
  }

  below(count) {
    return Math.floor((this.next() / 4294967296) * count);
  }

  between(low, high) {
    return low + this.below(high - low + 1);
  }

  chance(percent) {
    return this.below(100) < percent;
  }

  pick(list) {
    return list[this.below(list.length)];
  }

  // One of [weight, value] pairs.
  weighted(pairs) {
    let at = this.below(pairs.reduce((sum, [weight]) => sum + weight, 0));
    for (const [weight, value] of pairs) {
      if (at < weight) return value;
      at -= weight;
    }
    return pairs[0][1];
  }
}
