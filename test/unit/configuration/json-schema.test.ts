/** The published schema is the one that validates. */
import { configurationJsonSchema } from '#core/configuration/load/json-schema.ts';
import { configurationSchema } from '#core/contracts/config.ts';

interface Node {
  readonly properties?: Record<string, Node>;
  readonly required?: readonly string[];
  readonly additionalProperties?: unknown;
}

test('[config.schema-published] the JSON Schema names every section, requires what has no default, refuses the rest', () => {
  const schema = configurationJsonSchema() as Node;
  expect(Object.keys(schema.properties ?? {})).toEqual(Object.keys(configurationSchema.shape));
  expect(schema.required).toEqual(['version', 'tenants']);
  expect(schema.additionalProperties).toBe(false);
  expect(schema.properties?.approvals?.properties?.timeout_seconds).toMatchObject({ default: 1800, type: 'integer' });
});
