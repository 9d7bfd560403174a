/** Compares secrets in constant time. */
import { createHmac, timingSafeEqual } from 'node:crypto';

/** Compares the hashes of two texts, so that the time reveals neither length nor content. */
export function sameText(a: string, b: string): boolean {
  const digest = (text: string) => createHmac('sha256', 'compare').update(text).digest();
  return timingSafeEqual(digest(a), digest(b));
}
