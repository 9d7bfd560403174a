/**
 * Detects changes in query languages that the gateway does not parse: graph languages (Cypher, Gremlin, SPARQL, AQL)
 * and time series languages (Flux, KQL).
 */
import { wordSet } from '#core/kernel/word-set.ts';

/** Words in tool and argument names that refer to such a language or to a store that uses one. */
const languages = wordSet(`
  aql arangodb cypher falkordb flux gql gremlin janusgraph kql kusto kuzu memgraph neo4j neptune nodes relationships sparql stardog tinkerpop
  traversal triples`);
const queryKeys = wordSet('code query queries script statement statements text traversal');

/**
 * Clauses and steps that write or run something. A property (`n.set`), label (`:Set`) or parameter (`$set`) of the same
 * name does not match.
 */
const changing =
  /(?<![.:\w$])(?:create|merge|set|delete|detach|remove|drop|call|load|foreach|insert|upsert|replace|update|clear|copy|move|add|alter|grant|deny|revoke|start|stop|terminate)(?![\w(]*\s*:)\b|\.(?:addv|adde|drop|property|mergev|mergee|io|program|call|sideeffect)\s*\(|\|>\s*(?:\w+\.)?(?:to|delete|post)\s*\(|\bservice\s+(?:silent\s+)?[<?]|^\s*\.\w/im;

export function changesStore(tool: readonly string[], key: readonly string[], value: string): boolean {
  const last = key.at(-1) ?? '';
  const named = key.some((word) => languages.has(word));
  if (!named && !(queryKeys.has(last) && rejoinNeo4j(tool).some((word) => languages.has(word)))) return false;
  return changing.test(withoutLiterals(value));
}

/** Rejoins `neo4j`, which was split at its digit. */
const rejoinNeo4j = (words: readonly string[]): readonly string[] =>
  words
    .join(' ')
    .replace(/(?<=^| )neo 4 j(?= |$)/g, 'neo4j')
    .split(' ');

const closing: Readonly<Record<string, string>> = { "'": "'", '"': '"', '`': '`', '//': '\n', '/*': '*/' };

/** Removes comments and quoted text, unless they are unclosed. Reads each character only once. */
function withoutLiterals(text: string): string {
  let bare = '';
  let from = 0;
  for (const { 0: opening, index } of text.matchAll(/['"`]|\/[/*]/g)) {
    if (index < from) continue;
    const end = endOf(text, closing[opening]!, index + opening.length);
    if (end < 0) break;
    bare += `${text.slice(from, index)} `;
    from = end;
  }
  return bare + text.slice(from);
}

/** Returns the index after the end of a literal, or -1 if it is not closed. Within quotes, a backslash is an escape. */
function endOf(text: string, end: string, start: number): number {
  for (let at = text.indexOf(end, start); at >= 0; at = text.indexOf(end, at + 1)) {
    let slashes = 0;
    while (at - slashes > start && text[at - slashes - 1] === '\\') slashes++;
    if ((end !== "'" && end !== '"') || slashes % 2 === 0) return at + end.length;
  }
  return -1;
}
