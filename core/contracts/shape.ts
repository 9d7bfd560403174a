/** Types and members of the values that a schema describes. */
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

/** Returns the names of the members that an object's schema lists. */
export const membersOf = <S extends z.ZodObject>({ shape }: S) => Object.keys(shape) as (keyof z.output<S>)[];
