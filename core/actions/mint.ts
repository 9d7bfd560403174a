/** The credential of an allowed action: what its grant says, from the grant's broker, counted either way. */
import { grantFor } from '#core/execution/credentials/grants.ts';
import type { IssuedCredential } from '#core/execution/credentials/ports.ts';
import { GatewayError } from '#core/kernel/errors.ts';
import { ownerOf } from './abuse-notes.ts';
import type { GovernedAction } from './governed.ts';
import type { PerformPorts } from './ports.ts';

/**
 * Undefined where no grant speaks of the action.
 * @throws GatewayError `service_unavailable` when the broker cannot mint, `forbidden` when it does not for this action.
 */
export async function mint(
  ports: PerformPorts,
  { envelope, decision, snapshot, principal }: GovernedAction,
  approvalId: string | undefined,
): Promise<IssuedCredential | undefined> {
  const grant = grantFor(snapshot.configuration.credentials.grants, decision.rule, envelope);
  if (!grant) return undefined;
  const attributes = { credential_name: grant.broker, ttl: grant.ttl_seconds, scope: grant.scope };
  const count = (outcome: 'issued' | 'refused') =>
    ports.telemetry.count('svc_credentials_total', { broker: grant.broker, outcome });
  return ports.telemetry.span('credential.issue', attributes, async () => {
    const person = ownerOf(principal);
    try {
      const broker = await ports.brokers(grant.broker);
      if (!broker) throw noBroker(grant.broker, envelope.tool);
      const credential = await broker.issue(envelope, grant, {
        policyVersion: snapshot.version,
        ...(person !== undefined && { person }),
        ...(approvalId !== undefined && { approvalId }),
      });
      count('issued');
      return credential;
    } catch (fault) {
      count('refused');
      throw fault;
    }
  });
}

const noBroker = (name: string, tool: string): GatewayError =>
  new GatewayError('service_unavailable', `Broker ${name} of the grant for ${tool} is not available.`);
