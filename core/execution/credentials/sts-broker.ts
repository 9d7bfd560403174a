/**
 * STS broker: assumes a role for one action, narrowed by a session policy compiled from that action. STS keys live at
 * least 900 s; the policy ends their permission when the grant expires.
 */
import type { ActionEnvelope } from '#core/contracts/envelope.ts';
import { sha256 } from '#core/kernel/canonical.ts';
import { isoTime } from '#core/kernel/ports.ts';
import { brokerError, mintingRefused, ServiceFault, unavailable } from './fault.ts';
import type {
  AssumeRoleRequest,
  BrokerPorts,
  BrokerSettings,
  CredentialBroker,
  IssueContext,
  StsClient,
  TemporaryKeys,
} from './ports.ts';
import { maxCredentialSeconds, newRecord } from './record.ts';
import { compileSessionPolicy } from './session-policy.ts';

type StsSettings = BrokerSettings<'sts'>;

const shortestStsSeconds = 900;
const kind = {
  type: 'sts_session',
  degraded: false,
  longestSeconds: maxCredentialSeconds,
  note: 'Expires through its session policy; STS cannot revoke keys.',
};

export function stsBroker(settings: StsSettings, ports: BrokerPorts): CredentialBroker {
  const { name, role_arn: roleArn, region } = settings;
  return {
    name,
    calledBack: 'never',

    async issue(envelope, grant, context = {}) {
      const sts = ports.clients?.sts;
      if (!sts) throw unavailable(name, 'this function cannot call STS');
      const record = newRecord(ports, envelope, grant, kind);
      const [expiresMs, issuedMs] = [Date.parse(record.expires_at), Date.parse(record.issued_at)];
      const [, partition = 'aws'] = roleArn.split(':');
      const compiled = compileSessionPolicy(envelope, { expiresMs, partition });
      if ('refused' in compiled) throw mintingRefused(name, compiled.refused);

      const policyDigest = sha256(compiled.text);
      const externalId = await externalIdOf(settings, ports);
      const request = {
        roleArn,
        ...(region !== undefined && { region }),
        ...(externalId !== undefined && { externalId }),
        sessionName: identityText(envelope.envelope_id),
        sourceIdentity: sourceIdentity(envelope, context),
        policy: compiled.text,
        durationSeconds: Math.max(shortestStsSeconds, Math.ceil((expiresMs - issuedMs) / 1000)),
      };
      const keys = await assumeRole(ports, sts, request, tagsOf(envelope, policyDigest)).catch((thrown: unknown) => {
        throw brokerError(name, 'STS', thrown);
      });
      const { expires_at, ...secret } = keys;
      // The keys outlive the policy but then have no permissions, so a later STS expiry is ignored.
      const ends = isoTime(Math.min(expiresMs, Date.parse(expires_at)));
      return { record: { ...record, expires_at: ends, policy_digest: policyDigest }, secret: JSON.stringify(secret) };
    },

    /**
     * Does nothing. A denial by issue time would affect all of the role's sessions, and the session policy already
     * limits the lifetime of these keys.
     */
    async revoke() {},
  };
}

/** Returns the external id. A secret that is configured but empty is an error and does not mean "no external id". */
async function externalIdOf({ name, external_id_env }: StsSettings, { secrets }: BrokerPorts) {
  if (external_id_env === undefined) return undefined;
  const value = await secrets.get(external_id_env);
  if (!value) throw unavailable(name, `${external_id_env} contains no value`);
  return value;
}

type Tags = Readonly<Record<string, string>>;

/**
 * Returns the session tags, most important first. The first ones are kept if policy and tags together exceed the limit.
 */
const tagsOf = ({ envelope_id, tenant, actor }: ActionEnvelope, policy: string): Tags =>
  Object.fromEntries(
    Object.entries({ envelope: envelope_id, policy, tenant, session: actor.session }).map(([key, value]) => [
      key,
      tagText(value),
    ]),
  );

const keptTags = 1;

/**
 * Assumes the role. Uses fewer tags if not all of them fit, and retries once if STS throttles the call; the policy
 * never changes.
 */
async function assumeRole(
  ports: BrokerPorts,
  sts: StsClient,
  request: Omit<AssumeRoleRequest, 'tags'>,
  tags: Tags,
): Promise<TemporaryKeys> {
  try {
    return await unlessThrottled(ports, () => sts.assumeRole({ ...request, tags }));
  } catch (thrown) {
    if (!(thrown instanceof ServiceFault) || thrown.kind !== 'policy_too_large') throw thrown;
    const fewer = Object.fromEntries(Object.entries(tags).slice(0, keptTags));
    return unlessThrottled(ports, () => sts.assumeRole({ ...request, tags: fewer }));
  }
}

const [shortestWaitMs, jitterMs] = [100, 400];

async function unlessThrottled<T>({ ids, clients }: BrokerPorts, call: () => Promise<T>): Promise<T> {
  try {
    return await call();
  } catch (thrown) {
    if (!(thrown instanceof ServiceFault) || thrown.kind !== 'throttled' || !clients?.pause) throw thrown;
    await clients.pause(shortestWaitMs + (Number.parseInt(ids.randomHex(2), 16) % jitterMs));
    return call();
  }
}

/**
 * Returns the identity shown in CloudTrail as responsible for the action, across chained roles: the person if known,
 * otherwise the key.
 */
function sourceIdentity({ key_id }: ActionEnvelope, { person }: IssueContext): string {
  const named = person === undefined ? '' : identityText(person);
  return named.length > 1 ? named : identityText(key_id);
}

/** Converts a string to an STS name, `[\w+=,.@-]{2,64}`. */
const identityText = (text: string): string =>
  text
    .replace(/[^\w+=,.@-]/g, '-')
    .slice(0, 64)
    .padEnd(2, '-');

const longestTag = 256;
const tagText = (text: string): string => text.replace(/[^\p{L}\p{Z}\p{N}_.:/=+\-@]/gu, '-').slice(0, longestTag);
