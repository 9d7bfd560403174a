/** One page of a list. `cursor` is opaque and absent on the last page. */
export interface Page<T> {
  readonly items: readonly T[];
  readonly cursor?: string;
}
