/** Which keys the schema allows at a path, for messages about unknown ones. */
import type * as z from 'zod';
import { configurationSchema } from '#core/contracts/config.ts';

/** The parts of zod's definitions that are walked here. */
interface Definition {
  readonly type: string;
  readonly innerType?: Schema;
  readonly element?: Schema;
  readonly valueType?: Schema;
  readonly options?: readonly Schema[];
  readonly discriminator?: string;
  readonly values?: readonly unknown[];
  readonly shape?: Readonly<Record<string, Schema>>;
}
type Schema = z.core.$ZodType & { readonly def: Definition };

/** Undefined where no object is described. */
export function allowedKeys(path: readonly (string | number)[], root: unknown): string[] | undefined {
  let schema: Schema | undefined = resolved(configurationSchema as unknown as Schema, root);
  let value = root;
  for (const step of path) {
    if (!schema) return undefined;
    value = value !== null && typeof value === 'object' ? (value as Record<string | number, unknown>)[step] : undefined;
    const { element, valueType, shape }: Definition = schema.def;
    const next: Schema | undefined = element ?? valueType ?? shape?.[step];
    schema = next && resolved(next, value);
  }
  return schema?.def.shape && Object.keys(schema.def.shape);
}

/** Without optional and default wrappers; of a union, the object that the value was meant to be. */
function resolved(schema: Schema, value: unknown): Schema | undefined {
  const { innerType, options, discriminator } = schema.def;
  if (innerType) return resolved(innerType, value);
  if (!options) return schema;
  const objects = options.map((option) => resolved(option, value)).filter((option) => option?.def.shape);
  if (discriminator === undefined) return objects[0];
  const word = (value as Record<string, unknown> | null)?.[discriminator];
  return objects.find((option) => option?.def.shape?.[discriminator]?.def.values?.includes(word));
}
