/** Types of the values that a schema describes. */
import type * as z from 'zod';

/** Read-only value that a schema describes. Optional members are absent, never undefined. */
export type Shape<S extends z.ZodType> = DeepReadonly<z.output<S>>;

type DeepReadonly<T> = T extends RegExp
  ? T
  : T extends readonly (infer Item)[]
    ? readonly DeepReadonly<Item>[]
    : T extends object
      ? { readonly [Key in keyof T]: DeepReadonly<Exclude<T[Key], undefined>> }
      : T;
