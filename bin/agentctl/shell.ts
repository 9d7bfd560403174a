/** Quotes words for a POSIX shell, for suggested commands. */
import { visibleText } from '#core/text/secrets/visible-text.ts';

const quoteWord = (word: string): string => {
  const safe = visibleText(word);
  return /^[A-Za-z0-9_@%+=:,./-]+$/.test(safe) ? safe : `'${safe.replaceAll("'", "'\\''")}'`;
};

export const commandLine = (words: readonly string[]): string => words.map(quoteWord).join(' ');

/** Returns the given options as words of a command line. */
export const optionWords = <N extends string>(options: { readonly [name in N]?: string }, names: readonly N[]) =>
  names.flatMap((name) => {
    const value = options[name];
    return value === undefined ? [] : [`--${name}`, value];
  });
