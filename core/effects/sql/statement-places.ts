/**
 * Statements found at any depth in the parameters of a tool whose name does not mention a database: under a SQL name
 * (`rawSql`, `options.sql`), as a `statement`, or as a query that looks like SQL. Search text is excluded.
 */
import { wordSet } from '#core/kernel/word-set.ts';
import { toolWords, wordsIn } from '#core/policy/classification/tool-words.ts';
import { isPlace } from '#core/policy/rules/parameter-places.ts';

/** SQL found in a parameter. */
export interface StatementText {
  readonly text: string;
  /** False if the text may be something other than SQL. It then counts only if it parses. */
  readonly certain: boolean;
}

/** Maximum number of strings, slightly above the SQL reader's limit, so that the reader reports the excess. */
const maxTexts = 512;
const maxLevels = 64;
const maxSemicolons = 256;

/** Words in the names of tools that hold rows. Their query is SQL, whichever verb precedes the word. */
const data = wordSet(`
  analytics collection collections column columns data database databases dataset datasets entities entity record records row rows schema schemas
  table tables warehouse`);
/** Words in the names of tools whose query is text to search for or a question to answer. */
const texts = wordSet(`
  answer answers article articles ask book books browse channel channels chat code comment comments commit commits context conversation
  conversations discussion discussions doc docs documentation email emails embedding embeddings file files find google grep image images issue
  issues jira knowledge library libraries lookup mail memories memory message messages news note notes page pages paper papers prompt pull question
  questions repo repos repositories repository rg ripgrep search semantic slack symbol symbols ticket tickets thread threads transcript
  transcripts video videos web website wiki wikipedia`);
const queryNames = wordSet('clause condition conditions expression filter filters predicate q queries query raw where');
const statementNames = wordSet('statement statements stmt stmts');
const textNames = wordSet('body code command queries query script statement statements stmt string text texts');

export function statementsIn(tool: string, parameters: Readonly<Record<string, unknown>>): StatementText[] {
  const { family, words } = toolWords(tool);
  const named = [...family, ...words];
  const searches = !named.some((word) => data.has(word)) && named.some((word) => texts.has(word));
  const found: StatementText[] = [];
  for (const [key, text] of leavesOf(parameters, [], 0)) {
    const statement = statementAt(key, text, searches);
    if (statement) found.push(statement);
    if (found.length >= maxTexts) break;
  }
  return found;
}

function statementAt(key: readonly string[], text: string, searches: boolean): StatementText | undefined {
  if (text.trim() === '') return undefined;
  const last = key.at(-1) ?? '';
  if (isOfSql(last) || (key.some(isOfSql) && textNames.has(last))) return { text, certain: true };
  const isQuery = queryNames.has(last) || (key.includes('query') && textNames.has(last));
  const holdsStatement = statementNames.has(last) || (isQuery && !searches);
  // Servers put names, such as that of a table, into a statement of their own.
  if (!holdsStatement && !isPlace('not-text', key.join('_'))) return undefined;
  const at = startOfStatement(text, holdsStatement ? 0 : behindSemicolon(text));
  return at === undefined ? undefined : { text: text.slice(at), certain: true };
}

const behindSemicolon = (text: string): number => text.indexOf(';') + 1 || text.length;

/** Checks for `sql`, `tsql`, `plsql`, and Hive's `hql`, but not for `nosql` or `mysql`, which names a server. */
const isOfSql = (word: string): boolean => /(?<!^(?:no|my|postgre))sql$|^[hc]ql$/.test(word);

/** Returns the index at which a statement begins, at the given index or after a semicolon. */
function startOfStatement(text: string, from: number): number | undefined {
  let at = from;
  for (let seen = 0; at >= 0 && at < text.length; seen++) {
    // Text with more semicolons is read from its beginning.
    if (seen > maxSemicolons) return from;
    if (shape.test(text.slice(at, at + 2048))) return at;
    const end = text.indexOf(';', at);
    at = end < 0 ? -1 : end + 1;
  }
  return undefined;
}

const blank = String.raw`(?:\s|\(|--[^\n]*\n|/\*(?:(?!\*/)[\s\S])*\*/)`;
const gap = String.raw`(?:\s|--[^\n]*\n|/\*(?:(?!\*/)[\s\S])*\*/)+`;
const thing =
  '(?:table|view|index|database|schema|function|procedure|role|user|trigger|type|sequence|extension|materialized|policy|server|system|tablespace)';
const shape = new RegExp(
  `^${blank}*(?:${[
    String.raw`select\b[\s\S]*?\bfrom\b|select${gap}[\w."]+\s*\(|select${gap}@`,
    String.raw`with${gap}(?:recursive${gap})?["\w]+\s*(?:\(|as\b)`,
    String.raw`(?:insert${gap}(?:(?:or${gap})?\w+${gap})?|replace${gap}|merge${gap}|upsert${gap})into\b`,
    String.raw`update${gap}[\w."\x60[\]]+${gap}(?:(?:as${gap})?\w+${gap})?set\b`,
    String.raw`delete${gap}(?:\w+${gap})?from\b`,
    String.raw`truncate${gap}(?:table${gap})?[\w."\x60]+\s*(?:;|$|cascade|restrict)`,
    String.raw`(?:drop|alter)${gap}(?:materialized${gap})?${thing}\b`,
    String.raw`create${gap}(?:or${gap}replace${gap})?(?:\w+${gap})?${thing}\b`,
    String.raw`(?:grant|revoke)${gap}[\s\S]*?\b(?:to|from)\b`,
    String.raw`copy${gap}[\s\S]*?\b(?:to|from)\b`,
    String.raw`(?:call|exec|execute)${gap}[\w.]+\s*(?:\(|;|$|')`,
    String.raw`(?:attach|load|install|pragma|vacuum|kill)${gap}['"\w]`,
    `set${gap}(?:role|session|global|local|@)`,
    String.raw`explain${gap}\(?(?:analy[sz]e|select|delete|update|insert|with)\b`,
    String.raw`do${gap}(?:\$|language\b)|begin\s*;|refresh${gap}materialized\b|lock${gap}table\b`,
  ].join('|')})`,
  'i',
);

function* leavesOf(
  value: unknown,
  key: readonly string[],
  level: number,
): Iterable<readonly [readonly string[], string]> {
  if (typeof value === 'string') yield [key, value];
  else if (level > maxLevels || value === null || typeof value !== 'object') return;
  else if (Array.isArray(value)) for (const item of value) yield* leavesOf(item, key, level + 1);
  else for (const [name, item] of Object.entries(value)) yield* leavesOf(item, wordsIn(name), level + 1);
}
