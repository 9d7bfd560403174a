/**
 * Notes on the sources behind a decision, for evidence and reviewers: labels and ids, never a value [provenance.rules].
 */

import type { ToolCall } from '#core/contracts/envelope.ts';
import { type SourceNote, sourceKey, trusted, unknown, type ValueSource } from '#core/contracts/provenance.ts';
import { holdsInCall } from '#core/policy/rules/argument-path.ts';
import type { CompiledArgument, CompiledPolicy } from '#core/policy/rules/compile.ts';
import { readingsOf } from '#core/policy/rules/normalise.ts';
import { isPlace } from '#core/policy/rules/parameter-places.ts';

const maxNotes = 16;

/** Returns the sources of each argument checked by a rule for this tool. */
export function sourceNotes(policy: CompiledPolicy, call: ToolCall): SourceNote[] {
  const notes = new Map<string, SourceNote>();
  const [reading] = readingsOf(call, false);
  for (const each of [policy, ...(policy.levels ?? [])])
    for (const rule of each.index.candidates(reading!.protocol, reading!.tool))
      for (const argument of rule.arguments)
        if (argument.predicate.origin)
          for (const note of notesOf(argument, call))
            if (notes.size < maxNotes && !notes.has(note.argument)) notes.set(note.argument, note);
  return [...notes.values()];
}

/**
 * Returns the notes on one argument. If the argument may be anywhere in the call, notes each string under its own name,
 * except the person's own text.
 */
function notesOf({ path }: CompiledArgument, call: ToolCall): SourceNote[] {
  const of = (value: unknown): ValueSource | undefined => call.sources?.[sourceKey(value)];
  const { anywhere } = path;
  if (anywhere !== undefined)
    return leavesOf([call.parameters, call.sent_with])
      .filter(({ value, name }) => typeof value === 'string' && isPlace(anywhere, name))
      .flatMap(({ value, at }) => {
        const source = of(value);
        const isKnown = anywhere === 'not-text' || source?.from !== undefined || (source?.parts.length ?? 0) > 0;
        return source && isKnown && !source.whole.includes(trusted) ? [noteOf(at, [source])] : [];
      });
  const sources: ValueSource[] = [];
  holdsInCall(path, call, (value) => {
    for (const leaf of leavesOf([value])) {
      const named = of(leaf.name);
      sources.push(
        ...[of(leaf.value), named?.whole.length ? named : undefined].filter((source) => source !== undefined),
      );
    }
    return path.quantifier === 'every';
  });
  return sources.length === 0 ? [] : [noteOf(path.source, sources)];
}

function noteOf(argument: string, sources: readonly ValueSource[]): SourceNote {
  const distinct = (values: readonly (string | undefined)[]) =>
    [...new Set(values.filter((value) => value !== undefined))].slice(0, maxNotes);
  // A value that the person stated in full needs no other source.
  const foreign = sources.filter(({ whole }) => !whole.includes(trusted));
  const whole = distinct(sources.flatMap((source) => (source.whole.includes(trusted) ? [trusted] : source.whole)));
  const parts = distinct(foreign.flatMap((source) => source.parts));
  const from = foreign.flatMap((source) => source.from ?? []);
  const actions = distinct(from.map(({ action }) => action));
  const where = distinct(from.map((origin) => origin.where));
  return {
    argument,
    whole,
    ...(parts.length > 0 && { parts }),
    ...(actions.length > 0 && { actions }),
    ...(where.length > 0 && { where }),
  };
}

interface Leaf {
  readonly value: unknown;
  /** Name of the member; list elements have the name of their list. */
  readonly name: string;
  readonly at: string;
}

const maxLevels = 64;
const maxLeaves = 256;

function leavesOf(roots: readonly unknown[]): Leaf[] {
  const leaves: Leaf[] = [];
  const walk = (value: unknown, name: string, at: string, level: number): void => {
    if (value === undefined || value === '' || leaves.length >= maxLeaves || level > maxLevels) return;
    if (value === null || typeof value !== 'object') {
      leaves.push({ value, name, at });
      return;
    }
    for (const [key, item] of Object.entries(value)) {
      if (Array.isArray(value)) walk(item, name, `${at}[${key}]`, level + 1);
      else walk(item, key, at === '' ? safeName(key) : `${at}.${safeName(key)}`, level + 1);
    }
  };
  for (const root of roots) walk(root, '', '', 0);
  return leaves;
}

/** Returns a member name for display. Names come from the caller, so only plain ones are shown. */
const safeName = (key: string): string => (/^[A-Za-z_][A-Za-z0-9_-]{0,31}$/.test(key) ? key : '*');

/**
 * Describes notes, one line per argument: «`to` comes from the result of mail.read (message 4), not from the request.»
 */
export const sourcesInWords = (notes: readonly SourceNote[]): string[] => notes.map(inWords);

function inWords({ argument, whole, parts = [], actions = [], where = [] }: SourceNote): string {
  const tools = toolsOf(whole);
  const at = [...where, ...actions.map((id) => `action ${id}`)].join(', ');
  const place = at === '' ? '' : ` (${at})`;
  if (whole.every((label) => label === trusted)) return `${argument} is in the request.`;
  if (tools.length > 0) return `${argument} comes from ${results(tools)}${place}, not from the request.`;
  if (whole.every((label) => label === unknown || label === trusted)) {
    const links = parts.filter((label) => label.startsWith('address:') && label !== `address:${unknown}`);
    if (links.length > 0)
      return `${argument} contains an address from ${results(links.map((label) => label.slice('address:'.length)))}${place}, not from the request.`;
    if (parts.includes(`address:${unknown}`)) return `${argument} contains an address that is ${nowhere}.`;
    const partly = toolsOf(parts);
    if (partly.length > 0)
      return `A part of ${argument} comes from ${results(partly)}${place}; the whole value is in nothing this session has seen.`;
    return `${argument} stands ${nowhere}.`;
  }
  return `${argument} comes from ${whole.join(', ')}.`;
}

const nowhere = 'neither in the request nor in a result this session has seen';

const toolsOf = (labels: readonly string[]): string[] =>
  labels.filter((label) => label.startsWith('tool:')).map((label) => label.slice(5));

const results = (tools: readonly string[]): string =>
  tools.length === 1 ? `the result of ${tools[0]}` : `results of ${tools.join(', ')}`;
