/** Follows the cursors of responses that come in limited pieces until the end, showing progress on a terminal. */

import { count, type Fields, fields, text } from '#core/kernel/json-fields.ts';
import type { Cli } from './command.ts';
import { exitCodes, Failure } from './failure.ts';
import { progressOf } from './progress.ts';

/**
 * @param counts name of the member that contains a piece's number of processed entries
 * @throws Failure if the server repeats a cursor after a piece that changed nothing.
 */
export async function* pieces(
  cli: Cli,
  operation: string,
  query: Readonly<Record<string, string | undefined>>,
  counts = 'total_entries',
): AsyncIterable<Fields> {
  const progress = progressOf('entries');
  const seen = new Map<string, string>();
  let cursor: string | undefined;
  try {
    do {
      const answer = await cli.api().call(operation, { query: { ...query, cursor } });
      const piece = fields(answer.json);
      progress.add(count(piece[counts]));
      yield piece;
      cursor = text(piece.cursor);
      if (cursor !== undefined && seen.get(cursor) === answer.text)
        throw new Failure(exitCodes.negative, 'the server returned the same answer twice, so the list would never end');
      if (cursor !== undefined) seen.set(cursor, answer.text);
    } while (cursor !== undefined);
  } finally {
    progress.end();
  }
}
