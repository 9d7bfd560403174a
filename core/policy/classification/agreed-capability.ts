/** The capability a call is decided with: its caller's word, unless the name of its tool says something graver. */
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

/** Protocols whose calls are read by a grammar, which says what they do; a call over MCP has its name alone. */
const readOtherwise: ReadonlySet<string> = new Set(['shell', 'sql', 'http', 'git']);

/**
 * A caller may claim a graver capability, never a lesser one [action.claims-only-tighten].
 * @param servers whose overrides have the last word on a name.
 * @param inventoried the capability of the tool at the server that will serve it, where that is known.
 */
export function agreedCapability(
  call: Claim,
  servers: readonly McpUpstreamEntry[],
  inventoried?: Capability,
): Capability {
  if (inventoried !== undefined) return moreSevere(call.capability, inventoried);
  if (readOtherwise.has(foldCase(call.protocol).trim())) return call.capability;
  return moreSevere(call.capability, overridden(call, servers) ?? capabilityFromName(call.tool));
}

const argumentsModule = lazyImport(() => import('./classify-arguments.ts'));

/** The capability of a call: of its tool, unless its arguments ask for something graver [action.arguments-tighten]. */
export async function capabilityOfCall(
  named: Capability,
  { protocol, tool, parameters, sent_with }: Pick<ToolCall, 'protocol' | 'tool' | 'parameters' | 'sent_with'>,
): Promise<Capability> {
  if (named === 'delete' || readOtherwise.has(foldCase(protocol).trim())) return named;
  const { classifyArguments } = await argumentsModule();
  const asked = classifyArguments(tool, parameters, sent_with);
  return asked ? moreSevere(named, asked.capability) : named;
}

/** The gravest of what the configuration says of tools of this name. */
function overridden({ tool }: Claim, servers: readonly McpUpstreamEntry[]): Capability | undefined {
  const said = servers.flatMap(({ name, prefix, overrides }) => {
    const parted = `${prefix ?? name}__`;
    const own = tool.startsWith(parted) ? tool.slice(parted.length) : tool;
    return overrides.find((each) => each.name === tool || globMatches(each.tool, own))?.capability ?? [];
  });
  return said.length === 0 ? undefined : said.reduce(moreSevere);
}
