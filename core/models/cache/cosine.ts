/** Similarity of two embeddings. */

/** Returns the cosine of the angle between two vectors; 0 for vectors that cannot be compared. */
export function cosine(a: readonly number[], b: readonly number[]): number {
  if (a.length !== b.length) return 0;
  let [dot, aa, bb] = [0, 0, 0];
  for (let i = 0; i < a.length; i++) {
    const [x, y] = [a[i]!, b[i]!];
    dot += x * y;
    aa += x * x;
    bb += y * y;
  }
  const likeness = dot / Math.sqrt(aa * bb);
  return Number.isFinite(likeness) ? likeness : 0;
}
