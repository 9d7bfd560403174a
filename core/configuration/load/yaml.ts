/** Parses untrusted YAML within limits, and returns the values and the line of every path. */
import { isAlias, isCollection, isNode, LineCounter, parseDocument, visit, type YAMLParseError } from 'yaml';
import { GatewayError, invalidRequest } from '#core/kernel/errors.ts';

/** Maximum size of a configuration or pack, far above that of any real one. */
export const maxYamlBytes = 1024 * 1024;

/** Maximum nesting depth, far above that of any real configuration. */
const maxDepth = 100;

export interface YamlDocument {
  readonly value: unknown;
  /** Returns the line of a path, or of its nearest parent that has a line. */
  lineOf(path: readonly PropertyKey[]): number | undefined;
}

/**
 * Parses a YAML file.
 * @param needs the minimum content, named in the error for an empty file.
 * @throws GatewayError `invalid_request` naming the lines for another encoding, syntax errors, duplicate keys,
 * excessive nesting, multiplying aliases, or missing content.
 */
export function readYaml(text: string, where: string, needs = ''): YamlDocument {
  if (Buffer.byteLength(text) > maxYamlBytes)
    throw invalidRequest(`${where}: found ${Buffer.byteLength(text)} bytes, allowed at most ${maxYamlBytes} bytes.`);
  assertUtf8(text, where);
  const lines = new LineCounter();
  // Pretty errors quote the source, which may contain keys.
  const document = parseDocument(text, { prettyErrors: false, lineCounter: lines, version: '1.2', uniqueKeys: true });
  // The parser is recursive and reports an error at each level at which it gave up.
  if (document.errors.some(({ message }) => message.startsWith('Maximum call stack'))) throw tooDeep(where);
  if (document.errors.length > 0) {
    const problems = document.errors
      .slice(0, maxProblems)
      .map((error) => `line ${lines.linePos(error.pos[0]).line}: ${syntaxProblem(error)}`);
    const more = document.errors.length - problems.length;
    throw invalidRequest(
      `${where} is not valid YAML: ${problems.join('; ')}${more > 0 ? `; and ${more} more errors` : ''}.`,
      { problems },
    );
  }
  boundDepth(document, where);
  boundAliases(document, where);
  const value = orYamlProblem(() => document.toJS({ maxAliasCount: -1 }), where);
  if (value === null) throw invalidRequest(`${where}: The file is empty.${needs && ` ${needs}`}`);
  return {
    value,
    lineOf(path) {
      for (let length = path.length; length >= 0; length--) {
        const node = document.getIn(path.slice(0, length), true);
        if (isNode(node) && node.range) return lines.linePos(node.range[0]).line;
      }
      return undefined;
    },
  };
}

/** Maximum number of syntax errors to report, because one mistake usually causes many. */
const maxProblems = 5;

/** Describes a syntax error without the source, which some messages of the parser quote. */
const syntaxProblem = ({ code, message }: YAMLParseError): string =>
  code === 'MULTIPLE_DOCS'
    ? 'found a second document, allowed one; remove the line "---"'
    : message.replace(/(?<=characters|document|stream|token): .*$/s, '');

/**
 * Rejects text that was decoded from bytes in another encoding, because its keywords and prompts would silently differ.
 */
function assertUtf8(text: string, where: string): void {
  const at = text.indexOf('\ufffd');
  if (at < 0) return;
  const line = text.slice(0, at).split('\n').length;
  throw invalidRequest(
    `${where}: line ${line}: found bytes that are not UTF-8, allowed a file in UTF-8. Save it as UTF-8; if U+FFFD is meant, write "\\uFFFD".`,
  );
}

const tooDeep = (where: string) =>
  invalidRequest(`${where}: found lists and objects nested too deep, allowed at most ${maxDepth} levels.`);

function boundDepth(document: ReturnType<typeof parseDocument>, where: string): void {
  visit(document, {
    Collection(_key, _node, path) {
      if (path.filter(isCollection).length >= maxDepth) throw tooDeep(where);
    },
  });
}

/**
 * Bounds aliases: an anchored node may not contain an alias, and the total size of repetitions is limited. Expansion is
 * therefore linear (no "billion laughs"), and no value contains itself.
 */
function boundAliases(document: ReturnType<typeof parseDocument>, where: string): void {
  const sizes = new Map<string, number>();
  let repeated = 0;
  visit(document, {
    Node(_key, node) {
      if (!('anchor' in node) || !node.anchor) return;
      visit(node, {
        Alias() {
          throw invalidRequest(`${where}: the anchor &${node.anchor} itself contains an alias; write out its value.`);
        },
      });
      sizes.set(node.anchor, node.range ? node.range[1] - node.range[0] : maxYamlBytes);
    },
  });
  visit(document, {
    Alias(_key, node) {
      if (isAlias(node)) repeated += sizes.get(node.source) ?? maxYamlBytes;
      if (repeated > maxYamlBytes)
        throw invalidRequest(`${where}: aliases repeat more than ${maxYamlBytes} characters.`);
    },
  });
}

function orYamlProblem(read: () => unknown, where: string): unknown {
  try {
    return read();
  } catch (cause) {
    throw new GatewayError('invalid_request', `${where} is not valid YAML: ${(cause as Error).message}.`, { cause });
  }
}
