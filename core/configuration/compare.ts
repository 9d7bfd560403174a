/** What differs between two configurations, key by key [cli.config-diff]. */
import type { Configuration } from '#core/contracts/config.ts';
import { type Path, pathText } from '#core/contracts/problems.ts';
import { guardName } from '#core/contracts/tool-policy.ts';
import { canonicalize } from '#core/kernel/canonical.ts';
import { mayHoldSecret } from '#core/kernel/issue-words.ts';

/** Values are in words, and left out where they may hold a secret. */
interface KeyChange {
  /** The top-level key. */
  readonly section: string;
  readonly path: string;
  /** Absent for a key that only the later configuration has. */
  readonly from?: string;
  /** Absent for a key that only the earlier configuration has. */
  readonly to?: string;
}

/**
 * Changes in the order of their paths. Entries of a list that have names are compared by name. The rules of a pack and the
 * rows of a price table come from files of their own: of them only whether they changed.
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

type WithGuards = Pick<Configuration, 'tool_policies'>;

/** Guards of packs that were in force and are not any more. */
export function liftedGuards(before: WithGuards, after: WithGuards): string[] {
  const still = new Set(guardsOf(after));
  return guardsOf(before).filter((name) => !still.has(name));
}

const guardsOf = ({ tool_policies: { pack, disable_guards } }: WithGuards): string[] => [
  ...new Set((pack?.guards ?? []).map(guardName).filter((name) => !disable_guards.includes(name))),
];

interface Leaf {
  readonly section: string;
  /** Equal for equal values. */
  readonly same: string;
  readonly shown: string;
}

function leavesOf(configuration: Partial<Configuration>): Map<string, Leaf> {
  const leaves = new Map<string, Leaf>();
  collect(configuration, [], leaves);
  return leaves;
}

/** Read from files of their own, and too long to list. */
const wholes: ReadonlySet<string> = new Set(['tool_policies.pack', 'prices.models', 'prices.table']);

function collect(value: unknown, path: Path, leaves: Map<string, Leaf>): void {
  const at = pathText(path);
  const entries = wholes.has(at) ? undefined : entriesOf(value);
  if (entries !== undefined && entries.length > 0)
    for (const [name, entry] of entries) collect(entry, [...path, name], leaves);
  else if (value !== undefined)
    leaves.set(at, { section: String(path[0] ?? ''), same: canonicalize(value), shown: inWords(path, value) });
}

/** Members of an object, and entries of a list whose names differ. */
function entriesOf(value: unknown): (readonly [string, unknown])[] | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  if (!Array.isArray(value)) return Object.entries(value);
  const names = value.map(nameOf);
  const unique = names.every((name) => name !== undefined) && new Set(names).size === names.length;
  return unique ? value.map((entry, i) => [names[i]!, entry] as const) : undefined;
}

function nameOf(entry: unknown): string | undefined {
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
  if (mayHoldSecret(path, value)) return `a ${Array.isArray(value) ? 'list' : typeof value} (not shown)`;
  const text = JSON.stringify(value);
  return text.length > shownCharacters ? `${text.slice(0, shownCharacters)}…` : text;
}
