/** The decision on a call that is not made: the route `simulate` and files on the command line ask the same. */
import { agreedCapability, capabilityOfCall } from '#core/classification/agreed-capability.ts';
import type { Snapshot } from '#core/configuration/store/snapshots.ts';
import type { ActionRequest, ToolCall } from '#core/contracts/envelope.ts';
import type { PolicyDecision } from '#core/tool-policy/decide.ts';
import { alternativeTo } from './answers.ts';
import { evaluateCall } from './evaluate-call.ts';
import { configuredPlacement } from './placement.ts';
import type { GovernPorts } from './ports.ts';

export type SimulatedCall = Pick<
  ActionRequest,
  'protocol' | 'tool' | 'target' | 'capability' | 'upstream' | 'parameters'
> &
  Pick<ToolCall, 'sources'>;

/** The rule itself is left out; the parts of it that callers may see are separate members. */
export type SimulatedDecision = Omit<PolicyDecision, 'rule'> & { readonly suggested_alternative?: string | undefined };

/** @throws GatewayError `payload_too_large`, `service_unavailable` where a worker decides large calls. */
export async function simulateCall(
  ports: Pick<GovernPorts, 'calls' | 'effects'>,
  evaluated: Pick<Snapshot, 'policy' | 'policyDocument' | 'configuration'>,
  given: SimulatedCall,
): Promise<SimulatedDecision> {
  const named = agreedCapability(given, evaluated.configuration.upstreams.mcp);
  const parameters = given.parameters ?? {};
  const capability = await capabilityOfCall(named, { ...given, parameters });
  const bare: ToolCall = { ...given, parameters, capability };
  const call: ToolCall = { ...configuredPlacement(evaluated.configuration, bare), ...bare };
  const { rule: _rule, ...decision } = await evaluateCall(ports, evaluated, call, await ports.effects(call));
  if (decision.decision !== 'block') return decision;
  return { ...decision, suggested_alternative: alternativeTo(decision, evaluated.policy, call) };
}
