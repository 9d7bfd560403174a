/** Finds SQL in a call: in a parameter, or in the target of a tool that runs SQL text. */
import type { ToolCall } from '#core/contracts/envelope.ts';
import { foldCase } from '#core/text/matching/fold-unicode.ts';
import { otherQueryParameter } from '../shell/carrying-tool.ts';
import type { Dialect } from './dialects.ts';
import { statementsIn } from './statement-places.ts';

interface SqlTexts {
  /** `certain` is false if the text may be something other than SQL. It then counts only if it parses. */
  readonly texts: readonly { readonly text: string; readonly certain: boolean }[];
  /** Whether the tool does nothing except run the text. */
  readonly carrier: boolean;
  readonly dialect: Dialect;
  readonly unclear?: string;
}

const textKeys = [
  'sql',
  'query',
  'queries',
  'statement',
  'statements',
  'text',
  'command',
  'sqlStatement',
  'sql_query',
  'sqls',
  'rawSql',
  'raw_sql',
  'sqlQuery',
  'sqlText',
  'sql_text',
  'stmt',
];

/** Tools that only run the text passed to them. */
const runners =
  /^(?:(?:run|execute|exec|read|write|do|submit|perform)_?)?(?:sql|quer(?:y|ies)|statements?|batch|transaction|script)$|^(?:execute|exec|run|select|values|with|explain|insert|update|delete|merge|upsert)(?:_(?:sql|query|statement|raw|transaction))?$/;
const runsText =
  /^(?:(?:run|execute|exec|do|submit|perform)_?)?(?:sql|quer(?:y|ies)|statements?|batch|transaction|script)$|^(?:execute|exec|run)(?:_(?:sql|query|statement|raw|transaction))?$/;
/** Families of tools that access a database. */
const databases =
  /(?:^|[._/-])(?:sql|postgres(?:ql)?|pg|psql|mysql|maria(?:db)?|sqlite|mssql|oracle|db|database|redshift|bigquery|snowflake|supabase|neon|timescale|cockroach(?:db)?|duckdb|clickhouse|athena|rds|aurora|dbhub)(?:[._/-]|$)/;
/** Tools that read only by running a query: their text is SQL, whatever it begins with. */
const queryReaders = /(?:^|[._/-])read(?:[_-]?only)?[_-]?(?:sql|quer(?:y|ies)|statements?)$/;
const postgres = /postgres|(?:^|[._/-])(?:pg|psql|supabase|neon|timescale)(?:[._/-]|$)/;
const verbs =
  /^(?:\s|;|\(|--[^\n]*\n|\/\*(?:(?!\*\/)[\s\S])*\*\/)*(?:select|insert|update|delete|merge|with|values|table|create|alter|drop|truncate|grant|revoke|copy|call|do|exec(?:ute)?|explain|analyze|vacuum|set|reset|show|begin|start|commit|rollback|prepare|lock|refresh|comment|replace|load|attach|pragma|use|declare)\b/i;

/** Checks whether text begins with a SQL word. */
export const looksLikeSql = (text: string): boolean => verbs.test(text);

export function sqlTextsOf(call: ToolCall): SqlTexts {
  const tool = foldCase(call.tool).trim();
  const operation = tool.slice(tool.search(/[^._/:-]*$/));
  return foldCase(call.protocol).trim() === 'sql' ? ofSqlCall(call, operation) : ofOtherCall(call, tool, operation);
}

function ofSqlCall(call: ToolCall, operation: string): SqlTexts {
  const given = keysIn(call).flatMap((key) => textsAt(call.parameters, key));
  const texts = given.map((text) => ({ text, certain: true }));
  const carrier = runners.test(operation);
  const base = { carrier, dialect: 'postgresql' as const };
  // A plain name in the target names the database; anything else is SQL text, or part of it.
  const targetIsText = runsText.test(operation) && given.length === 0 ? true : !plainTarget.test(call.target);
  if (targetIsText && call.target.trim() !== '') texts.push({ text: call.target, certain: true });
  if (texts.length === 0 && runsText.test(operation))
    return { ...base, texts, unclear: `the call carries no SQL in ${textKeys.slice(0, 6).join(', ')} or target` };
  return { ...base, texts };
}

/** Names with dots, quoted or not, as well as hosts, ports, ARNs and connection URLs of the database. */
const plainTarget = /^(?:[\p{L}\p{N}_$.:/@%+=?&~-]|"(?:[^"]|"")*")*$/u;

/**
 * Reads any other call. A database's own runner (`postgres.query`, `execute_sql`) is a carrier; any other tool may do
 * more than its text shows.
 */
function ofOtherCall(call: ToolCall, tool: string, operation: string): SqlTexts {
  const speaksSql = databases.test(tool) || /sql/.test(tool);
  const dialect = postgres.test(tool) ? 'postgresql' : 'unknown';
  const generic = runners.test(operation);
  const texts = keysIn(call).flatMap((key) => {
    const named = /^sql/i.test(key);
    if (!named && !speaksSql && !generic) return [];
    return textsAt(call.parameters, key).map((text) => ({
      text,
      certain: named || (speaksSql && generic) || queryReaders.test(tool) || looksLikeSql(text),
    }));
  });
  const known = new Set(texts.map(({ text }) => text));
  const others = statementsIn(call.tool, call.parameters).filter(({ text }) => !known.has(text));
  const carrier = speaksSql && generic && others.length === 0;
  const unclear = carrier && texts.length > 0 ? otherQueryParameter(call, textKeys) : undefined;
  return { texts: [...texts, ...others], carrier, dialect, ...(unclear !== undefined && { unclear }) };
}

const keysIn = ({ parameters }: ToolCall): readonly string[] =>
  textKeys.filter((key) => Object.hasOwn(parameters, key));

/** Returns the string under a key, or the strings of a list: `['…']`, `[{ sql: '…' }]`. */
function textsAt(parameters: Readonly<Record<string, unknown>>, key: string): string[] {
  const value = parameters[key];
  if (typeof value === 'string') return value.trim() === '' ? [] : [value];
  if (value === null || typeof value !== 'object') return [];
  const items: readonly unknown[] = Array.isArray(value) ? value : [value];
  return items.flatMap((item) => {
    if (typeof item === 'string') return [item];
    if (item === null || typeof item !== 'object' || Array.isArray(item)) return [];
    return textKeys.flatMap((inner) => {
      const text = Object.hasOwn(item, inner) ? (item as Record<string, unknown>)[inner] : undefined;
      return typeof text === 'string' ? [text] : [];
    });
  });
}
