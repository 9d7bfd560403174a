/** Every member of the configuration schema. */
import * as z from 'zod';
import { configurationSchema } from '#features/configuration.ts';

/**
 * Returns the members' paths, sorted. `[]` follows a list and `*` is any name:
 * `tenants[].api_keys[].budget.models.*.daily_usd`.
 */
export const configurationMembers = (): string[] =>
  members(z.toJSONSchema(configurationSchema, { io: 'output', reused: 'inline' }) as never).sort();

function members(schema: z.core.JSONSchema.BaseSchema | boolean, at = ''): string[] {
  if (typeof schema !== 'object') return [];
  const below = [
    ...Object.entries(schema.properties ?? {}).flatMap(([name, one]) => {
      const path = at ? `${at}.${name}` : name;
      return [path, ...members(one, path)];
    }),
    ...(schema.items && !Array.isArray(schema.items) ? members(schema.items, `${at}[]`) : []),
    ...(schema.additionalProperties ? members(schema.additionalProperties, `${at}.*`) : []),
    ...[...(schema.anyOf ?? []), ...(schema.oneOf ?? []), ...(schema.allOf ?? [])].flatMap((one) => members(one, at)),
  ];
  return [...new Set(below)];
}
