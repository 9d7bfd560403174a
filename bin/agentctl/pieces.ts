/** Answers that the server gives a bounded piece at a time, followed by their cursors to the end. */
import type { Cli } from './command.ts';
import { exitCodes, Failure } from './failure.ts';
import { type Fields, fields, text } from './json-fields.ts';

/** @throws Failure when the server gives the same cursor twice and the piece between changed nothing. */
export async function* pieces(
  cli: Cli,
  operation: string,
  query: Readonly<Record<string, string | undefined>>,
): AsyncIterable<Fields> {
  const seen = new Map<string, string>();
  let cursor: string | undefined;
  do {
    const answer = await cli.api().call(operation, { query: { ...query, cursor } });
    const piece = fields(answer.json);
    yield piece;
    cursor = text(piece.cursor);
    if (cursor !== undefined && seen.get(cursor) === answer.text) {
      throw new Failure(exitCodes.negative, 'the server gave the same answer twice: it has no end');
    }
    if (cursor !== undefined) seen.set(cursor, answer.text);
  } while (cursor !== undefined);
}
