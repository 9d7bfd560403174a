/** Globs on model names: as everywhere, but `*` and `?` also match `/`, since names such as `meta/llama-3` are not paths. */
import { RecentMap } from '#core/kernel/recent-map.ts';
import { Automaton } from '#core/text/matching/automaton.ts';
import { everyChar, noSlash } from '#core/text/matching/char-set.ts';
import { foldCase } from '#core/text/matching/fold-unicode.ts';
import { type GlobNode, parseGlob } from '#core/text/matching/glob-syntax.ts';

/** Whether a model's name matches a pattern; case is folded on both sides. */
export type ModelGlob = (model: string) => boolean;

/** @throws GatewayError `invalid_request` for a malformed pattern. */
export function modelGlob(pattern: string): ModelGlob {
  const nodes = parseGlob(pattern, foldCase).map(widened);
  const [first, second, ...rest] = nodes;
  if (first?.kind === 'literal' && second === undefined) return (model) => foldCase(model) === first.text;
  if (first && isAnything(first) && second === undefined) return () => true;
  if (first?.kind === 'literal' && second && isAnything(second) && rest.length === 0)
    return (model) => foldCase(model).startsWith(first.text);
  const automaton = new Automaton(nodes);
  return (model) => automaton.matches(foldCase(model));
}

/** More patterns than a configuration has. */
const maxCompiled = 1_000;
const compiled = new RecentMap<string, ModelGlob>({ max: maxCompiled });

/**
 * The same for patterns that stand by themselves; each is compiled once.
 * @throws GatewayError `invalid_request` for a malformed pattern.
 */
export const modelMatches = (pattern: string, model: string): boolean =>
  compiled.getOrInsertComputed(pattern, modelGlob)(model);

function widened(node: GlobNode): GlobNode {
  if (node.kind === 'either') return { ...node, branches: node.branches.map((branch) => branch.map(widened)) };
  return 'set' in node && node.set === noSlash ? { ...node, set: everyChar } : node;
}

const isAnything = (node: GlobNode) => node.kind === 'many' && node.set === everyChar;
