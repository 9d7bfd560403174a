/** Globs ready to match: plain texts, prefixes and the rest as automata. */
import { RecentMap } from '#core/kernel/recent-map.ts';
import { inAnyCase } from './any-case.ts';
import { Automaton, type Walker } from './automaton.ts';
import { normalPattern } from './canonical-pattern.ts';
import { decodePercent } from './canonical-text.ts';
import { everyChar, noSlash } from './char-set.ts';
import { foldCase, foldUnicode } from './fold-unicode.ts';
import { type GlobNode, parseGlob } from './glob-syntax.ts';
import { isRelative, relativeWalker } from './relative-path.ts';

/**
 * `name`: protocols, tools, capabilities, hosts; case is folded. `text`: targets and parameters; case counts. `any-case`: a
 * text whose case does not count.
 */
export type GlobKind = 'name' | 'text' | 'any-case';

export interface Glob {
  /** As written in the rule. */
  readonly source: string;
  /** Every text it matches begins so. */
  readonly prefix: string;
  /** The one text it matches, if it is only one. */
  readonly literal: string | undefined;
  readonly nodes: readonly GlobNode[];
  /** Its automaton, where the nodes do not say it all. */
  readonly walker?: () => Walker;
  /** Expects a text in normal form. */
  readonly matches: (text: string) => boolean;
}

/** Empty and a lone `*` match everything, also across separators: such a field is not a condition at all. */
export const matchesAll = (pattern: string | undefined): boolean =>
  pattern === undefined || pattern === '' || pattern === '*';

/** @throws GatewayError `invalid_request` for a malformed pattern. */
export function compileGlob(pattern: string, kind: GlobKind): Glob {
  const nodes = matchesAll(pattern) ? [everything] : nodesOf(pattern, kind);
  const [first, ...rest] = nodes;
  const prefix = first?.kind === 'literal' ? first.text : '';
  const literal = rest.length === 0 && first?.kind === 'literal' ? prefix : undefined;
  const matches = matcherOf(nodes, prefix, literal);
  const source = kind === 'any-case' ? `${pattern} (in any case)` : pattern;
  const glob = { source, prefix, literal, nodes, matches };
  if (kind === 'name' || literal !== undefined || !/^\s*\.\//.test(pattern)) return glob;
  return { ...glob, walker: () => relativeWalker(nodes), matches: (text) => isRelative(text) && matches(text) };
}

/** Matches one text, already in normal form. */
export const literalGlob = (text: string): Glob => ({
  source: `=${text}`,
  prefix: text,
  literal: text,
  nodes: [{ kind: 'literal', text }],
  matches: (other) => other === text,
});

/** Whether a name matches a pattern, both folded in case: for tools, models and grants. */
export const globMatches = (pattern: string, text: string): boolean => compileCached(pattern).matches(foldCase(text));

const everything: GlobNode = { kind: 'many', set: everyChar };

function nodesOf(pattern: string, kind: GlobKind): GlobNode[] {
  if (kind === 'name') return parseGlob(pattern, foldCase);
  const nodes = parseGlob(normalPattern(pattern), (literal) => foldUnicode(decodePercent(foldUnicode(literal))));
  return kind === 'any-case' ? nodes.flatMap(inAnyCase) : nodes;
}

/** The shapes most rules have need no automaton. */
function matcherOf(nodes: readonly GlobNode[], prefix: string, literal: string | undefined): Glob['matches'] {
  if (literal !== undefined) return (text) => text === literal;
  const tail = prefix === '' ? nodes : nodes.slice(1);
  if (tail.length === 1 && tail[0]!.kind === 'many') {
    if (tail[0]!.set === everyChar) return (text) => text.startsWith(prefix);
    if (tail[0]!.set === noSlash) return (text) => text.startsWith(prefix) && !text.includes('/', prefix.length);
  }
  let automaton: Automaton | undefined;
  return (text) => {
    if (!text.startsWith(prefix)) return false;
    automaton ??= new Automaton(nodes);
    return automaton.matches(text);
  };
}

/** A fresh automaton of a glob, for the analysis. */
export const walkerOf = (glob: Glob): Walker => glob.walker?.() ?? new Automaton(glob.nodes);

const cache = new RecentMap<string, Glob>({ max: 1000 });

const compileCached = (pattern: string): Glob => cache.getOrInsertComputed(pattern, () => compileGlob(pattern, 'name'));
