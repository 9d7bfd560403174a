/** Parts shared by all limits: matching against lists of globs, and findings that name the limit. */
import type { ToolCall } from '#core/contracts/envelope.ts';
import type { SandboxSettings } from '#core/contracts/sandbox.ts';
import type { Effect } from '#core/effects/ports.ts';
import { RecentMap } from '#core/kernel/recent-map.ts';
import { canonicalText, plainReading } from '#core/text/matching/canonical-text.ts';
import { compileGlob, globMatches } from '#core/text/matching/glob.ts';

export interface LimitViolation {
  /** Limit as `<section>.<key>` in the configuration. */
  readonly rule: string;
  readonly reason: string;
}

export type Check = (settings: SandboxSettings, part: Effect) => LimitViolation | undefined;

/** Checks whether any spelling matches any pattern, ignoring case. Used for names and block lists. */
export const matchesName = (patterns: readonly string[], spellings: readonly string[]): boolean =>
  patterns.some((pattern) => spellings.some((spelling) => globMatches(pattern, spelling)));

/** Works like `matchesName`, but case-sensitively. Used for allowlists of tables and paths. */
export const matchesText = (patterns: readonly string[], spellings: readonly string[]): boolean =>
  patterns.some((pattern) => {
    const glob = cachedGlob(pattern);
    return spellings.some((spelling) => glob.matches(spelling));
  });

/** Returns a path in the form that policies match: look-alikes folded, escapes decoded, dots resolved. */
export const normalPath = (path: string): string => canonicalText(path, plainReading);

/** Returns the last segment of a tool's name: `rm` for `shell./usr/bin/rm`, `drop_table` for `sql.drop_table`. */
export const lastName = (tool: string): string => {
  const dot = tool.indexOf('.');
  const name = dot === -1 ? tool : tool.slice(dot + 1);
  return name.slice(name.lastIndexOf('/') + 1);
};

export const textParameter = (part: ToolCall, key: string): string => {
  const value = Object.hasOwn(part.parameters, key) ? part.parameters[key] : undefined;
  return typeof value === 'string' ? value : '';
};

const cache = new RecentMap<string, ReturnType<typeof compileGlob>>({ max: 1000 });

const cachedGlob = (pattern: string): ReturnType<typeof compileGlob> =>
  cache.getOrInsertComputed(pattern, () => compileGlob(pattern, 'text'));
