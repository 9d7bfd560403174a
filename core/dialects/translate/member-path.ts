/** Where a provider says that a fault is, in the words of a chat completions request [errors.param]. */

/** Members of a messages request, and the members of the caller's request that they were made of. */
const members: readonly (readonly [pattern: RegExp, path: string])[] = [
  [/^(?:output_config\.format|output_format)\.schema\b.*/, 'response_format.json_schema.schema'],
  [/^output_(?:config|format)\b.*/, 'response_format'],
  [/^tools\.(\d+)\.(?:custom\.)?input_schema\b.*/, 'tools[$1].function.parameters'],
  [/^tools\.(\d+)\.(?:custom\.)?(name|description)\b.*/, 'tools[$1].function.$2'],
  [/^tools\.(\d+)\b.*/, 'tools[$1]'],
  [/^stop_sequences\b.*/, 'stop'],
  [/^metadata\.user_id$/, 'user'],
  // Turns of the two dialects differ in number.
  [/^(?:system|messages\.\d+)\b.*/, 'messages'],
];

/** A path at the beginning of what a provider says: `tools.0.custom.input_schema: …`. */
const leading = /^([a-z_]+(?:\.\w+|\[\d+\])*): /;

/**
 * Returns the member of the caller's request that a provider's message is about.
 * @param named the provider's own `param`, if it has one
 */
export function memberAtFault(message: string, named?: string): string | undefined {
  const path = named ?? leading.exec(message)?.[1];
  if (path === undefined) return undefined;
  const [pattern, own] = members.find(([each]) => each.test(path)) ?? [];
  return pattern ? path.replace(pattern, own!) : path;
}
