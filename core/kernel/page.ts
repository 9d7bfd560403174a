/** Lists are answered in pages. */

/** One page of something; `cursor` is opaque and absent on the last page. */
export interface Page<T> {
  readonly items: readonly T[];
  readonly cursor?: string;
}
