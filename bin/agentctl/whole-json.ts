/** Checks passing JSON text for completeness: a truncated export must not look like an export. */
import { exitCodes, Failure } from './failure.ts';

const [quote, backslash, openBrace, closeBrace, openBracket, closeBracket] = Buffer.from('"\\{}[]');

/** Passes the bytes through; throws after the last one if the document is incomplete. */
export async function* wholeJson(chunks: AsyncIterable<Uint8Array>): AsyncIterable<Uint8Array> {
  let depth = 0;
  let begun = false;
  let inText = false;
  let escaped = false;
  for await (const chunk of chunks) {
    for (const byte of chunk) {
      if (inText) {
        if (escaped) escaped = false;
        else if (byte === backslash) escaped = true;
        else if (byte === quote) inText = false;
      } else if (byte === quote) inText = true;
      else if (byte === openBrace || byte === openBracket) {
        depth++;
        begun = true;
      } else if (byte === closeBrace || byte === closeBracket) depth--;
    }
    yield chunk;
  }
  if (begun && depth === 0 && !inText) return;
  throw new Failure(exitCodes.unreachable, 'the export broke off before its end: nothing of it can be relied on');
}
