/** Plans the next step of a reconciliation: a pure function of the observed state. */
import { type Composition, compose, isRefusal, type Sources, secretProblem } from './compose.ts';
import { type AppliedDeployment, isApplied, isRolledOut, wantedDeployment } from './environment.ts';
import { type Deployment, finalizer, type Gateway, type Part } from './resources.ts';

/** The gateway's active configuration, or the reason why it is not known. */
export type ActiveVersion =
  | { readonly version: number; readonly sha256: string }
  | { readonly unreachable: string; readonly unauthorized?: boolean };

export interface Observed extends Sources {
  /** Undefined if the Gateway does not name a Deployment, or the Deployment does not exist. */
  readonly deployment: Deployment | undefined;
}

/** Result of a reconciliation, from which the conditions of all the Gateway's objects are derived. */
export type ReconcileOutcome =
  | {
      readonly stored: true;
      readonly version: number;
      readonly sha256: string;
      readonly composed: string;
      readonly warnings: readonly string[];
    }
  | { readonly stored: false; readonly reason: Reason; readonly message: string };

type Reason =
  | 'InvalidSpec'
  | 'SecretMissing'
  | 'SecretForbidden'
  | 'DeploymentMissing'
  | 'RollingOut'
  | 'Unreachable'
  | 'Unauthorized'
  | 'Refused'
  | 'GatewayMissing';

interface Plan {
  /** Objects that must get the finalizer before any of their content reaches the gateway. */
  readonly claim: readonly (Gateway | Part)[];
  /** Server-side apply for the operator's fields in the Deployment. */
  readonly apply?: AppliedDeployment;
  /** Configuration to send after the apply; absent if `outcome` states the reason. */
  readonly composition?: Composition;
  readonly outcome?: ReconcileOutcome;
}

/** Plans one reconciliation: claim, compose, environment, then the configuration. */
export function plan(observed: Observed): Plan {
  const { gateway, parts, secrets, deployment } = observed;
  if (gateway.metadata.deletionTimestamp) return afterDeletion(observed);
  const claim = [gateway, ...parts].filter(isUnclaimed);
  const composition = compose(observed);
  if (isRefusal(composition)) return { claim, outcome: failedOutcome(composition.reason, composition.message) };
  const noToken = secretProblem(gateway.spec.adminToken.secretKeyRef, secrets);
  if (noToken) return { claim, outcome: failedOutcome(noToken.reason, `spec.adminToken: ${noToken.message}`) };
  const wanted = wantedDeployment(gateway, composition.environment, secrets);
  if (!wanted) {
    if (composition.environment.length > 0) return { claim, outcome: failedOutcome('InvalidSpec', needsDeployment) };
    return { claim, composition };
  }
  if (!deployment) return { claim, outcome: failedOutcome('DeploymentMissing', noDeployment(wanted)) };
  // New variables come first, because the gateway would warn about a provider without its key.
  if (!isApplied(wanted, deployment))
    return { claim, apply: wanted, outcome: failedOutcome('RollingOut', rolling(wanted)) };
  if (!isRolledOut(deployment)) return { claim, outcome: failedOutcome('RollingOut', rolling(wanted)) };
  return { claim, composition };
}

/**
 * Returns whether to send the composition: true if it has changed, or if the gateway's configuration is not the last
 * one stored.
 */
export function isDue({ composed }: Composition, { status }: Gateway, live: { readonly sha256: string }): boolean {
  return status?.composed !== composed || status?.sha256 !== live.sha256;
}

/** Keeps the active configuration, and gives up ownership of the operator's variables. */
function afterDeletion({ gateway, secrets, deployment }: Observed): Plan {
  const wanted = wantedDeployment(gateway, [], secrets);
  const outcome = failedOutcome(
    'GatewayMissing',
    `The Gateway ${gateway.metadata.name} is being deleted. Create it again.`,
  );
  return { claim: [], outcome, ...(wanted && deployment && { apply: { ...wanted, spec: emptied } }) };
}
const emptied = { template: { metadata: { annotations: {} }, spec: { containers: [] } } };

const isUnclaimed = ({ metadata }: Gateway | Part): boolean =>
  metadata.deletionTimestamp === undefined && !metadata.finalizers?.includes(finalizer);

export const failedOutcome = (reason: Reason, message: string): ReconcileOutcome => ({
  stored: false,
  reason,
  message,
});

const noDeployment = ({ metadata }: AppliedDeployment): string =>
  `spec.deployment: found no Deployment ${metadata.name} in the namespace ${metadata.namespace}. Name the Deployment of the gateway.`;
const needsDeployment =
  'spec.deployment: found none, although secrets are variables of the gateway. Name the Deployment of the gateway.';
const rolling = ({ metadata }: AppliedDeployment): string =>
  `The Deployment ${metadata.name} replaces its pods because variables with secrets changed; the configuration follows.`;
