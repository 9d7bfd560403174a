/**
 * Makes the decision on a call's arguments, at least as strict as the one configured for the most severe finding
 * [guard.arguments].
 */

import type { OwnNetworks } from '#core/contracts/config/catalog.ts';
import type { ArgumentAction } from '#core/contracts/config/tool-guard.ts';
import type { Configuration, McpUpstreamEntry } from '#core/contracts/config.ts';
import type { ToolCall } from '#core/contracts/envelope.ts';
import { lazyImport } from '#core/kernel/lazy-import.ts';
import type { Verdict } from '#core/policy/rules/verdict.ts';
import { foldCase } from '#core/text/matching/fold-unicode.ts';
import { secretPathTest } from '#core/text/secrets/secret-paths.ts';
import type { ArgumentFinding } from './arguments.ts';
import { type ArgumentKind, argumentKinds } from './finding.ts';
import type { LinkResolver } from './links.ts';
import type { outsideRoots, RootLists } from './roots.ts';

type ArgumentActions = Readonly<Record<ArgumentKind, ArgumentAction>>;

/** Guard settings for a call. They are sent to workers unchanged. */
export interface ArgumentSettings {
  readonly actions: ArgumentActions;
  /** Roots declared by a server's configuration entry and by the client [guard.roots]. */
  readonly roots?: RootLists;
  /** Findings for paths whose links lead out of the roots [guard.roots]. */
  readonly linked?: readonly ArgumentFinding[];
  /** Files with secrets, added by the configuration to those in the catalog. */
  readonly secretFiles?: readonly string[];
  /** Networks in the configuration. */
  readonly networks?: OwnNetworks;
  /** True if the call does not go to an MCP server. Its arguments are then only compared with the roots. */
  readonly rootsOnly?: true;
}

/** Checks of arguments, and the actions for their findings. */
interface ArgumentGuard extends ArgumentSettings {
  readonly check: (parameters: ToolCall['parameters']) => ArgumentFinding[];
  /** Function that checks places. Present only if roots are declared. */
  readonly outside?: typeof outsideRoots;
}

const argumentsModule = lazyImport(() => import('./arguments.ts'));
const rootsModule = lazyImport(() => import('./roots.ts'));
const linksModule = lazyImport(() => import('./links.ts'));

/** Loads the checks when the first call with a guard arrives. */
export async function argumentGuard(settings: ArgumentSettings | undefined): Promise<ArgumentGuard | undefined> {
  if (!settings) return undefined;
  const { checkArguments } = await argumentsModule();
  const own = { isSecretPath: secretPathTest(settings.secretFiles), networks: settings.networks };
  const check = (parameters: ToolCall['parameters']) => checkArguments(parameters, own);
  return settings.roots ? { ...settings, check, outside: (await rootsModule()).outsideRoots } : { ...settings, check };
}

/** A finding as shown in evidence, `why` and the approval card. */
interface ArgumentNote extends ArgumentFinding {
  readonly action: ArgumentAction;
}

const logAll = Object.fromEntries(argumentKinds.map((kind) => [kind, 'log'])) as unknown as ArgumentActions;

/**
 * Returns the settings for a call. Undefined if its guard is off, or if its upstream is not an MCP server and there are
 * no client roots.
 * @param declared roots declared by the client.
 */
export function argumentSettings(
  {
    tool_guard,
    upstreams,
    catalog,
  }: Pick<Configuration, 'tool_guard' | 'upstreams'> & Partial<Pick<Configuration, 'catalog'>>,
  { upstream }: Pick<ToolCall, 'upstream'>,
  declared: RootLists = [],
): ArgumentSettings | undefined {
  const entry: McpUpstreamEntry | undefined = upstreams.mcp.find(({ name }) => name === upstream);
  if (!entry && declared.length > 0) return { actions: tool_guard.arguments, roots: declared, rootsOnly: true };
  if (!entry || entry.guard === 'off') return undefined;
  const roots = entry.roots ? [entry.roots, ...declared] : declared;
  const actions = entry.guard === 'log' ? logAll : tool_guard.arguments;
  return {
    actions,
    ...(roots.length > 0 && { roots }),
    ...(catalog?.secret_files.length && { secretFiles: catalog.secret_files }),
    ...(catalog && { networks: catalog.networks }),
  };
}

/** Adds findings about links if a server that has roots runs on this machine. */
export async function withLinks(
  settings: ArgumentSettings | undefined,
  { upstreams }: Pick<Configuration, 'upstreams'>,
  { upstream, parameters }: ToolCall,
  links: LinkResolver | undefined,
): Promise<ArgumentSettings | undefined> {
  if (!settings?.roots || !links) return settings;
  const isHere =
    settings.rootsOnly || upstreams.mcp.some(({ name, transport }) => name === upstream && transport === 'stdio');
  if (!isHere) return settings;
  const { outsideByLinks } = await linksModule();
  // Arguments that are nested too deeply are reviewed in any case, so the error is ignored here.
  const linked = await outsideByLinks(parameters, settings.roots, links).catch(() => []);
  return linked.length > 0 ? { ...settings, linked } : settings;
}

/**
 * Protocols whose arguments are parsed by their own grammar and evaluated by their effects. Roots apply to them as
 * well.
 */
const readProtocols: ReadonlySet<string> = new Set(['shell', 'sql', 'git']);

/** Returns all findings and the verdict for the most severe one. Arguments that cannot be checked go to review. */
export function argumentVerdict(call: ToolCall, guard: ArgumentGuard | undefined): Verdict | undefined {
  if (!guard) return undefined;
  const { check, outside, roots = [], linked = [], rootsOnly } = guard;
  let found: readonly ArgumentFinding[];
  try {
    const looked = rootsOnly || readProtocols.has(foldCase(call.protocol).trim()) ? [] : check(call.parameters);
    const byText = outside?.(call.parameters, roots) ?? [];
    const known = new Set(byText.map(({ where }) => where));
    found = [...looked, ...byText, ...linked.filter(({ where }) => !known.has(where))];
  } catch {
    return {
      decision: 'review',
      matched_rule: 'tool_guard:unread',
      reason: 'The arguments are nested too deeply for the tool guard to check.',
    };
  }
  if (found.length === 0) return undefined;
  const findings = found.map((each): ArgumentNote => ({ ...each, action: guard.actions[each.kind] }));
  const decision = (['block', 'review'] as const).find((action) => findings.some((each) => each.action === action));
  if (decision === undefined) return { guard: findings };
  const [first, ...more] = findings.filter(({ action }) => action === decision);
  const others = more.length === 0 ? '' : ` ${more.length} more findings.`;
  const reason = `${first!.where}: ${first!.description}${others}`;
  return { decision, matched_rule: `tool_guard:${first!.kind}`, reason, guard: findings };
}
