/** Converts JSON Schema to structural schemas. Unions and maps of unions are left open for the gateway to check. */

export interface OpenApi {
  readonly type?: string;
  readonly description?: string;
  readonly properties?: Readonly<Record<string, OpenApi>>;
  readonly items?: OpenApi;
  readonly additionalProperties?: boolean | OpenApi;
  readonly anyOf?: readonly OpenApi[];
  readonly [keyword: string]: unknown;
}

/**
 * Keywords with the same meaning in structural schemas. Defaults are omitted because, once stored in an object, they
 * would outlive the release.
 */
const keptKeywords = [
  'description',
  'enum',
  'pattern',
  'minLength',
  'maxLength',
  'minItems',
  'maxItems',
  'minimum',
  'maximum',
  'exclusiveMinimum',
  'exclusiveMaximum',
];
const scalarTypes = ['string', 'integer', 'number', 'boolean'];
const isUnlimited = (value: unknown): boolean => Math.abs(Number(value)) === Number.MAX_SAFE_INTEGER;

export function structuralSchema(schema: OpenApi): OpenApi {
  const { type, properties, items, additionalProperties, required } = schema;
  const words = Object.fromEntries(
    Object.entries(schema).filter(
      ([name, value]) => keptKeywords.includes(name) && !(/m$/.test(name) && isUnlimited(value)),
    ),
  );
  if (type !== undefined && scalarTypes.includes(type)) return { type, ...words };
  if (type === 'array' && items) return { type, ...words, items: structuralSchema(items) };
  if (type === 'object' && properties)
    return {
      type,
      ...words,
      'x-kubernetes-preserve-unknown-fields': true,
      ...(required !== undefined && { required }),
      properties: Object.fromEntries(Object.entries(properties).map(([name, each]) => [name, structuralSchema(each)])),
    };
  if (
    type === 'object' &&
    typeof additionalProperties === 'object' &&
    scalarTypes.includes(additionalProperties.type ?? '')
  )
    return { type, ...words, additionalProperties: structuralSchema(additionalProperties) };
  const { description } = schema;
  return { 'x-kubernetes-preserve-unknown-fields': true, ...(description !== undefined && { description }) };
}
