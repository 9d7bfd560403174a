/** Normalises calls for matching: names, paths, hosts and Unicode. */
import type { ToolCall } from '#core/contracts/envelope.ts';
import { canonicalText, plainReading, type Reading } from '#core/text/matching/canonical-text.ts';
import { foldCase } from '#core/text/matching/fold-unicode.ts';

/** One reading of a call. `parameters` are left unchanged; the `text` function normalises a string parameter. */
export interface NormalCall extends ToolCall {
  /** Empty if no upstream is known. Only patterns that match everything match an empty upstream. */
  readonly upstream: string;
  readonly text: (raw: string) => string;
}

/** Returns the standard reading, with look-alikes folded, escapes decoded and paths resolved. */
export const normaliseCall = (call: ToolCall): NormalCall => readAs(call, plainReading);

/**
 * Returns every reading of a call that a tool may use, usually just one. A policy evaluates each of them, and the worst
 * decision counts: one reading is enough to block, but all must agree to allow.
 */
export function readingsOf(call: ToolCall, withParameters: boolean): NormalCall[] {
  refuseWhatIsNoText(call);
  const marks = marksOf(call, withParameters);
  if (!marks) return [normaliseCall(call)];
  const modes = modesFor(marks);
  const calls = modes.map((mode) => readAs(call, mode));
  // Parameters also differ between readings, so only calls without them can be compared cheaply.
  return withParameters ? calls : distinctCalls(calls);
}

/** Checks types at run time, because a policy must not rely on the declared ones. */
function refuseWhatIsNoText(call: ToolCall): void {
  for (const field of ['protocol', 'tool', 'target', 'capability'] as const) {
    if (typeof call[field] !== 'string') throw new TypeError(`${field} is not a string`);
  }
  if (call.upstream !== undefined && typeof call.upstream !== 'string') throw new TypeError('upstream is not a string');
}

function readAs(call: ToolCall, reading: Reading): NormalCall {
  const protocol = normalName(call.protocol, reading);
  const target = canonicalText(call.target, reading);
  return {
    protocol,
    tool: normalName(call.tool, reading),
    // Look-alikes in names from the configuration do not need to be folded.
    upstream: (call.upstream ?? '').toLowerCase(),
    target: protocol === 'http' ? foldBareHost(target) : target,
    capability: normalName(call.capability, reading),
    parameters: call.parameters,
    sent_with: call.sent_with,
    sources: call.sources,
    assumed: call.assumed,
    withheld: call.withheld,
    names_only: call.names_only,
    text: remember((raw) => canonicalText(raw, reading)),
  };
}

const normalName = (name: string, { unicode }: Reading): string =>
  unicode === 'fold' ? foldCase(name).trim() : name.normalize('NFC').toLowerCase().trim();

const bareHost = /^[a-z0-9-]+(?:\.[a-z0-9-]+)+(?::\d+)?(?=\/|$)/i;
const foldBareHost = (target: string): string => target.replace(bareHost, (host) => host.toLowerCase());

/** Caches normal forms, because several rules often read the same parameter. */
function remember(normal: (raw: string) => string): (raw: string) => string {
  let seen: Map<string, string> | undefined;
  return (raw) => {
    seen ??= new Map();
    const known = seen.get(raw);
    if (known !== undefined) return known;
    const text = normal(raw);
    seen.set(raw, text);
    return text;
  };
}

interface Marks {
  unicode: boolean;
  backslash: boolean;
  percent: boolean;
  /** True if `..` occurs in text with blanks, which may be one path or a command line. */
  blanks: boolean;
  /** True if `..` follows characters that are unusual in folder names. */
  dotDot: boolean;
  /** Total length of the ambiguous strings, in UTF-16 units. */
  length: number;
}

const ambiguous = /[\u0080-\uffff]|\\|%[0-9a-f]{2}|\/\.\./i;
const outsideAscii = /[\u0080-\uffff]/;

function marksOf(call: ToolCall, withParameters: boolean): Marks | undefined {
  let marks: Marks | undefined;
  const look = (text: string): void => {
    if (ambiguous.test(text)) marks = markText(text, marks);
  };
  look(call.protocol);
  look(call.tool);
  look(call.target);
  look(call.capability);
  if (withParameters) forEachText([call.parameters, call.sent_with], look);
  return marks;
}

function markText(text: string, before: Marks | undefined): Marks {
  const hidden = /\\|%[0-9a-f]{2}/i.test(text);
  const climbs = hidden || /\/\.\./.test(text) || outsideAscii.test(text);
  return {
    unicode: before?.unicode || outsideAscii.test(text) || /%[89a-f][0-9a-f]/i.test(text),
    backslash: before?.backslash || /\\|%(?:25)*5c/i.test(text) || outsideAscii.test(text),
    percent: before?.percent || /%[0-9a-f]{2}/i.test(text),
    blanks: before?.blanks || (climbs && /\s|%(?:25)*(?:20|09|0a|0d)/i.test(text)),
    length: (before?.length ?? 0) + text.length,
    dotDot: before?.dotDot || (climbs && /[=:;|&<>(){}'"`$@,]|(?:^|[\s/])-/.test(text)),
  };
}

const others: Reading = { unicode: 'asis', backslash: '', percent: 'drop', blanks: 'whole', dotDot: 'keep' };
const manyReadings = 8 * 1024;

/**
 * Returns every combination of answers to the open questions. Because this would take seconds for long text, there each
 * question is varied on its own, and then all of them together.
 */
function modesFor(marks: Marks): Reading[] {
  const open = (Object.keys(others) as (keyof Reading)[]).filter((question) => marks[question]);
  const answer = (reading: Reading, question: keyof Reading): Reading => ({ ...reading, [question]: others[question] });
  if (marks.length > manyReadings)
    return [plainReading, ...open.map((question) => answer(plainReading, question)), open.reduce(answer, plainReading)];
  return open.reduce<Reading[]>(
    (readings, question) => readings.concat(readings.map((reading) => answer(reading, question))),
    [plainReading],
  );
}

function distinctCalls(calls: readonly NormalCall[]): NormalCall[] {
  const seen = new Map<string, NormalCall>();
  for (const call of calls) {
    const key = JSON.stringify([call.protocol, call.tool, call.target, call.capability]);
    if (!seen.has(key)) seen.set(key, call);
  }
  return [...seen.values()];
}

/** Visits every string in a value, including keys, because a key may be a file name. */
export function forEachText(value: unknown, visit: (text: string) => void): void {
  if (typeof value === 'string') visit(value);
  else if (Array.isArray(value)) for (const item of value) forEachText(item, visit);
  else if (value !== null && typeof value === 'object') {
    for (const key of Object.keys(value)) {
      visit(key);
      forEachText((value as Record<string, unknown>)[key], visit);
    }
  }
}
