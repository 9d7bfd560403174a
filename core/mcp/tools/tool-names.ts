/**
 * The names of the tools of several servers: their own where no other server uses the name, `<upstream>__<tool>` elsewhere. A rule
 * for `files.*` was written for the server that serves `files.*`: another one that offers such a tool later is not meant by it.
 */
import type { McpUpstreamEntry } from '#core/contracts/config.ts';
import { type Decision, decisions } from '#core/contracts/envelope.ts';
import { digestOf } from '#core/kernel/canonical.ts';
import { foldCase } from '#core/text/matching/fold-unicode.ts';
import { globMatches } from '#core/text/matching/glob.ts';
import type { Tool } from './action.ts';
import type { ToolList } from './tool-list.ts';

/** The tools of one server, in the order of the configuration. */
export interface ServerTools {
  readonly entry: McpUpstreamEntry;
  readonly list: ToolList;
  /** Names of the tools a server had that does not answer now: it keeps its claim on them. */
  readonly remembered?: readonly string[];
}

export function named(offers: readonly ServerTools[]): Tool[] {
  const claimants = offers.map(claimantOf);
  return offers.flatMap(({ entry, list }, at) =>
    list.tools.map((listed) => {
      const { definition } = listed;
      const own = definition.name as string;
      const parted = entry.prefix !== undefined || hasRival(claimants, at, folded(own));
      return { entry, listed, definition, own, exposed: exposedName(entry, own, parted) };
    }),
  );
}

/** Longest name of a tool that the vendors of models take. */
const longestName = 64;

/** Checks a name against what the vendors of models take for a tool. */
export const isPortable = (name: string): boolean => /^[A-Za-z0-9_-]{1,64}$/.test(name);

/**
 * Returns the name for clients. A name that the gateway makes is never longer than models take; with `portable_names` every name
 * has only the characters they take. A changed name ends with a digest of the whole, so it is unique and the same after a restart.
 */
function exposedName(entry: McpUpstreamEntry, own: string, parted: boolean): string {
  const name = parted ? partedName(entry, own) : own;
  const shown = entry.portable_names ? name.replace(/[^A-Za-z0-9_-]/g, '_') : name;
  const fits = shown.length <= longestName || (!parted && !entry.portable_names);
  if (shown === name && fits) return name;
  const end = `-${digestOf(name).slice(0, 8)}`;
  return `${shown.slice(0, longestName - end.length)}${end}`;
}

/** The name that holds whatever the other servers offer. */
export const partedName = ({ prefix, name }: McpUpstreamEntry, own: string): string => `${prefix ?? name}__${own}`;

/**
 * The name a tool is decided by. One that had to be renamed keeps answering to rules for its own name: whichever fares worse is
 * the action's, so that a second server's tool of the same name evades no rule.
 */
export async function policyName(
  { own, exposed, entry }: Tool,
  decisionAs: (name: string) => Promise<{ readonly decision: Decision }>,
): Promise<string> {
  if (exposed !== exposedName(entry, own, true)) return own;
  const full = partedName(entry, own);
  const [asOwn, asFull] = [await decisionAs(own), await decisionAs(full)];
  return decisions.indexOf(asOwn.decision) > decisions.indexOf(asFull.decision) ? own : full;
}

/** A server with what it serves, as policies read names: without case, look-alikes as what they look like. */
interface Claimant {
  readonly entry: McpUpstreamEntry;
  readonly names: ReadonlySet<string>;
  readonly families: ReadonlySet<string>;
  /** What every name of the gateway's own making for its tools begins with. */
  readonly parted: string;
}

const folded = (name: string): string => foldCase(name).trim();

function claimantOf({ entry, list, remembered = [] }: ServerTools): Claimant {
  // Also names that policies know its tools by.
  const given = entry.overrides.flatMap(({ name }) => name ?? []);
  const names = [...list.tools.map(({ definition: { name } }) => name as string), ...remembered, ...given].map(folded);
  const families = names.flatMap((name) => familyOf(name) ?? []);
  return { entry, names: new Set(names), families: new Set(families), parted: folded(partedName(entry, '')) };
}

/** What stands before the first dot. */
const familyOf = (name: string): string | undefined =>
  name.includes('.') ? name.slice(0, name.indexOf('.')) : undefined;

/** Whether another server has the name, or the better claim on its family. */
function hasRival(claimants: readonly Claimant[], at: number, name: string): boolean {
  const mine = claimOf(claimants[at]!, name);
  return claimants.some((other, index) => {
    if (index === at) return false;
    if (other.names.has(name) || name.startsWith(other.parted)) return true;
    const theirs = claimOf(other, name);
    // The operator's word counts before a server's; of equal claims the first in the configuration has it.
    return theirs > mine || (theirs === mine && theirs !== claims.none && index < at);
  });
}

const claims = { none: 0, serves: 1, configured: 2 } as const;

/** Says nothing of names: the default of `tools`. */
const everything = /^\*+$/;

/** What gives a server a claim on names like this one: its `tools` in the configuration, or tools of the same family. */
function claimOf({ entry, families }: Claimant, name: string): number {
  if (entry.tools.some((pattern) => !everything.test(pattern) && globMatches(pattern, name))) return claims.configured;
  const family = familyOf(name);
  return family !== undefined && families.has(family) ? claims.serves : claims.none;
}
