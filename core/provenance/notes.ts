/** What a decision says of sources, for evidence and the person who decides: labels and ids, never a value [provenance.reasons]. */

import type { ToolCall } from '#core/contracts/envelope.ts';
import { type SourceNote, sourceKey, trusted, unknown, type ValueSource } from '#core/contracts/provenance.ts';
import { holdsInCall } from '#core/tool-policy/argument-path.ts';
import type { CompiledArgument, CompiledPolicy } from '#core/tool-policy/compile.ts';
import { readingsOf } from '#core/tool-policy/normalise.ts';

const mostNotes = 16;

/** Of each argument that a rule for this tool asks the source of: where its values come from. */
export function sourceNotes(policy: CompiledPolicy, call: ToolCall): SourceNote[] {
  const notes = new Map<string, SourceNote>();
  const [reading] = readingsOf(call, false);
  for (const each of [policy, ...(policy.levels ?? [])])
    for (const rule of each.index.candidates(reading!.protocol, reading!.tool))
      for (const argument of rule.arguments)
        if (argument.predicate.origin && !notes.has(argument.path.source) && notes.size < mostNotes) {
          const note = noteOf(argument, call);
          if (note) notes.set(argument.path.source, note);
        }
  return [...notes.values()];
}

function noteOf({ path }: CompiledArgument, call: ToolCall): SourceNote | undefined {
  const sources: ValueSource[] = [];
  holdsInCall(path, call, (value) => {
    for (const leaf of leavesOf(value)) {
      const found = call.sources?.[sourceKey(leaf)];
      if (found) sources.push(found);
    }
    return path.quantifier === 'every';
  });
  // Under "anywhere" most values come from nothing in particular.
  const told = path.anywhere ? sources.filter(({ from }) => from !== undefined) : sources;
  if (told.length === 0) return undefined;
  const distinct = (values: readonly (string | undefined)[]) =>
    [...new Set(values.filter((value) => value !== undefined))].slice(0, mostNotes);
  // What the person said in full needs no other source.
  const foreign = told.filter(({ whole }) => !whole.includes(trusted));
  const whole = distinct(told.flatMap((source) => (source.whole.includes(trusted) ? [trusted] : source.whole)));
  const parts = distinct(foreign.flatMap((source) => source.parts));
  const from = foreign.flatMap((source) => source.from ?? []);
  const actions = distinct(from.map(({ action }) => action));
  const where = distinct(from.map((origin) => origin.where));
  return {
    argument: path.source,
    whole,
    ...(parts.length > 0 && { parts }),
    ...(actions.length > 0 && { actions }),
    ...(where.length > 0 && { where }),
  };
}

const leavesOf = (value: unknown): unknown[] =>
  value === undefined || value === ''
    ? []
    : value !== null && typeof value === 'object'
      ? Object.values(value).flatMap(leavesOf)
      : [value];

/** «`to` comes from the result of mail.read (message 4), not from the request.» One line an argument. */
export const sourcesInWords = (notes: readonly SourceNote[]): string[] => notes.map(inWords);

function inWords({ argument, whole, parts = [], actions = [], where = [] }: SourceNote): string {
  const tools = toolsOf(whole);
  const at = [...where, ...actions.map((id) => `action ${id}`)].join(', ');
  const place = at === '' ? '' : ` (${at})`;
  if (whole.every((label) => label === trusted)) return `${argument} stands in the request.`;
  if (tools.length > 0) return `${argument} comes from ${results(tools)}${place}, not from the request.`;
  if (whole.every((label) => label === unknown || label === trusted)) {
    const partly = toolsOf(parts);
    if (partly.length > 0)
      return `A part of ${argument} comes from ${results(partly)}${place}; the whole stands in nothing this session has seen.`;
    return `${argument} stands neither in the request nor in a result this session has seen.`;
  }
  return `${argument} comes from ${whole.join(', ')}.`;
}

const toolsOf = (labels: readonly string[]): string[] =>
  labels.filter((label) => label.startsWith('tool:')).map((label) => label.slice(5));

const results = (tools: readonly string[]): string =>
  tools.length === 1 ? `the result of ${tools[0]}` : `results of ${tools.join(', ')}`;
