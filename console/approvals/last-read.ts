/**
 * The version of a file that a session last read, taken from its evidence; new content of the file is compared with it
 * [console.card].
 */
import { hasDigest } from '#core/contracts/withheld.ts';
import type { AnswerOf } from '#core/operations/endpoints.ts';
import type { Item } from './items.ts';

type Entry = AnswerOf<'audit'>['entries'][number];

export interface KnownText {
  readonly text: string;
  /** Time of the read. */
  readonly at: string;
}

/** Parameters of a call that reads a whole file. A call with any other parameter may have read only part of it. */
const pathNames: ReadonlySet<string> = new Set(['path', 'file_path', 'filePath', 'file']);

/**
 * Returns the most recent full text of this file that the session read from this server. Text with withheld parts
 * counts as unknown.
 */
export function lastRead(entries: readonly Entry[], { upstream }: Item, path: string): KnownText | undefined {
  const reads = new Set<string>();
  for (const { kind, envelope_id, body } of entries)
    if (kind !== 'result' && body.capability === 'read' && body.upstream === upstream && readsWhole(body, path))
      reads.add(envelope_id);
  const found = entries
    .filter(({ kind, envelope_id, body }) => kind === 'result' && reads.has(envelope_id) && body.outcome === 'executed')
    .sort((a, b) => (a.timestamp < b.timestamp ? 1 : -1));
  for (const { body, timestamp } of found) {
    const text = resultText(body.result);
    if (text !== undefined) return { text, at: timestamp };
  }
  return undefined;
}

function readsWhole({ parameters }: Entry['body'], path: string): boolean {
  if (typeof parameters !== 'object' || parameters === null) return false;
  const given = Object.entries(parameters);
  return given.length > 0 && given.every(([name, value]) => pathNames.has(name) && value === path);
}

/** Returns an MCP result's only text, or the result itself if it is a string. */
function resultText(result: unknown): string | undefined {
  const content = typeof result === 'object' && result !== null && 'content' in result ? result.content : result;
  const [only, ...others] = Array.isArray(content) ? content : [content];
  const text =
    others.length > 0 ? undefined : typeof only === 'string' ? only : (only as { text?: unknown } | null)?.text;
  return typeof text === 'string' && !hasDigest(text) ? text : undefined;
}
