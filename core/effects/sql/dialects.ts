/**
 * Text that PostgreSQL and other databases parse differently. For such text, the server may run something that the
 * grammar does not show.
 */

export type Dialect = 'postgresql' | 'unknown';

interface Doubt {
  readonly found: (text: string) => boolean;
  readonly why: string;
}

const matches =
  (pattern: RegExp) =>
  (text: string): boolean =>
    pattern.test(text);

/** Constructs that are rare in legitimate PostgreSQL, so they raise doubt for every database. */
const always: readonly Doubt[] = [
  { found: matches(/\/\*M?!/i), why: 'MySQL runs the content of a comment /*! … */' },
  {
    found: matches(/(?<!\\)(?:\\\\)*\\['"]/),
    why: 'a backslash before a quote ends the string in some databases and not in others',
  },
];

const elsewhere: readonly Doubt[] = [
  { found: matches(/`/), why: 'a backtick quotes names in MySQL' },
  { found: matches(/#/), why: 'a # begins a comment in MySQL' },
  { found: matches(/--(?![ \t\r\n-]|$)/), why: 'MySQL treats -- as a comment only if a space follows' },
  { found: (text) => text.split('/*').slice(1).some(opensAgain), why: 'comments nest in PostgreSQL only' },
  { found: matches(/\$\w*\$/), why: 'texts between $$ exist in PostgreSQL only' },
  { found: hasPrefixedText, why: 'prefixed texts are read otherwise elsewhere' },
  { found: matches(/'''|"""/), why: 'three quotes begin a text in BigQuery' },
  { found: matches(/\[/), why: 'square brackets quote names in SQL Server and SQLite' },
  { found: matches(/\.\s*"?nextval\b/i), why: 'a column nextval takes the next number of a sequence in Oracle' },
  // The database of a name is otherwise left out of its target.
  {
    found: matches(/(?<![\w.])"?(?:master|msdb)"?\s*\.[^.]+\.\s*"?\w/i),
    why: 'master and msdb are databases of SQL Server itself',
  },
  {
    found: matches(/\b(?:shutdown|reconfigure|checkpoint|revert|commit|rollback|go)\b\s{0,64}(?:;|$|\n|--|\/\*|\))/i),
    why: 'SQL Server begins a statement without a semicolon before it',
  },
  // PostgreSQL parses this as a column named `delete`.
  {
    found: matches(/[^\s;(/](?:\s|--[^\n]*\n|\/\*[^*]*\*\/){1,64}delete(?:\s|--[^\n]*\n|\/\*[^*]*\*\/){1,64}from\b/i),
    why: 'SQL Server begins a statement without a semicolon before it',
  },
];

/** Returns reasons why the server may parse the text differently than the grammar does. */
export const dialectDoubts = (text: string, dialect: Dialect): string[] =>
  (dialect === 'postgresql' ? always : [...always, ...elsewhere])
    .filter(({ found }) => found(text))
    .map(({ why }) => why);

/** Quoted relation names that DuckDB would read as a file or URL. */
const file = /[/\\:?*]|\.(?:csv|tsv|json|jsonl|ndjson|parquet|arrow|feather|avro|orc|xlsx)(?:\.(?:gz|zst|bz2|xz))?"?$/i;

/** Returns the reason why the server may not treat a relation as a table, or undefined if every database does. */
export const relationDoubt = (target: string, dialect: Dialect): string | undefined =>
  dialect === 'unknown' && file.test(target)
    ? 'DuckDB reads a relation that is named like a file or an address from there'
    : undefined;

/** Checks whether a comment is still open when the next one begins. */
const opensAgain = (comment: string, at: number, all: readonly string[]): boolean =>
  at < all.length - 1 && !comment.includes('*/');

/** Checks for a quote directly after a word: `e'…'`, `q'[…]'`, `U&"…"`. */
function hasPrefixedText(text: string): boolean {
  for (let at = 0; at < text.length; at++) {
    const quote = text[at];
    if (quote !== "'" && quote !== '"') continue;
    if (at > 0 && /[\p{L}\p{N}_&]/u.test(text[at - 1]!)) return true;
    const end = text.indexOf(quote, at + 1);
    if (end === -1) return false;
    at = end;
  }
  return false;
}
