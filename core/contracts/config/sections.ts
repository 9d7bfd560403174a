/** Sections of the configuration that features add. */
import type * as z from 'zod';

/**
 * Schemas by place: `provenance` is a section of the file, `evidence.log` a member of its section `evidence`. Each
 * feature adds its own to this type.
 */
// biome-ignore lint/suspicious/noEmptyInterface: features add its members
export interface FeatureSections {}

export type SectionsBelow<Prefix extends string> = {
  readonly [Place in keyof FeatureSections as Place extends `${Prefix}${infer Name}`
    ? Name extends `${string}.${string}`
      ? never
      : Name
    : never]: FeatureSections[Place];
};

/** Returns the sections directly below a place, by name. @param prefix the place with a final dot, or an empty string */
export function sectionsBelow<Prefix extends string>(sections: FeatureSections, prefix: Prefix): SectionsBelow<Prefix> {
  const below = Object.entries<z.ZodType>({ ...sections })
    .filter(([place]) => place.startsWith(prefix) && !place.slice(prefix.length).includes('.'))
    .map(([place, schema]) => [place.slice(prefix.length), schema]);
  return Object.fromEntries(below) as SectionsBelow<Prefix>;
}
