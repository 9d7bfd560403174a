/**
 * Splits a bundle's text, as it arrives, into entries and other members, without parsing them
 * [evidence.large-sessions].
 */
import { invalidRequest } from '#core/kernel/errors.ts';

/** JSON text of one entry, or of one other member of the bundle. For an entry, `key` is absent. */
interface Piece {
  readonly key?: string;
  readonly text: string;
}

type State =
  | 'open'
  | 'first'
  | 'key'
  | 'name'
  | 'colon'
  | 'value'
  | 'inside'
  | 'first-entry'
  | 'entry'
  | 'next'
  | 'done';

const quote = 0x22;
const backslash = 0x5c;
const comma = 0x2c;
const colon = 0x3a;
const [openBrace, closeBrace, openBracket, closeBracket] = [0x7b, 0x7d, 0x5b, 0x5d];
const isBlank = (char: number): boolean => char === 0x20 || char === 0x0a || char === 0x0d || char === 0x09;

/**
 * Splits a JSON object into its members, and its `entries` list into items. The text of a piece is not checked and may
 * be invalid JSON.
 * @throws GatewayError `invalid_request` if the text is not such an object, repeats a member, or ends early.
 */
export async function* bundlePieces(chunks: AsyncIterable<string>): AsyncGenerator<Piece> {
  const seen = new Set<string>();
  let state = 'open' as State;
  let key = '';
  let inEntries = false;
  let parts: string[] = [];
  let depth = 0;
  let inString = false;
  let escaped = false;
  let read = 0;
  const wrong = (found: string) => invalidRequest(`The bundle is not valid JSON: ${found} at character ${read + 1}.`);

  for await (const chunk of chunks) {
    let from = 0;
    const begin = (at: number, next: State): void => {
      parts = [];
      from = at;
      state = next;
      [depth, inString, escaped] = [0, false, false];
    };
    const taken = (end: number): string => {
      const text = parts.join('') + chunk.slice(from, end);
      parts = [];
      return text;
    };
    for (let at = 0; at < chunk.length; at++, read++) {
      const char = chunk.charCodeAt(at);
      if (state === 'name') {
        if (escaped) escaped = false;
        else if (char === backslash) escaped = true;
        else if (char === quote) {
          key = memberName(taken(at + 1));
          if (seen.has(key)) throw invalidRequest(`The bundle has the member ${JSON.stringify(key)} twice.`);
          seen.add(key);
          state = 'colon';
        }
        continue;
      }
      if (state === 'inside') {
        if (inString) {
          if (escaped) escaped = false;
          else if (char === backslash) escaped = true;
          else if (char === quote) inString = false;
          continue;
        }
        if (char === quote) inString = true;
        else if (char === openBrace || char === openBracket) depth++;
        else if (depth > 0) {
          if (char === closeBrace || char === closeBracket) depth--;
        } else if (char === comma || char === closeBrace || char === closeBracket) {
          if (char !== comma && (char === closeBracket) !== inEntries) throw wrong('a mismatched bracket');
          yield inEntries ? { text: taken(at) } : { key, text: taken(at) };
          if (char === comma) state = inEntries ? 'entry' : 'key';
          else state = inEntries ? 'next' : 'done';
          if (char === closeBracket) inEntries = false;
        }
        continue;
      }
      if (isBlank(char)) continue;
      switch (state) {
        case 'open':
          if (char !== openBrace) throw wrong('no opening brace');
          state = 'first';
          break;
        case 'first':
        case 'key':
          if (char === closeBrace && state === 'first') state = 'done';
          else if (char === quote) begin(at, 'name');
          else throw wrong('no member name');
          break;
        case 'colon':
          if (char !== colon) throw wrong('no colon after a name');
          state = 'value';
          break;
        case 'value':
          if (key === 'entries' && char === openBracket) {
            inEntries = true;
            state = 'first-entry';
            break;
          }
          begin(at--, 'inside');
          read--;
          break;
        case 'first-entry':
        case 'entry':
          if (char === closeBracket && state === 'first-entry') {
            inEntries = false;
            state = 'next';
            break;
          }
          begin(at--, 'inside');
          read--;
          break;
        case 'next':
          if (char === comma) state = 'key';
          else if (char === closeBrace) state = 'done';
          else throw wrong('no comma or closing brace');
          break;
        case 'done':
          throw wrong('text after the end');
      }
    }
    if (state === 'name' || state === 'inside') parts.push(chunk.slice(from));
  }
  if (state !== 'done') throw wrong('the end');
}

function memberName(text: string): string {
  try {
    return JSON.parse(text) as string;
  } catch {
    throw invalidRequest(`The bundle has a member whose name is not valid JSON: ${text.slice(0, 40)}.`);
  }
}
