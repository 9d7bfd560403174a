/**
 * Effects of a SQL call. PostgreSQL's own grammar parses its text into operations per table. Text that the grammar
 * rejects (MySQL, T-SQL, garbage) or that another database would parse differently is reported as unclear; its meaning
 * is never guessed.
 */
import type { ToolCall } from '#core/contracts/envelope.ts';
import { foldCase } from '#core/text/matching/fold-unicode.ts';
import type { EffectReader, Effects } from './ports.ts';
import { dialectDoubts, relationDoubt } from './sql/dialects.ts';
import { fragmentsOf } from './sql/fragments.ts';
import type { Operation } from './sql/operation.ts';
import { readStatements, type SqlReading } from './sql/read-statements.ts';
import { fallbackOperation } from './sql/refused.ts';
import { structuredCall } from './sql/structured.ts';
import { sqlTextsOf } from './sql/texts.ts';

/** Parser of SQL text. Throws if the grammar rejects the text. */
export type SqlParse = (sql: string) => unknown;

/**
 * Limit on the total size of the SQL text in a call. Ten times as much may take a second to parse, and queries are
 * usually a few kilobytes long.
 */
const maxSqlBytes = 64 * 1024;
const maxParts = 1000;
/** Maximum number of SQL strings, since each one requires a separate run of the parser. */
const maxTexts = 500;

/** Reads calls of protocol `sql`, and MCP tools that take SQL. Never throws. */
export const sqlEffects =
  (parse: SqlParse): EffectReader =>
  (call) => {
    try {
      return effectsOf(parse, call);
    } catch (thrown) {
      return { parts: [], carrier: false, unclear: `the SQL could not be read: ${reasonOf(thrown)}` };
    }
  };

/** Checks whether the call needs the grammar, which is loaded only if it does. */
export function carriesSql(call: ToolCall): boolean {
  try {
    return sqlTextsOf(call).texts.length > 0 || (isSql(call) && fragmentsOf(call).length > 0);
  } catch {
    return true;
  }
}

function effectsOf(parse: SqlParse, call: ToolCall): Effects {
  const { texts, carrier, dialect, unclear: odd } = sqlTextsOf(call);
  if (texts.length === 0) {
    if (odd !== undefined) return { parts: [], carrier: false, unclear: odd };
    return isSql(call) ? ofStructured(parse, call) : { parts: [], carrier: false };
  }
  const unclear = new Set<string>(odd === undefined ? [] : [odd]);
  let refused = false;
  const operations: Operation[] = [];
  let left = maxSqlBytes;
  if (texts.length > maxTexts) unclear.add(`the call contains more than ${maxTexts} SQL strings`);
  for (const { text, certain } of texts.slice(0, maxTexts)) {
    const reading = readText(parse, text, left);
    left -= Buffer.byteLength(text);
    // A parameter that may be SQL but does not parse is treated as other text.
    if (!certain && reading.refused) continue;
    refused ||= reading.refused;
    operations.push(...reading.operations);
    for (const reason of reading.unclear) unclear.add(reason);
    for (const reason of dialectDoubts(text, dialect)) unclear.add(reason);
    for (const { target } of reading.operations) {
      const reason = relationDoubt(target, dialect);
      if (reason !== undefined) unclear.add(reason);
    }
  }
  const all = distinctOperations(operations);
  if (all.length > maxParts) unclear.add(`the text contains more than ${maxParts} operations`);
  const parts = all.slice(0, maxParts).map(partOf);
  return {
    parts,
    // If the text was not parsed, the decision is made on the call itself, and the policy's default applies.
    carrier: carrier && parts.length > 0 && !refused,
    ...(unclear.size > 0 && { unclear: [...unclear].slice(0, 5).join('; ') }),
  };
}

const isSql = ({ protocol }: ToolCall): boolean => foldCase(protocol).trim() === 'sql';

