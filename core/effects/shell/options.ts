/** Options and operands of a command, by the habits of getopt_long: clusters, attached values, abbreviations, `--`. */
import type { Arg } from './words.ts';

export interface OptionHabits {
  /** Short options that take a value. */
  readonly values?: string;
  /** Long options that take a value, without dashes. */
  readonly long?: readonly string[];
  /** Ends at the first operand: what follows belongs to another command. */
  readonly stops?: boolean;
}

export interface Option {
  /** `-n`, `--lines`. */
  readonly name: string;
  readonly value: Arg | undefined;
  /** The argument the value stands in. */
  readonly source: Arg | undefined;
}

/** What stands on a command line. */
export interface Options {
  readonly options: readonly Option[];
  readonly operands: readonly Arg[];
  /** Any of the names is given; an abbreviation of a long one counts. */
  has(...names: readonly string[]): boolean;
  value(...names: readonly string[]): Arg | undefined;
}

export function readOptions(args: readonly Arg[], habits: OptionHabits): Options {
  const options: Option[] = [];
  const operands: Arg[] = [];
  for (let at = 0; at < args.length; at++) {
    const arg = args[at]!;
    const { text } = arg;
    if (text === '--') {
      operands.push(...args.slice(at + 1));
      break;
    }
    if (text.startsWith('--')) {
      const equals = text.indexOf('=');
      if (equals > 0)
        options.push({ name: text.slice(0, equals), value: { ...arg, text: text.slice(equals + 1) }, source: arg });
      else if (habits.long?.some((name) => name.startsWith(text.slice(2)))) {
        const value = args[++at];
        options.push({ name: text, value, source: value });
      } else options.push({ name: text, value: undefined, source: undefined });
    } else if (text.startsWith('-') && text !== '-') {
      if (!readCluster(arg, habits, options, () => args[++at])) operands.push(arg);
    } else {
      operands.push(arg);
      if (habits.stops) {
        operands.push(...args.slice(at + 1));
        break;
      }
    }
  }
  const find = (names: readonly string[]) => options.find(({ name }) => names.some((wanted) => isNamed(name, wanted)));
  return {
    options,
    operands,
    has: (...names) => find(names) !== undefined,
    value: (...names) => find(names)?.value,
  };
}

/** Whether an option as written may mean the named one. */
export const isNamed = (written: string, name: string): boolean =>
  written === name || (written.length > 3 && written.startsWith('--') && name.startsWith(written));

/** `-rf`, `-n5`, `-n 5`. False where what the letters are depends on the run. */
function readCluster(arg: Arg, habits: OptionHabits, options: Option[], next: () => Arg | undefined): boolean {
  for (let i = 1; i < arg.text.length; i++) {
    const letter = arg.text[i]!;
    if (!arg.known && '$`<>'.includes(letter)) return false;
    if (habits.values?.includes(letter)) {
      const rest = arg.text.slice(i + 1);
      const value = rest === '' ? next() : { ...arg, text: rest };
      options.push({ name: `-${letter}`, value, source: rest === '' ? value : arg });
      return true;
    }
    if ('/~'.includes(letter)) {
      // A path behind a letter we do not know.
      options.push({ name: arg.text.slice(0, 2), value: { ...arg, text: arg.text.slice(i) }, source: arg });
      return true;
    }
    options.push({ name: `-${letter}`, value: undefined, source: undefined });
  }
  return true;
}
