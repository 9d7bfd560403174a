/** Options of a git command by a closed list, as git's own parser reads them: clusters, attached values, abbreviations. */

export interface GitOptions {
  /** Options without a value; `--no-x` is understood of every long one. */
  readonly flags: string;
  /** Options with a value, attached or in the next word. */
  readonly values: string;
  /** Long options whose value, if any, is attached. */
  readonly optional?: string;
  /** Ends at the first operand, which names a command. */
  readonly stops?: true;
}

interface ReadOptions {
  /** Every option is on the list. */
  readonly known: boolean;
  readonly operands: readonly string[];
  readonly has: (...names: readonly string[]) => boolean;
  readonly values: (...names: readonly string[]) => readonly string[];
}

const listOf = (words: string): readonly string[] => words.split(/\s+/).filter((word) => word !== '');

export function readGitOptions(words: readonly string[], options: GitOptions): ReadOptions {
  const flags = new Set(listOf(options.flags));
  const valued = new Set(listOf(options.values));
  const optional = new Set(listOf(options.optional ?? ''));
  const long = [...flags, ...valued, ...optional].filter((name) => name.startsWith('--'));
  const found: { readonly name: string; readonly value?: string }[] = [];
  const operands: string[] = [];
  let known = true;

  for (let at = 0; at < words.length; at++) {
    const word = words[at]!;
    if (word === '--') {
      operands.push(...words.slice(at + 1));
      break;
    }
    if (!word.startsWith('-') || word === '-') {
      if (options.stops) {
        operands.push(...words.slice(at));
        break;
      }
      operands.push(word);
    } else if (word.startsWith('--')) {
      const equals = word.indexOf('=');
      const written = equals === -1 ? word : word.slice(0, equals);
      const name = resolved(written, long);
      if (name === undefined) known = false;
      else if (valued.has(name))
        found.push({ name, value: equals === -1 ? (words[++at] ?? '') : word.slice(equals + 1) });
      else if (equals === -1 || optional.has(name)) found.push({ name });
      else known = known && name === '--exec-path';
    } else if (valued.has(word)) found.push({ name: word, value: words[++at] ?? '' });
    else {
      for (let i = 1; i < word.length; i++) {
        const name = `-${word[i]}`;
        if (valued.has(name)) {
          found.push({ name, value: i === word.length - 1 ? (words[++at] ?? '') : word.slice(i + 1) });
          break;
        }
        if (flags.has(name)) found.push({ name });
        else known = false;
      }
    }
  }
  return {
    known,
    operands,
    has: (...names) => found.some(({ name }) => names.includes(name)),
    values: (...names) =>
      found.flatMap(({ name, value }) => (value !== undefined && names.includes(name) ? [value] : [])),
  };
}

/** The one long option that a word is, or is the beginning of; `--no-x` where there is an `--x`. */
function resolved(written: string, long: readonly string[]): string | undefined {
  if (long.includes(written)) return written;
  const positive = written.startsWith('--no-') ? `--${written.slice('--no-'.length)}` : undefined;
  if (positive !== undefined && long.includes(positive)) return written;
  const candidates = long.filter((name) => name.startsWith(written));
  return candidates.length === 1 ? candidates[0] : undefined;
}
