/** Evaluates calls without running them. Used by the `simulate` route and the console's playground. */
import { policyText } from '#core/actions/call-work.ts';
import type { EvaluationPorts, GovernPorts } from '#core/actions/ports.ts';
import { type SimulatedCall, type SimulatedCaller, simulateCall, simulatedCall } from '#core/actions/simulate.ts';
import { buildPolicyDocument } from '#core/configuration/load/policy-document.ts';
import type { FindPlace } from '#core/configuration/store/places.ts';
import type { Snapshot } from '#core/configuration/store/snapshots.ts';
import type { Configuration } from '#core/contracts/config.ts';
import { diffPolicies } from '#core/policy/rules/analysis/diff.ts';
import { compilePolicy } from '#core/policy/rules/compile.ts';
import { effectsOf, traceOf, withPlaces } from './explained.ts';

export type PolicySnapshot = Pick<Snapshot, 'policy' | 'policyDocument' | 'configuration'>;

type Ports = Pick<GovernPorts, 'pause'> & EvaluationPorts;

interface DecisionOptions {
  readonly place: FindPlace;
  /** True to include the trace and effects. */
  readonly explain: boolean | undefined;
  /** Caller on whose behalf approval would be requested. */
  readonly caller?: SimulatedCaller | undefined;
}

/**
 * Evaluates the calls.
 * @throws GatewayError `payload_too_large`, or `service_unavailable` if large calls are left to a worker.
 */
export async function decidedCalls(
  ports: Ports,
  evaluated: PolicySnapshot,
  calls: readonly SimulatedCall[],
  { place, explain, caller }: DecisionOptions,
) {
  const results = [];
  for (const each of calls) {
    const decided = await simulateCall(ports, evaluated, each, caller);
    const at = place({ index: decided.rule_index, rule: decided.matched_rule });
    results.push({
      ...decided,
      ...(at !== undefined && { place: at }),
      ...(explain && (await explainCall(ports, evaluated, each, place))),
    });
    await ports.pause(0); // lets other work run
  }
  return results;
}

/** Compiles an inactive configuration so that calls can be evaluated against it. */
export const decidedBy = (configuration: Configuration): PolicySnapshot => {
  const policyDocument = buildPolicyDocument(configuration);
  return { configuration, policyDocument, policy: compilePolicy(policyDocument) };
};

/** Returns the differences between the decisions of two configurations, for each level. */
export async function difference({ calls }: Pick<Ports, 'calls'>, from: Configuration, to: Configuration) {
  const [before, after] = [buildPolicyDocument(from), buildPolicyDocument(to)];
  return calls ? calls.diff({ before: policyText(before), after: policyText(after) }) : diffPolicies(before, after);
}

async function explainCall(
  ports: Ports,
  { policy, policyDocument, configuration }: PolicySnapshot,
  given: SimulatedCall,
  place: FindPlace,
) {
  const asked = await simulatedCall(configuration, given);
  const trace = withPlaces(await traceOf(ports, policy, policyDocument)(asked), place);
  return { trace, ...(await effectsOf(ports, policy, asked, { place, catalog: configuration.catalog })) };
}
