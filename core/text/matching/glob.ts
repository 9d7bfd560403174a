/** Compiles globs into matchers: literals, prefixes, and automata for all other patterns. */
import { RecentMap } from '#core/kernel/recent-map.ts';
import { inAnyCase } from './any-case.ts';
import { Automaton, type Walker } from './automaton.ts';
import { decodePercent } from './canonical-text.ts';
import { everyChar, noSlash } from './char-set.ts';
import { foldCase, foldUnicode } from './fold-unicode.ts';
import { type GlobNode, parseGlob } from './glob-syntax.ts';
import { isRelative, relativeWalker } from './relative-path.ts';

/**
 * Kind of values to match. `name`: protocols, tools, capabilities and hosts, with case folded. `text`: targets and
 * parameters, case-sensitive. `any-case`: text, case-insensitive.
 */
export type GlobKind = 'name' | 'text' | 'any-case';

export interface Glob {
  /** The pattern as written in the rule. */
  readonly source: string;
  /** Prefix shared by all matching strings. */
  readonly prefix: string;
  /** The matching string, if there is only one. */
  readonly literal: string | undefined;
  readonly nodes: readonly GlobNode[];
  /** Automaton for the glob, if the nodes alone do not define it. */
  readonly walker?: () => Walker;
  /** Tests a normalised text. */
  readonly matches: (text: string) => boolean;
}

/** Checks for an absent or empty pattern or a lone `*`, which match everything, including separators. */
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

/** Returns a glob that matches one string. The string must already be normalised. */
export const literalGlob = (text: string): Glob => ({
  source: `=${text}`,
  prefix: text,
  literal: text,
  nodes: [{ kind: 'literal', text }],
  matches: (other) => other === text,
});

/** Checks whether the name of a tool, model or grant matches a pattern. Case is ignored. */
export const globMatches = (pattern: string, text: string): boolean => compileCached(pattern).matches(foldCase(text));

const everything: GlobNode = { kind: 'many', set: everyChar };

function nodesOf(pattern: string, kind: GlobKind): GlobNode[] {
  if (kind === 'name') return parseGlob(pattern, foldCase);
  const nodes = parseGlob(normalPattern(pattern), (literal) => foldUnicode(decodePercent(foldUnicode(literal))));
  return kind === 'any-case' ? nodes.flatMap(inAnyCase) : nodes;
}

/** Returns the matcher. Common kinds of patterns do not need an automaton. */
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

/** Returns a new automaton for a glob, for use in the analysis. */
export const walkerOf = (glob: Glob): Walker => glob.walker?.() ?? new Automaton(glob.nodes);

const cache = new RecentMap<string, Glob>({ max: 1000 });

const compileCached = (pattern: string): Glob => cache.getOrInsertComputed(pattern, () => compileGlob(pattern, 'name'));

const url = /^([a-z][a-z0-9+.-]*):\/\/([^/]*)(.*)$/is;
const defaultPorts: ReadonlyMap<string, string> = new Map(
  Object.entries({ http: '80', https: '443', ws: '80', wss: '443', ftp: '21' }),
);

/** Normalises target patterns in the same way as targets, so that `./docs//**` means `docs/**`. */
function normalPattern(pattern: string): string {
  const parts = url.exec(pattern);
  if (!parts) return normalPath(pattern);
  const scheme = parts[1]!.toLowerCase();
  const host = parts[2]!.toLowerCase().replace(new RegExp(`:${defaultPorts.get(scheme) ?? '-'}$`), '');
  // A target always has a path: `https://host` becomes `https://host/`.
  const path = parts[3] === '' && !host.endsWith('**') ? '/' : collapse(parts[3]!);
  return `${scheme}://${host}${path}`;
}

function normalPath(pattern: string): string {
  const collapsed = collapse(pattern).replace(/^(?:\.\/)+(?=.)/, '');
  return collapsed.length > 1 && /[^\\]\/$/.test(collapsed) ? collapsed.slice(0, -1) : collapsed;
}

/** Collapses repeated slashes, except those after a scheme (`https://`). */
const collapse = (path: string): string => path.replace(/\/(?:\.\/)+/g, '/').replace(/(?<!:)\/{2,}/g, '/');
