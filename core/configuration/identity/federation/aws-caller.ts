/**
 * Callers whose requests are signed for AWS (SigV4). API Gateway checks the signature and reports the identity in a
 * part of the event that callers cannot write [identity.aws-callers].
 */
import type { Configuration } from '#core/contracts/config.ts';
import { awsProvider, type FederatedCaller } from '#core/contracts/federated.ts';
import { digestOf } from '#core/kernel/canonical.ts';
import { GatewayError } from '#core/kernel/errors.ts';
import { reachOf } from '../grants.ts';
import type { Principal } from '../principal.ts';

type CallerSettings = Pick<Configuration, 'identity' | 'people' | 'tenants' | 'organizations'>;

/**
 * Returns the principal of a user or role. Role sessions count as the role, because the caller chooses their names.
 * @param userArn as reported by API Gateway: `arn:aws:iam::<account>:user/<path>` or
 * `arn:aws:sts::<account>:assumed-role/<role>/<session>`.
 * @throws GatewayError `forbidden` for an identity that the configuration does not list.
 */
export function awsPrincipal(userArn: string, { identity, people, organizations }: CallerSettings): Principal {
  const wanted = comparable(userArn);
  const entry = identity.aws.callers.find(({ arn }) => wanted !== undefined && comparable(arn) === wanted);
  if (!entry || wanted === undefined)
    throw new GatewayError(
      'forbidden',
      'The signature is valid, but identity.aws.callers lists neither the user nor the role that made it.',
    );
  const person = people.find(({ id }) => id === entry.person);
  const federated: FederatedCaller = {
    provider: awsProvider,
    issuer: `aws:${wanted.split(':')[4]}`,
    subject: entry.arn,
    claims: {},
    expires_at: '9999-12-31T23:59:59.999Z',
  };
  return {
    key_id: `aws-${digestOf([wanted, entry.kind]).slice(0, 24)}`,
    name: entry.name ?? wanted.slice(wanted.lastIndexOf('/') + 1).slice(0, 64),
    tenant: entry.tenant,
    role: entry.role,
    kind: entry.kind,
    ...(entry.person !== undefined && { person: entry.person }),
    ...(entry.owner !== undefined && { owner: entry.owner }),
    platform: entry.platform,
    ...reachOf({ organizations }, person?.id, [...new Set([entry.tenant, ...(person?.tenants ?? [])])], entry.role),
    federated,
  };
}

/**
 * Normalises an ARN. Users keep the whole ARN. Roles lose their path, because session ARNs have none and role names are
 * unique per account.
 */
function comparable(arn: string): string | undefined {
  if (/^arn:aws[a-z-]*:iam::\d{12}:user\/.+$/.test(arn)) return arn;
  const role =
    /^arn:(aws[a-z-]*):iam::(\d{12}):role\/(?:.*\/)?([^/]+)$/.exec(arn) ??
    /^arn:(aws[a-z-]*):sts::(\d{12}):assumed-role\/([^/]+)\/[^/]+$/.exec(arn);
  return role ? `arn:${role[1]}:iam::${role[2]}:role/${role[3]}` : undefined;
}
