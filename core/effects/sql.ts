/**
 * What a SQL call would do: its text read by PostgreSQL's own grammar into operations per table. Texts the
 * grammar refuses (MySQL, T-SQL, garbage) and texts that another database would read otherwise are unclear, never guessed.
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

/** Parses a SQL text; throws for what the grammar refuses. */
export type SqlParse = (sql: string) => unknown;

/** Of all texts of a call: the grammar may need a second for ten times as much, and queries have some kilobytes. */
const maxSqlBytes = 64 * 1024;
const maxParts = 1000;
/** Each is a call of the grammar. */
const maxTexts = 500;

/** Reads calls of protocol `sql`, and MCP tools that carry SQL. Never throws. */
export const sqlEffects =
  (parse: SqlParse): EffectReader =>
  (call) => {
    try {
      return effectsOf(parse, call);
    } catch (thrown) {
      return { parts: [], carrier: false, unclear: `the SQL could not be read: ${reasonOf(thrown)}` };
    }
  };

/** Whether the grammar is needed for the call: it is loaded only then. */
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
  if (texts.length > maxTexts) unclear.add(`the call holds more than ${maxTexts} SQL texts`);
  for (const { text, certain } of texts.slice(0, maxTexts)) {
    const reading = readText(parse, text, left);
    left -= Buffer.byteLength(text);
    // A parameter that only may be SQL and is not: words for something else.
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
  const all = distinct(operations);
  if (all.length > maxParts) unclear.add(`the text holds more than ${maxParts} operations`);
  const parts = all.slice(0, maxParts).map(partOf);
  return {
    parts,
    // What was not read stands for itself, and the policy's default counts.
    carrier: carrier && parts.length > 0 && !refused,
    ...(unclear.size > 0 && { unclear: [...unclear].slice(0, 5).join('; ') }),
  };
}

const isSql = ({ protocol }: ToolCall): boolean => foldCase(protocol).trim() === 'sql';

/** A call without a text, and what the pieces of SQL in its parameters do beside. */
function ofStructured(parse: SqlParse, call: ToolCall): Effects {
  const unclear = new Set<string>();
  let left = maxSqlBytes;
  const fragments = fragmentsOf(call);
  if (fragments.length > maxTexts) unclear.add(`the call holds more than ${maxTexts} pieces of SQL`);
  const operations = fragments.slice(0, maxTexts).flatMap(({ text, certain }) => {
    const reading = readText(parse, text, left);
    left -= Buffer.byteLength(text);
    if (reading.refused && !certain) return [];
    for (const reason of reading.unclear) unclear.add(reason);
    return reading.operations.filter(({ verb, target }) => verb !== 'select' || (target !== '' && target !== 't'));
  });
  return {
    parts: [...structuredCall(call), ...distinct(operations).slice(0, maxParts).map(partOf)],
    carrier: false,
    ...(unclear.size > 0 && { unclear: [...unclear].slice(0, 5).join('; ') }),
  };
}

interface TextReading extends SqlReading {
  /** The text is not SQL that could be read; `unclear` says why. */
  readonly refused: boolean;
}

/** @param left how many bytes of the call may still be read. */
function readText(parse: SqlParse, text: string, left: number): TextReading {
  if (Buffer.byteLength(text) > left) return refuse(text, `the SQL of the call is longer than ${maxSqlBytes} bytes`);
  // The grammar reads C strings: what stands behind a NUL would not be seen.
  if (text.includes('\0')) return refuse(text, 'a SQL text holds a NUL');
  if (!text.isWellFormed()) return refuse(text, 'a SQL text is not well-formed Unicode');
  if (nesting(text) > maxNesting) return refuse(text, `a SQL text nests deeper than ${maxNesting} parentheses`);
  if (operatorRun(text) > maxOperatorRun) return refuse(text, 'a SQL text holds a long run of operator characters');
  let tree: unknown;
  try {
    tree = parse(text);
  } catch (thrown) {
    return refuse(text, `PostgreSQL's grammar refuses the text: ${reasonOf(thrown)}`);
  }
  return { ...readStatements(tree), refused: false };
}

/** The grammar's stack is spent long after this. */
const maxNesting = 250;

/** How deep parentheses and brackets nest, those in quotes included. */
function nesting(text: string): number {
  let deepest = 0;
  let depth = 0;
  for (const [bracket] of text.matchAll(/[()[\]]/g)) {
    depth = bracket === '(' || bracket === '[' ? depth + 1 : Math.max(0, depth - 1);
    deepest = Math.max(deepest, depth);
  }
  return deepest;
}

/** PostgreSQL's scanner looks at the whole run again for each comment that begins in it. */
const maxOperatorRun = 1000;

/** Length of the longest run of characters an operator may be made of. */
function operatorRun(text: string): number {
  let longest = 0;
  for (let at = 0, start = 0; at <= text.length; at++) {
    if (at < text.length && '~!@#^&|`?+-*/%<>='.includes(text[at]!)) continue;
    longest = Math.max(longest, at - start);
    start = at + 1;
  }
  return longest;
}

const refuse = (text: string, why: string): TextReading => ({
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

/** Each operation once, the gravest first, so that a long text cannot push one out. */
function distinct(operations: readonly Operation[]): Operation[] {
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
