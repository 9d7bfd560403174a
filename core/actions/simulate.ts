/** The decision on a call that is not made: the route `simulate` and files on the command line ask the same. */
import { agreedCapability, capabilityOfCall } from '#core/classification/agreed-capability.ts';
import type { Snapshot } from '#core/configuration/store/snapshots.ts';
import type { Configuration } from '#core/contracts/config.ts';
import type { ActionRequest, ToolCall } from '#core/contracts/envelope.ts';
import type { EffectsPort } from '#core/effects/ports.ts';
import type { LinksPort } from '#core/tool-guard/links.ts';
import type { PolicyDecision } from '#core/tool-policy/decide.ts';
import { alternativeTo } from './answers.ts';
import { evaluateCall } from './evaluate-call.ts';
import { configuredPlacement } from './placement.ts';
import type { CallWorkPort } from './ports.ts';

export type SimulatedCall = Pick<
  ActionRequest,
  'protocol' | 'tool' | 'target' | 'capability' | 'upstream' | 'parameters'
> &
  Pick<ToolCall, 'sources'>;

/** The rule itself is left out; the parts of it that callers may see are separate members. */
type SimulatedDecision = Omit<PolicyDecision, 'rule'> & { readonly suggested_alternative?: string | undefined };

/** The call with the capability that the gateway gives it, and where the configuration alone says it goes. */
export async function simulatedCall(configuration: Configuration, given: SimulatedCall): Promise<ToolCall> {
  const named = agreedCapability(given, configuration.upstreams.mcp);
  const parameters = given.parameters ?? {};
  const capability = await capabilityOfCall(named, { ...given, parameters });
  const bare: ToolCall = { ...given, parameters, capability };
  return { ...configuredPlacement(configuration, bare), ...bare };
}

/** @throws GatewayError `payload_too_large`, `service_unavailable` where a worker decides large calls. */
export async function simulateCall(
  ports: CallWorkPort & LinksPort & EffectsPort,
  evaluated: Pick<Snapshot, 'policy' | 'policyDocument' | 'configuration'>,
  given: SimulatedCall,
): Promise<SimulatedDecision> {
  const call = await simulatedCall(evaluated.configuration, given);
  const { rule, ...decision } = await evaluateCall(ports, evaluated, call, await ports.effects(call));
  if (decision.decision !== 'block') return decision;
  return {
    ...decision,
    suggested_alternative: alternativeTo({ ...decision, ...(rule && { rule }) }, evaluated.policy, call),
  };
}
