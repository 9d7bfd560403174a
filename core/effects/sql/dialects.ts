/**
 * Where a text means one thing to PostgreSQL and another to a database behind a tool that is not PostgreSQL. A text built
 * on such a place shows one face to the grammar and another to the server.
 */

export type Dialect = 'postgresql' | 'unknown';

interface Doubt {
  readonly pattern: RegExp;
  readonly why: string;
}

/** Rare in honest PostgreSQL, so they count whatever the database is said to be. */
const always: readonly Doubt[] = [
  { pattern: /\/\*M?!/i, why: 'MySQL runs what stands in a comment /*! … */' },
  {
    pattern: /(?<!\\)(?:\\\\)*\\['"]/,
    why: 'a backslash before a quote ends the text in one database and not in another',
  },
];

const elsewhere: readonly Doubt[] = [
  { pattern: /`/, why: 'a backtick quotes names in MySQL' },
  { pattern: /#/, why: 'a # begins a comment in MySQL' },
  { pattern: /--[^\s-]/, why: 'MySQL does not take -- for a comment unless a blank follows' },
  { pattern: /\/\*(?:(?!\*\/)[\s\S])*\/\*/, why: 'comments nest in PostgreSQL only' },
  { pattern: /\$\w*\$/, why: 'texts between $$ exist in PostgreSQL only' },
  { pattern: /\b[eEbBxXnN]'|\b[uU]&['"]/, why: 'prefixed texts are read otherwise elsewhere' },
];

/** Why the text may mean something else to the server than to the grammar. */
export const otherReadings = (text: string, dialect: Dialect): string[] =>
  (dialect === 'postgresql' ? always : [...always, ...elsewhere])
    .filter(({ pattern }) => pattern.test(text))
    .map(({ why }) => why);
