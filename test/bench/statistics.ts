/** Returns the value below which `share` (0 to 1) of the values are; NaN without values. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? Number.NaN;
}

/** Returns the median; for an even number of values, the mean of the middle two. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = (sorted.length - 1) / 2;
  return ((sorted[Math.floor(middle)] ?? Number.NaN) + (sorted[Math.ceil(middle)] ?? Number.NaN)) / 2;
}

/**
 * Returns the distance of two samples by Kolmogorov and Smirnov: the largest difference, 0 to 1, of their shares below
 * a value.
 */
export function setApart(one: readonly number[], other: readonly number[]): number {
  const below = (values: readonly number[], limit: number) =>
    values.filter((value) => value <= limit).length / values.length;
  return Math.max(...[...one, ...other].map((limit) => Math.abs(below(one, limit) - below(other, limit))));
}
