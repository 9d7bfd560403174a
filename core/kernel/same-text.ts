/** Compares secrets in constant time. */
import { createHmac, timingSafeEqual } from 'node:crypto';

/** Compares the hashes of two strings, so that the time taken reveals neither their length nor their content. */
export function sameText(a: string, b: string): boolean {
  const digest = (text: string) => createHmac('sha256', 'compare').update(text).digest();
  return timingSafeEqual(digest(a), digest(b));
}
