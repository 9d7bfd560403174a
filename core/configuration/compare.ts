/** Compares two configurations key by key [cli.config-check]. */
import type { keyChangeSchema } from '#core/contracts/answers/policies.ts';
import type { Configuration } from '#core/contracts/config.ts';
import { guardName } from '#core/contracts/guard-names.ts';
import { type Path, pathText } from '#core/contracts/problems.ts';
import type { Shape } from '#core/contracts/shape.ts';
import { canonicalize } from '#core/kernel/canonical.ts';
import { mayHoldSecret } from '#core/kernel/issue-words.ts';

type KeyChange = Shape<typeof keyChangeSchema>;

/**
 * Returns the changes, sorted by path. List entries are compared by name if they have names. The rules of a pack and
 * the rows of a price table come from their own files, so only the fact that they changed is reported.
 */
export function compareConfigurations(before: Partial<Configuration>, after: Partial<Configuration>): KeyChange[] {
  const [old, current] = [leavesOf(before), leavesOf(after)];
  const paths = [...new Set([...old.keys(), ...current.keys()])].sort();
  return paths.flatMap((path) => {
    const [from, to] = [old.get(path), current.get(path)];
    if (from?.same === to?.same) return [];
    const section = (from ?? to)!.section;
    return [{ section, path, ...(from && { from: from.shown }), ...(to && { to: to.shown }) }];
  });
}

type PolicySection = Pick<Configuration, 'tool_policies'>;

/** Returns the pack guards that were active before but no longer are. */
export function liftedGuards(before: PolicySection, after: PolicySection): string[] {
  const still = new Set(guardsOf(after));
  return guardsOf(before).filter((name) => !still.has(name));
}

const guardsOf = ({ tool_policies: { pack, disable_guards } }: PolicySection): string[] => [
  ...new Set((pack?.guards ?? []).map(guardName).filter((name) => !disable_guards.includes(name))),
];

interface Leaf {
  readonly section: string;
  /** String that is equal for equal values. */
  readonly same: string;
  readonly shown: string;
}

function leavesOf(configuration: Partial<Configuration>): Map<string, Leaf> {
  const leaves = new Map<string, Leaf>();
  collect(configuration, [], leaves);
  return leaves;
}

/** Values that come from separate files and are too long to list. */
const wholes: ReadonlySet<string> = new Set(['tool_policies.pack', 'prices.models', 'prices.table']);

function collect(value: unknown, path: Path, leaves: Map<string, Leaf>): void {
  const at = pathText(path);
  const entries = wholes.has(at) ? undefined : entriesOf(value, path);
  if (path[0] === 'catalog' && entries?.length === 0) return;
  if (entries !== undefined && entries.length > 0)
    for (const [name, entry] of entries) collect(entry, [...path, name], leaves);
  else if (value !== undefined)
    leaves.set(at, { section: String(path[0] ?? ''), same: canonicalize(value), shown: inWords(path, value) });
}

/** Returns the members of an object, the entries of a list with unique names, or the facts in a catalog list. */
function entriesOf(value: unknown, path: Path): (readonly [string, unknown])[] | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  if (!Array.isArray(value)) return Object.entries(value);
  if (path[0] === 'catalog') return value.map((fact) => [String(fact), fact] as const);
  const names = value.map(entryName);
  const unique = names.every((name) => name !== undefined) && new Set(names).size === names.length;
  return unique ? value.map((entry, i) => [names[i]!, entry] as const) : undefined;
}

function entryName(entry: unknown): string | undefined {
  if (typeof entry !== 'object' || entry === null) return undefined;
  const { id, name } = entry as Record<string, unknown>;
  return [id, name].find((each) => typeof each === 'string');
}

const shownCharacters = 80;

function inWords(path: Path, value: unknown): string {
  if (Array.isArray(value) && value.some((each) => typeof each === 'object'))
    return value.length === 1 ? '1 entry' : `${value.length} entries`;
  if (Array.isArray(value) && value.length === 0) return 'no entries';
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
    const { name } = value as { name?: unknown };
    const count = Object.keys(value).length;
    return typeof name === 'string' ? name : count === 0 ? 'no members' : count === 1 ? '1 member' : `${count} members`;
  }
  // Facts are not secret, even if their names look like it: `catalog.secret_files`, `catalog.networks.private`.
  if (path[0] !== 'catalog' && mayHoldSecret(path, value))
    return `a ${Array.isArray(value) ? 'list' : typeof value} (not shown)`;
  const text = JSON.stringify(value);
  return text.length > shownCharacters ? `${text.slice(0, shownCharacters)}…` : text;
}
