/** Globs on model names. Unlike in paths, `*` and `?` also match `/`, as in `meta/llama-3`. */
import { RecentMap } from '#core/kernel/recent-map.ts';
import { Automaton } from '#core/text/matching/automaton.ts';
import { everyChar, noSlash } from '#core/text/matching/char-set.ts';
import { foldCase } from '#core/text/matching/fold-unicode.ts';
import { type GlobNode, parseGlob } from '#core/text/matching/glob-syntax.ts';

/** Predicate that checks whether a model name matches a pattern, ignoring case. */
export type ModelGlob = (model: string) => boolean;

/** Compiles a pattern. @throws GatewayError `invalid_request` if it is malformed. */
export function modelGlob(pattern: string): ModelGlob {
  const nodes = parseGlob(pattern, foldCase).map(widenNode);
  const [first, second, ...rest] = nodes;
  if (first?.kind === 'literal' && second === undefined) return (model) => foldCase(model) === first.text;
  if (first && isAnything(first) && second === undefined) return () => true;
  if (first?.kind === 'literal' && second && isAnything(second) && rest.length === 0)
    return (model) => foldCase(model).startsWith(first.text);
  const automaton = new Automaton(nodes);
  return (model) => automaton.matches(foldCase(model));
}

/** Maximum number of compiled patterns, more than any configuration has. */
const maxCompiled = 1_000;
const compiled = new RecentMap<string, ModelGlob>({ max: maxCompiled });

/**
 * Checks a name against a single pattern, which is compiled once.
 * @throws GatewayError `invalid_request` for a malformed pattern.
 */
export const modelMatches = (pattern: string, model: string): boolean =>
  compiled.getOrInsertComputed(pattern, modelGlob)(model);

function widenNode(node: GlobNode): GlobNode {
  if (node.kind === 'either') return { ...node, branches: node.branches.map((branch) => branch.map(widenNode)) };
  return 'set' in node && node.set === noSlash ? { ...node, set: everyChar } : node;
}

const isAnything = (node: GlobNode) => node.kind === 'many' && node.set === everyChar;
