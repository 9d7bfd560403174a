/**
 * Guard for the semantic cache. Embeddings do not separate paraphrases from opposites, so words that determine the
 * meaning must be equal in both texts. When in doubt, it reports a miss, because a wrong hit costs more.
 */

/** Words that reverse a sentence, and pairs of opposites. */
const turning: ReadonlySet<string> = new Set(
  [
    'not no never none nobody nothing nowhere neither nor cannot without except unless hardly barely only all any every some few many most least best worst',
    'before after until since above below over under up down in out on off into from to left right first last next previous',
    'more less fewer greater smaller higher lower larger maximum minimum max min increase decrease raise reduce',
    'add remove insert delete create destroy enable disable allow deny block permit accept reject start stop open close lock unlock',
    'buy sell lend borrow win lose encrypt decrypt encode decode import export upload download push pull true false yes',
    'today tomorrow yesterday now then past future old new good bad safe unsafe legal illegal',
    'nicht kein keine nie ohne ne pas jamais sans aucun nunca sin ninguno non mai senza',
  ].flatMap((words) => words.split(' ')),
);

/** Words that begin sentences without naming anything. */
const opening: ReadonlySet<string> = new Set(
  'a an and are at be but by can could did do does explain find for give had has have he hello help her hi his how i if in is it its let list make may me my now of on or our please say shall she should show so summarize summarise tell than that the their them then there these they this those to translate try was we were what when where which who whom whose why will with would write you your'.split(
    ' ',
  ),
);

/** Checks that two texts in the same alphabet do not differ in anything that affects their meaning. */
export function mayMeanTheSame(a: string, b: string): boolean {
  const [left, right] = [parseWords(a), parseWords(b)];
  if (left === undefined || right === undefined) return false;
  return (
    equal(left.flatMap(significantWords), right.flatMap(significantWords)) &&
    equal(left.flatMap(turn), right.flatMap(turn)) &&
    sharedInOrder(left, right)
  );
}

interface Word {
  readonly text: string;
  readonly folded: string;
  /** True for the first word of a sentence, where capitalisation is not significant. */
  readonly first: boolean;
}

/** Returns undefined for text in scripts without capitals or spaces, which the guard cannot check. */
function parseWords(text: string): readonly Word[] | undefined {
  const plain = text.normalize('NFKC').replace(/[\u2018\u2019]/g, "'");
  if (/\p{Lo}/u.test(plain)) return undefined;
  const words: Word[] = [];
  let first = true;
  for (const [token] of plain.matchAll(/[\p{L}\p{N}\p{M}\p{Sc}%#@_'’./:+\-\\=<>*^&|~]+|[!?;]/gu)) {
    const word = token.replace(/^['’.:]+|['’.:,]+$/g, '');
    if (word !== '' && !/^[!?;]$/.test(word)) {
      words.push({ text: word, folded: word.toLowerCase(), first });
      first = false;
    }
    if (/[.!?:;]$/.test(token)) first = true;
  }
  return words;
}

/** Returns numbers, names, codes and symbols, which must match on both sides and in the same order. */
function significantWords({ text, folded, first }: Word): string[] {
  if (!/^[\p{L}\p{M}']+$/u.test(text)) return [folded];
  if (first && text.slice(1) === text.slice(1).toLowerCase())
    return opening.has(withoutSuffix(folded)) ? [] : nameIfCapitalised(text);
  return nameIfCapitalised(text);
}

/** Returns capitalised words as names, except the first-person pronoun. */
const nameIfCapitalised = (text: string): string[] =>
  text !== text.toLowerCase() && withoutSuffix(text) !== 'I' ? [text.toLowerCase()] : [];

/** Shortens `what's` to `what` and `I'm` to `I`. */
const withoutSuffix = (word: string): string => word.split("'")[0]!;

/** Returns "not" for every negation. Any other word that changes the meaning is returned unchanged. */
function turn({ folded }: Word): string[] {
  if (/n't$/.test(folded)) return ['not'];
  if (folded === 'cannot') return ['not'];
  return turning.has(folded) ? [folded] : [];
}

/** Checks that shared words appear in the same order, because order determines who does what to whom. */
function sharedInOrder(left: readonly Word[], right: readonly Word[]): boolean {
  const [inLeft, inRight] = [left, right].map((words) => new Set(words.map(({ folded }) => folded)));
  const shared = (words: readonly Word[], others: Set<string> | undefined) =>
    words.flatMap(({ folded }) => (others?.has(folded) ? [folded] : []));
  return equal(shared(left, inRight), shared(right, inLeft));
}

const equal = (a: readonly string[], b: readonly string[]): boolean =>
  a.length === b.length && a.every((word, i) => word === b[i]);
