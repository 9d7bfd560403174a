/** Whether a text in a query language without a grammar here changes something: of graphs (Cypher, Gremlin, SPARQL, AQL) and of series (Flux, KQL). */

const set = (words: string): ReadonlySet<string> => new Set(words.split(/\s+/).filter((word) => word !== ''));

/** Words of tools and of arguments that name such a language or a store that speaks one. */
const languages = set(`
  aql arangodb cypher falkordb flux gql gremlin janusgraph kql kusto kuzu memgraph neo4j neptune nodes relationships sparql stardog tinkerpop
  traversal triples`);
const queryKeys = set('code query queries script statement statements text traversal');

/** Clauses and steps that write or run something. A property (`n.set`), a label (`:Set`) or a parameter (`$set`) of that name does not. */
const changing =
  /(?<![.:\w$])(?:create|merge|set|delete|detach|remove|drop|call|load|foreach|insert|upsert|replace|update|clear|copy|move|add|alter|grant|deny|revoke|start|stop|terminate)(?![\w(]*\s*:)\b|\.(?:addv|adde|drop|property|mergev|mergee|io|program|call|sideeffect)\s*\(|\|>\s*(?:\w+\.)?(?:to|delete|post)\s*\(|\bservice\s+(?:silent\s+)?[<?]|^\s*\.\w/im;

export function changesStore(tool: readonly string[], key: readonly string[], value: string): boolean {
  const last = key.at(-1) ?? '';
  const named = key.some((word) => languages.has(word));
  if (!named && !(queryKeys.has(last) && joined(tool).some((word) => languages.has(word)))) return false;
  return changing.test(withoutLiterals(value));
}

/** `neo4j` is parted at its digit. */
const joined = (words: readonly string[]): readonly string[] =>
  words
    .join(' ')
    .replace(/(?<=^| )neo 4 j(?= |$)/g, 'neo4j')
    .split(' ');

const closing: Readonly<Record<string, string>> = { "'": "'", '"': '"', '`': '`', '//': '\n', '/*': '*/' };

/** Without texts in quotes and comments; what is not closed stays. Each character is looked at once. */
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

/** Behind the end of a literal; negative where it has none. Backslashes escape within quotes. */
function endOf(text: string, end: string, start: number): number {
  for (let at = text.indexOf(end, start); at >= 0; at = text.indexOf(end, at + 1)) {
    let slashes = 0;
    while (at - slashes > start && text[at - slashes - 1] === '\\') slashes++;
    if ((end !== "'" && end !== '"') || slashes % 2 === 0) return at + end.length;
  }
  return -1;
}
