/**
 * Calls without a statement, such as `sql.delete` on `users` with a `where`. The operation stays the same, but the
 * table name is normalised.
 */
import type { ToolCall } from '#core/contracts/envelope.ts';
import { foldCase } from '#core/text/matching/fold-unicode.ts';
import { qualifiedNameOf } from './names.ts';

const word = /"((?:[^"]|"")+)"|([\p{L}_][\p{L}\p{N}_$]*)/uy;

/** Returns a single part, with the target in normal form if it is a name. */
export function structuredCall(call: ToolCall): ToolCall[] {
  const tool = foldCase(call.tool).trim();
  const words = splitWords(call.target.trim());
  const name = words && words.length <= 3 ? qualifiedNameOf(words.map((sval) => ({ String: { sval } }))) : undefined;
  const verb = tool.slice(tool.search(/[^./:]*$/)).split('_')[0]!;
  const changes = ['update', 'delete', 'merge', 'upsert'].includes(verb);
  return [
    {
      protocol: 'sql',
      tool,
      target: name?.target ?? call.target,
      capability: call.capability,
      parameters: {
        ...call.parameters,
        object: 'table',
        schema: name?.schema ?? '',
        ...(changes && { has_where: whereKeys.some((key) => isGiven(call.parameters[key])) }),
      },
    },
  ];
}

const whereKeys = ['where', 'filter', 'filters', 'condition', 'conditions', 'match'];

const isGiven = (value: unknown): boolean => {
  if (value === undefined || value === null || value === false || value === true) return false;
  if (typeof value === 'string') return value.trim() !== '';
  return typeof value !== 'object' || Object.keys(value).length > 0;
};

/** Splits a target into words. Folds the case of unquoted words, as PostgreSQL does. */
function splitWords(target: string): string[] | undefined {
  const words: string[] = [];
  for (let at = 0; at < target.length; ) {
    word.lastIndex = at;
    const found = word.exec(target);
    if (!found) return undefined;
    words.push(found[1] === undefined ? found[2]!.toLowerCase() : found[1].replaceAll('""', '"'));
    at = word.lastIndex;
    if (at < target.length && target[at++] !== '.') return undefined;
    if (at === target.length && target.endsWith('.')) return undefined;
  }
  return words.length === 0 ? undefined : words;
}
