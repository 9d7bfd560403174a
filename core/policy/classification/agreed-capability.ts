/** The capability used to evaluate a call: the caller's claim, unless the tool's name implies a more severe one. */
import type { OwnNetworks } from '#core/contracts/config/catalog.ts';
import type { McpUpstreamEntry } from '#core/contracts/config.ts';
import type { Capability, ToolCall } from '#core/contracts/envelope.ts';
import { lazyImport } from '#core/kernel/lazy-import.ts';
import { foldCase } from '#core/text/matching/fold-unicode.ts';
import { globMatches } from '#core/text/matching/glob.ts';
import { capabilityFromName, moreSevere } from './classify-tool.ts';

interface Claim {
  readonly protocol: string;
  readonly tool: string;
  readonly capability: Capability;
}

/**
 * Protocols whose calls are parsed with a grammar, which determines the effect. For an MCP call, only the name is
 * available.
 */
const readOtherwise: ReadonlySet<string> = new Set(['shell', 'sql', 'http', 'git']);

/**
 * Returns the capability used to evaluate a call. A caller may claim a more severe capability, never a less severe one
 * [action.class].
 * @param servers servers whose overrides take precedence over the tool's name.
 * @param inventoried the tool's capability in its server's inventory, if known.
 */
export function agreedCapability(
  call: Claim,
  servers: readonly McpUpstreamEntry[],
  inventoried?: Capability,
): Capability {
  if (inventoried !== undefined) return moreSevere(call.capability, inventoried);
  if (readOtherwise.has(foldCase(call.protocol).trim())) return call.capability;
  return moreSevere(call.capability, configuredCapability(call, servers) ?? capabilityFromName(call.tool));
}

const argumentsModule = lazyImport(() => import('./classify-arguments.ts'));

/**
 * Returns a call's capability: that of its tool, unless the arguments imply a more severe one [action.class].
 * @param networks networks in the configuration.
 */
export async function capabilityOfCall(
  named: Capability,
  { protocol, tool, parameters, sent_with }: Pick<ToolCall, 'protocol' | 'tool' | 'parameters' | 'sent_with'>,
  networks?: OwnNetworks,
): Promise<Capability> {
  if (named === 'delete' || readOtherwise.has(foldCase(protocol).trim())) return named;
  const { classifyArguments } = await argumentsModule();
  const asked = classifyArguments(tool, parameters, sent_with, networks);
  return asked ? moreSevere(named, asked.capability) : named;
}

/** Returns the most severe capability that the configuration assigns to tools with this name. */
function configuredCapability({ tool }: Claim, servers: readonly McpUpstreamEntry[]): Capability | undefined {
  const said = servers.flatMap(({ name, prefix, overrides }) => {
    const parted = `${prefix ?? name}__`;
    const own = tool.startsWith(parted) ? tool.slice(parted.length) : tool;
    return overrides.find((each) => each.name === tool || globMatches(each.tool, own))?.capability ?? [];
  });
  return said.length === 0 ? undefined : said.reduce(moreSevere);
}