/** Returns the effects of a call without a statement, including those of SQL fragments in its parameters. */
function ofStructured(parse: SqlParse, call: ToolCall): Effects {
  const unclear = new Set<string>();
  let left = maxSqlBytes;
  const fragments = fragmentsOf(call);
  if (fragments.length > maxTexts) unclear.add(`the call contains more than ${maxTexts} SQL fragments`);
  const operations = fragments.slice(0, maxTexts).flatMap(({ text, certain }) => {
    const reading = readText(parse, text, left);
    left -= Buffer.byteLength(text);
    if (reading.refused && !certain) return [];
    for (const reason of reading.unclear) unclear.add(reason);
    return reading.operations.filter(({ verb, target }) => verb !== 'select' || (target !== '' && target !== 't'));
  });
  return {
    parts: [...structuredCall(call), ...distinctOperations(operations).slice(0, maxParts).map(partOf)],
    carrier: false,
    ...(unclear.size > 0 && { unclear: [...unclear].slice(0, 5).join('; ') }),
  };
}

interface TextReading extends SqlReading {
  /** Whether the text could not be parsed as SQL. If so, `unclear` states why. */
  readonly refused: boolean;
}

/** @param left the number of bytes of the call that may still be parsed. */
function readText(parse: SqlParse, text: string, left: number): TextReading {
  if (Buffer.byteLength(text) > left)
    return refusedReading(text, `the SQL of the call is longer than ${maxSqlBytes} bytes`);
  // The grammar parses C strings and would ignore any text after a NUL.
  if (text.includes('\0')) return refusedReading(text, 'a SQL text holds a NUL');
  if (!text.isWellFormed()) return refusedReading(text, 'a SQL string is not well-formed Unicode');
  if (nesting(text) > maxNesting)
    return refusedReading(text, `a SQL string nests parentheses more than ${maxNesting} levels deep`);
  if (operatorRun(text) > maxOperatorRun)
    return refusedReading(text, 'a SQL string contains a long run of operator characters');
  let tree: unknown;
  try {
    tree = parse(text);
  } catch (thrown) {
    return refusedReading(text, `PostgreSQL's grammar rejects the text: ${reasonOf(thrown)}`);
  }
  return { ...readStatements(tree), refused: false };
}

/** Maximum nesting depth, far below the depth that exhausts the grammar's stack. */
const maxNesting = 250;

/** Returns the nesting depth of parentheses and brackets, including those in quotes. */
function nesting(text: string): number {
  let deepest = 0;
  let depth = 0;
  for (const [bracket] of text.matchAll(/[()[\]]/g)) {
    depth = bracket === '(' || bracket === '[' ? depth + 1 : Math.max(0, depth - 1);
    deepest = Math.max(deepest, depth);
  }
  return deepest;
}

/**
 * Maximum length of a run of operator characters. PostgreSQL's scanner rescans the whole run for each comment that
 * begins in it.
 */
const maxOperatorRun = 1000;

/** Returns the length of the longest run of operator characters. */
function operatorRun(text: string): number {
  let longest = 0;
  for (let at = 0, start = 0; at <= text.length; at++) {
    if (at < text.length && '~!@#^&|`?+-*/%<>='.includes(text[at]!)) continue;
    longest = Math.max(longest, at - start);
    start = at + 1;
  }
  return longest;
}

const refusedReading = (text: string, why: string): TextReading => ({
  operations: fallbackOperation(text),
  unclear: [why],
  refused: true,
});

const partOf = ({ verb, target, capability, parameters }: Operation): ToolCall => ({
  protocol: 'sql',
  tool: `sql.${verb}`,
  target,
  capability,
  parameters,
});

/** Removes duplicates and puts the most severe operations first, so that a long text does not crowd them out. */
function distinctOperations(operations: readonly Operation[]): Operation[] {
  const seen = new Map<string, Operation>();
  for (const each of operations) {
    const key = JSON.stringify([each.verb, each.target, each.capability, each.parameters]);
    if (!seen.has(key)) seen.set(key, each);
  }
  const all = [...seen.values()];
  return all.length > maxParts ? all.sort((a, b) => gravity[b.capability] - gravity[a.capability]) : all;
}

const gravity = { read: 0, write: 1, execute: 2, delete: 3 } as const;

const reasonOf = (thrown: unknown): string => (thrown instanceof Error ? thrown.message : String(thrown)).slice(0, 200);
