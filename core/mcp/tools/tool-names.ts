/**
 * Names the tools of several servers: a tool keeps its own name if that is unique, and otherwise becomes
 * `<upstream>__<tool>`. A rule for `files.*` was written for the server that serves `files.*`, so it must not match a
 * tool that another server adds later.
 */
import type { McpUpstreamEntry } from '#core/contracts/config.ts';
import { type Decision, decisions } from '#core/contracts/envelope.ts';
import { digestOf } from '#core/kernel/canonical.ts';
import { foldCase } from '#core/text/matching/fold-unicode.ts';
import { globMatches } from '#core/text/matching/glob.ts';
import type { Tool } from './action.ts';
import type { ToolList } from './tool-list.ts';

/** The tools of one server, in configuration order. */
export interface ServerTools {
  readonly entry: McpUpstreamEntry;
  readonly list: ToolList;
  /** Recorded tool names of an unreachable server, which keeps its claim to them. */
  readonly remembered?: readonly string[];
}

export function toolsWithUniqueNames(offers: readonly ServerTools[]): Tool[] {
  const claimants = offers.map(claimantOf);
  return offers.flatMap(({ entry, list }, at) =>
    list.tools.map((listed) => {
      const { definition } = listed;
      const own = definition.name as string;
      const parted = entry.prefix !== undefined || hasRival(claimants, at, foldToolName(own));
      return { entry, listed, definition, own, exposed: exposedName(entry, own, parted) };
    }),
  );
}

/** Longest tool name that model vendors accept. */
const longestName = 64;

/** Checks whether model vendors accept the tool name. */
export const isPortable = (name: string): boolean => /^[A-Za-z0-9_-]{1,64}$/.test(name);

/**
 * Returns the client-facing name. Names made by the gateway are no longer than model vendors accept; with
 * `portable_names` they also use only accepted characters. A changed name ends with a digest of the full name, so it is
 * unique and stable.
 */
function exposedName(entry: McpUpstreamEntry, own: string, parted: boolean): string {
  const name = parted ? partedName(entry, own) : own;
  const shown = entry.portable_names ? name.replace(/[^A-Za-z0-9_-]/g, '_') : name;
  const fits = shown.length <= longestName || (!parted && !entry.portable_names);
  if (shown === name && fits) return name;
  const end = `-${digestOf(name).slice(0, 8)}`;
  return `${shown.slice(0, longestName - end.length)}${end}`;
}

/** Returns the prefixed name, which does not depend on other servers. */
export const partedName = ({ prefix, name }: McpUpstreamEntry, own: string): string => `${prefix ?? name}__${own}`;

/**
 * Returns the tool's name for policies. A renamed tool is evaluated under both names, and the stricter decision counts,
 * so that a second server's tool of the same name cannot evade a rule.
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

/** A server's claims to names, folded for comparison: lower case, look-alikes replaced. */
interface Claimant {
  readonly entry: McpUpstreamEntry;
  readonly names: ReadonlySet<string>;
  readonly families: ReadonlySet<string>;
  /** Prefix that the gateway uses in names for the server's tools. */
  readonly parted: string;
}

const foldToolName = (name: string): string => foldCase(name).trim();

function claimantOf({ entry, list, remembered = [] }: ServerTools): Claimant {
  // Includes policy names set in the configuration.
  const given = entry.overrides.flatMap(({ name }) => name ?? []);
  const names = [...list.tools.map(({ definition: { name } }) => name as string), ...remembered, ...given].map(
    foldToolName,
  );
  const families = names.flatMap((name) => familyOf(name) ?? []);
  return { entry, names: new Set(names), families: new Set(families), parted: foldToolName(partedName(entry, '')) };
}

/** Returns the part before the first dot. */
const familyOf = (name: string): string | undefined =>
  name.includes('.') ? name.slice(0, name.indexOf('.')) : undefined;

/** Checks whether another server has the name, or a stronger claim to its family. */
function hasRival(claimants: readonly Claimant[], at: number, name: string): boolean {
  const mine = claimOf(claimants[at]!, name);
  return claimants.some((other, index) => {
    if (index === at) return false;
    if (other.names.has(name) || name.startsWith(other.parted)) return true;
    const theirs = claimOf(other, name);
    // A configured claim takes precedence over a server's. Between equal claims, the first in the configuration wins.
    return theirs > mine || (theirs === mine && theirs !== claims.none && index < at);
  });
}

const claims = { none: 0, serves: 1, configured: 2 } as const;

/** Pattern that makes no claim: the default of `tools`. */
const everything = /^\*+$/;

/** Returns a server's claim to a name, based on its configured `tools` or on tools of the same family. */
function claimOf({ entry, families }: Claimant, name: string): number {
  if (entry.tools.some((pattern) => !everything.test(pattern) && globMatches(pattern, name))) return claims.configured;
  const family = familyOf(name);
  return family !== undefined && families.has(family) ? claims.serves : claims.none;
}
