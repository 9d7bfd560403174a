/** Makes decisions on simulated calls, for the `simulate` route and for files given on the command line. */
import type { SeparationRequest } from '#core/configuration/identity/separation-rules.ts';
import type { Snapshot } from '#core/configuration/store/snapshots.ts';
import type { Configuration } from '#core/contracts/config.ts';
import type { ActionRequest, ToolCall } from '#core/contracts/envelope.ts';
import { agreedCapability, capabilityOfCall } from '#core/policy/classification/agreed-capability.ts';
import { termsOf } from '#core/policy/rules/decide.ts';
import { alternativeTo } from './answers.ts';
import { assessCall } from './assess-call.ts';
import type { CallDecision } from './judge.ts';
import { capabilitiesOf, neededWords, requirementsOfReview } from './needed-approvals.ts';
import { configuredPlacement } from './placement.ts';
import type { GovernPorts } from './ports.ts';

export type SimulatedCall = Pick<
  ActionRequest,
  'protocol' | 'tool' | 'target' | 'capability' | 'upstream' | 'parameters'
> &
  Pick<ToolCall, 'sources'>;

/** A decision without the rule itself. The parts of the rule that callers may see are separate members. */
type SimulatedDecision = Omit<CallDecision, 'rule' | 'terms'> & {
  readonly suggested_alternative?: string | undefined;
  /** Approvals that a review would need if more than one approval by any reviewer is required. */
  readonly needs?: string;
};

/** The caller on whose behalf a call is simulated. Without it, the organisation's separation rules do not apply. */
export type SimulatedCaller = Pick<SeparationRequest, 'tenant' | 'owner'>;

/**
 * Returns the call with the capability that the gateway assigns, and the placement if the configuration alone
 * determines it.
 */
export async function simulatedCall(configuration: Configuration, given: SimulatedCall): Promise<ToolCall> {
  const named = agreedCapability(given, configuration.upstreams.mcp);
  const parameters = given.parameters ?? {};
  const capability = await capabilityOfCall(named, { ...given, parameters }, configuration.catalog.networks);
  const bare: ToolCall = { ...given, parameters, capability };
  return { ...configuredPlacement(configuration, bare), ...bare };
}

/**
 * Makes the decision on a simulated call.
 * @throws GatewayError `payload_too_large`, `service_unavailable` if a worker could not evaluate a large call.
 */
export async function simulateCall(
  ports: Pick<GovernPorts, 'calls' | 'links' | 'effects' | 'judges'>,
  evaluated: Pick<Snapshot, 'policy' | 'policyDocument' | 'configuration'>,
  given: SimulatedCall,
  caller?: SimulatedCaller,
): Promise<SimulatedDecision> {
  const call = await simulatedCall(evaluated.configuration, given);
  const effects = await ports.effects(call, evaluated.configuration.catalog.programs);
  const decided = await assessCall(ports, evaluated, call, effects);
  const { rule, terms: _, ...decision } = decided;
  if (decision.decision === 'review') {
    const request = { tenant: '', ...caller, capabilities: capabilitiesOf(call, effects) };
    const requires = requirementsOfReview(evaluated.configuration, decided, request);
    const needs = neededWords(requires, termsOf(decided)?.require_passkey);
    return { ...decision, ...(needs !== undefined && { needs }) };
  }
  if (decision.decision !== 'block') return decision;
  return {
    ...decision,
    suggested_alternative: alternativeTo({ ...decision, ...(rule && { rule }) }, evaluated.policy, call),
  };
}
