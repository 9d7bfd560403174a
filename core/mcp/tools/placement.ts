/** Finds the server for a call that does not name one, using the servers' own lists. */
import { decideCall } from '#core/actions/assess-call.ts';
import type { Snapshot } from '#core/configuration/store/snapshots.ts';
import type { OwnNetworks } from '#core/contracts/config/catalog.ts';
import type { McpUpstreamEntry } from '#core/contracts/config.ts';
import type { ActionEnvelope, Capability, Placement } from '#core/contracts/envelope.ts';
import { GatewayError, invalidRequest } from '#core/kernel/errors.ts';
import type { JsonObject } from '#core/kernel/json.ts';
import { moreSevere } from '#core/policy/classification/classify-tool.ts';
import type { McpPorts } from '../ports.ts';
import { RpcFault } from '../protocol/messages.ts';
import type { Conversation } from '../sessions/conversations.ts';
import { actionOf, placementIn, type Tool, toolPolicyFacts } from './action.ts';
import { checkDrift, noteDefinitions } from './drift.ts';
import type { DriftPorts } from './found-definition.ts';
import { definitionGuard, notingGuard } from './guard-settings.ts';
import { type Inventory, inventoryOf } from './inventory.ts';
import { partedName, policyName } from './tool-names.ts';

export type PlacingPorts = Pick<McpPorts, 'calls' | 'classifiers'> & DriftPorts;

type KnownPolicy = Pick<Snapshot, 'policy' | 'policyDocument' | 'configuration' | 'identities' | 'version'>;

/** Checks whether the server has tools of this protocol: `mcp`, or the protocol of a configured override. */
export const servesProtocol = ({ overrides }: McpUpstreamEntry, protocol: string): boolean =>
  protocol === 'mcp' || overrides.some((each) => each.protocol === protocol);

/**
 * Places a call. Sends nothing to a tool.
 * @param call has `upstream` if its caller names the server.
 * @returns undefined if no server is configured for calls of this protocol.
 * @throws GatewayError `no_upstream` if no server has the tool, `service_unavailable` if the lists could not be read,
 * `invalid_request` if several have it, `policy_violation` if its definition is held for acceptance.
 */
export async function placeToolCall(
  ports: PlacingPorts,
  conversation: Conversation,
  policy: KnownPolicy,
  call: ActionEnvelope,
  fresh = false,
): Promise<Placement | undefined> {
  const asked = conversation.entries.filter(({ name }) => call.upstream === undefined || call.upstream === name);
  if (!asked.some((entry) => servesProtocol(entry, call.protocol))) return undefined;
  const known = await readTools(ports, conversation, policy, call, fresh);
  const tool = having(known, call) ?? having(await readTools(ports, conversation, policy, call, true), call);
  if (tool) {
    if (await checkDrift(ports.mcpStore, tool, await definitionGuard(policy.configuration, tool.entry)))
      throw waits(tool);
    return placementOf(ports, tool, policy, call);
  }
  const silent = known.silent.find(({ entry }) => asked.includes(entry));
  throw silent ? toolsUnread(call, silent.entry.name) : noServer(call, asked);
}

/**
 * Returns the placement that a call from an MCP client would have. The caller's capability can only make it stricter.
 */
async function placementOf(
  ports: PlacingPorts,
  tool: Tool,
  policy: KnownPolicy,
  call: ActionEnvelope,
): Promise<Placement> {
  const as = async (name: string) => {
    const { tool: known, target, capability } = await wordsAs(tool, name, call, policy.configuration.catalog.networks);
    return { ...call, upstream: tool.entry.name, tool: known, target, capability };
  };
  const {
    tool: known,
    target,
    capability,
  } = await as(await policyName(tool, async (name) => decideCall(ports, policy, await as(name))));
  return { ...(await placementIn(tool, known, call.parameters)), tool: known, target, capability };
}

/**
 * Builds the policy facts under a name.
 * @throws GatewayError `invalid_request` for arguments that do not fit in an envelope.
 */
async function wordsAs(tool: Tool, name: string, call: ActionEnvelope, networks: OwnNetworks) {
  try {
    const words = await actionOf(tool, name, call.parameters as JsonObject, networks);
    return { ...words, capability: moreSevere(words.capability, call.capability as Capability) };
  } catch (fault) {
    if (fault instanceof RpcFault) throw invalidRequest(fault.message);
    throw fault;
  }
}

const readTools = (
  ports: PlacingPorts,
  conversation: Conversation,
  policy: KnownPolicy,
  call: ActionEnvelope,
  fresh: boolean,
) =>
  inventoryOf(
    ports,
    conversation,
    { signal: AbortSignal.timeout(inventoryMs), id: ports.ids.uuid() },
    async (entry, tools) => noteDefinitions(ports, call, entry, tools, await notingGuard(ports, policy, entry, call)),
    fresh,
  );

const inventoryMs = 60_000;

/** Returns the only tool with the call's name. @throws GatewayError `invalid_request` if several servers have it. */
function having({ tools }: Inventory, call: ActionEnvelope): Tool | undefined {
  const at = tools.filter(({ entry }) => call.upstream === undefined || entry.name === call.upstream);
  const answersTo = (tool: Tool, name: string): boolean => {
    const words = toolPolicyFacts(tool, name);
    return words.tool === call.tool && words.protocol === call.protocol;
  };
  const exposed = at.filter((tool) => answersTo(tool, tool.exposed));
  const full = at.filter((tool) => answersTo(tool, partedName(tool.entry, tool.own)));
  const found = [exposed, full].find(({ length }) => length > 0) ?? at.filter((tool) => answersTo(tool, tool.own));
  if (found.length > 1) throw ambiguousTool(call, found);
  return found[0];
}

const ambiguousTool = ({ tool }: ActionEnvelope, found: readonly Tool[]): GatewayError =>
  invalidRequest(
    `The tool ${tool} is served as ${found.map(({ entry, own }) => `${own} at ${entry.name}`).join(', ')}. Name the server with upstream.`,
  );

const noServer = ({ tool }: ActionEnvelope, asked: readonly McpUpstreamEntry[]): GatewayError =>
  new GatewayError(
    'no_upstream',
    `No upstream serves the tool ${tool}. The gateway checked ${asked.map(({ name }) => name).join(', ')}; tools/list names the available tools.`,
    { data: { tool } },
  );

const toolsUnread = ({ tool }: ActionEnvelope, upstream: string): GatewayError =>
  new GatewayError(
    'service_unavailable',
    `The tools of ${upstream} could not be read, so it is not known which server has ${tool}. Nothing was sent. Try again, or ask an operator to check the server's address and health.`,
    { data: { tool, upstream } },
  );

const waits = ({ entry, own }: Tool): GatewayError =>
  new GatewayError(
    'policy_violation',
    `The definition of ${own} at ${entry.name} is pending acceptance by a human. Nothing was sent.`,
    { data: { tool: own, upstream: entry.name } },
  );
