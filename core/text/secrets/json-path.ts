/** Subset of JSONPath (RFC 9535) for selecting sensitive values: names, indexes, `*`, and `..` for any depth. */

interface JsonPathStep {
  /** Name of the step. If undefined, any member or element matches. */
  readonly name?: string;
  /** True if any number of levels may precede the step (`..`). */
  readonly anyDepth: boolean;
}

type SensitivePath = readonly JsonPathStep[];

const stepPattern = /(\.\.?)(?:([\p{L}_$][\p{L}\p{N}_$-]*)|(\*))|(\.\.)?\[(?:'([^'\\]*)'|"([^"\\]*)"|(\d+)|(\*))\]/uy;

/**
 * Parses `$.parameters.password`, `$.parameters.headers.*`, `$..token`, `$.list[*].pin`, `$['odd name']`.
 * @throws TypeError with the position of a syntax error. A path that silently matched nothing would leak secrets.
 */
export function sensitivePath(path: string): SensitivePath {
  if (!path.startsWith('$') || path === '$') throw pathError(path, 0);
  const steps: JsonPathStep[] = [];
  let position = 1;
  while (position < path.length) {
    stepPattern.lastIndex = position;
    const match = stepPattern.exec(path);
    if (!match) throw pathError(path, position);
    const [text, dots, word, anyWord, bracketDots, single, double, index] = match;
    const name = anyWord === undefined ? (word ?? single ?? double ?? index) : undefined;
    steps.push({ ...(name !== undefined && { name }), anyDepth: dots === '..' || bracketDots === '..' });
    position += text.length;
  }
  return steps;
}

const pathError = (path: string, position: number): TypeError =>
  new TypeError(
    `${JSON.stringify(path)} is not a valid sensitive path: error at character ${position + 1}; a path is $ followed by .name, .*, ..name, [0], [*] or ['name']`,
  );

/** Position in a path during a walk through a document: the next step to match below a node. */
export interface PathCursor {
  readonly path: SensitivePath;
  readonly at: number;
}

export const cursorsAtRoot = (paths: readonly SensitivePath[]): PathCursor[] => paths.map((path) => ({ path, at: 0 }));

/** Moves the cursors one level down, to `key`. `met` is true if a path ends there. */
export function descend(cursors: readonly PathCursor[], key: string): { cursors: PathCursor[]; met: boolean } {
  const below: PathCursor[] = [];
  let met = false;
  for (const { path, at } of cursors) {
    const step = path[at]!;
    if (step.anyDepth) below.push({ path, at });
    if (step.name !== undefined && step.name !== key) continue;
    if (at + 1 === path.length) met = true;
    else below.push({ path, at: at + 1 });
  }
  return { cursors: below, met };
}

export function childPath(parent: string, key: string | number): string {
  if (typeof key === 'number') return `${parent}[${key}]`;
  return /^[A-Za-z_$][\w$-]*$/.test(key) ? `${parent}.${key}` : `${parent}[${JSON.stringify(key)}]`;
}
