/**
 * Automaton for normalised targets and text parameters: words separated by one blank, each a resolved path, URL or
 * `user@host:path`. It accepts slightly more hosts than normalisation produces, so that the analysis never wrongly
 * reports "can never match".
 */
import type { Walker } from './automaton.ts';
import { boundaryPoints, walker } from './name-automaton.ts';

/** Returns the automaton. @param lines true to allow line breaks between words, as in parameters. */
export const normalText = (lines: boolean): Walker =>
  walker(
    stateKey(emptyText),
    [...boundaryPoints('\n %./:@\\+-=,\'"(?#_'), 0x20, 0x30, 0x3a, 0x41, 0x47, 0x5b, 0x61, 0x67, 0x7b, 0x7f, 0xa0],
    (state, char) => {
      const next = nextInText(parseTextState(state), char, lines);
      return next && stateKey(next);
    },
    (state) => state === stateKey(emptyText) || wordEnds(parseTextState(state)),
  );

interface TextState {
  /**
   * `empty` text, after a `blank`, after `user@host:` (`scp`), only `..` so far (`climb`), only `/` (`root`), `path`;
   * in a URL: `host`, `url` (its path), `any` (after `?` or `#`).
   */
  readonly word: string;
  /** `start`, `.`, `..` or `name`. */
  readonly segment: string;
  readonly head: string;
  /** Percent escape so far: `%`, `%h`. */
  readonly percent: string;
}

const emptyText: TextState = { word: 'empty', segment: 'start', head: 'first', percent: '' };
const stateKey = ({ word, segment, head, percent }: TextState): string => `${word}|${segment}|${head}|${percent}`;

function parseTextState(state: string): TextState {
  const [word = '', segment = '', head = '', percent = ''] = state.split('|');
  return { word, segment, head, percent };
}

function nextInText(state: TextState, char: string, lines: boolean): TextState | undefined {
  if (char === '\\' || (char < ' ' && !(lines && char === '\n')) || (char >= '\u007f' && char < '\u00a0'))
    return undefined;
  const isHex = /[0-9a-f]/i.test(char);
  if (state.percent === '%h' && isHex) return undefined;
  const percent = char === '%' ? '%' : state.percent === '%' && isHex ? '%h' : '';
  if (char === ' ' || char === '\n') return wordEnds(state) ? { ...emptyText, word: 'blank' } : undefined;
  if (state.word === 'any') return { ...state, percent };
  const head = headAfter(state.head, char);
  if (head === '://') return { word: 'host', segment: 'name', head: 'done', percent };
  if (state.head === 'host' && head === 'scp') return { word: 'scp', segment: 'start', head: 'done', percent };
  return state.word === 'host' || state.word === 'url'
    ? nextInUrl(state, char, percent)
    : char === '/'
      ? nextSegment(state, head)
      : { word: state.word, segment: segmentAfter(state.segment, char), head, percent };
}

const optionEnd = /[=,'"(]/;

/**
 * Returns what the start of a word may still become: a scheme or a user (`first`, `both`), one of these (`scheme`,
 * `user`), or neither (`no`, or `option` if a URL may begin after `=`). Returns `done` if this is already settled.
 */
function headAfter(head: string, char: string): string {
  if (head === ':') return char === '/' ? ':/' : 'done';
  if (head === ':/') return char === '/' ? '://' : 'done';
  if (head === 'done' || char === '/') return 'done';
  if (char === ':') return head === 'both' || head === 'scheme' ? ':' : head === 'host' ? 'scp' : 'done';
  if (optionEnd.test(char)) return 'option';
  if (char === '@') return head === 'both' || head === 'user' ? 'at' : 'no';
  const [letter, inScheme, inUser] = [/[a-z]/i, /[a-z0-9+.-]/i, /[\w.-]/].map((set) => set.test(char));
  switch (head) {
    case 'first':
      return letter ? 'both' : inUser ? 'user' : 'no';
    case 'both':
      return inScheme && inUser ? 'both' : inScheme ? 'scheme' : inUser ? 'user' : 'no';
    case 'option':
      return letter ? 'scheme' : 'no';
    case 'scheme':
      return inScheme ? 'scheme' : 'no';
    case 'user':
      return inUser ? 'user' : 'no';
    case 'at':
    case 'host':
      return inUser ? 'host' : 'no';
    default:
      return 'no';
  }
}

/** Returns the next state in a URL. Its path always begins with a slash and may end with one. */
function nextInUrl({ word, segment }: TextState, char: string, percent: string): TextState | undefined {
  if (char === '?' || char === '#') {
    const ended = word === 'url' && segment !== '.' && segment !== '..';
    return ended ? { word: 'any', segment: 'name', head: 'done', percent } : undefined;
  }
  if (char !== '/')
    return { word, segment: word === 'url' ? segmentAfter(segment, char) : segment, head: 'done', percent };
  return segment === 'name' ? { word: 'url', segment: 'start', head: 'done', percent } : undefined;
}

const isFront = (word: string): boolean => word === 'empty' || word === 'blank' || word === 'scp';

function nextSegment({ word, segment }: TextState, head: string): TextState | undefined {
  const next = (name: string): TextState => ({ word: name, segment: 'start', head, percent: '' });
  if (segment === 'start') return isFront(word) ? next('root') : undefined;
  if (segment === '.') return undefined;
  if (segment !== '..') return next('path');
  return isFront(word) || word === 'climb' ? next('climb') : undefined;
}

const segmentAfter = (segment: string, char: string): string =>
  char !== '.' ? 'name' : segment === 'start' ? '.' : segment === '.' ? '..' : 'name';

function wordEnds({ word, segment }: TextState): boolean {
  if (word === 'host') return false;
  if (segment === 'name') return true;
  if (segment === 'start') return word === 'root' || word === 'url' || word === 'scp';
  return segment === '.' ? isFront(word) : isFront(word) || word === 'climb';
}
