export interface Point {
  readonly size: number;
  readonly time: number;
}

/** The exponent `e` of time ~ size^e, fitted to all points: 0 = flat, 1 = linear, 2 = quadratic. */
export function growthExponent(points: readonly Point[]): number {
  const logs = points.map(({ size, time }) => ({ x: Math.log(size), y: Math.log(time) }));
  const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;
  const meanX = mean(logs.map(({ x }) => x));
  const meanY = mean(logs.map(({ y }) => y));
  const covariance = mean(logs.map(({ x, y }) => (x - meanX) * (y - meanY)));
  return covariance / mean(logs.map(({ x }) => (x - meanX) ** 2));
}
