/** Fake AWS STS: AssumeRole over the query protocol, with the limits on its parameters. */
import { type LoopbackAnswer, loopback } from '../support/loopback.ts';

export interface FakeStsOptions {
  readonly roleArn: string;
  readonly externalId?: string;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
}

/** A granted AssumeRole request. */
export interface Assumed {
  readonly sessionName: string;
  readonly sourceIdentity: string;
  readonly policy: string;
  readonly durationSeconds: number;
  readonly tags: Readonly<Record<string, string>>;
}

const identity = /^[\w+=,.@-]{2,64}$/;
const tagValue = /^[\p{L}\p{Z}\p{N}_.:/=+\-@]{0,256}$/u;

export async function fakeSts({ roleArn, externalId, now }: FakeStsOptions) {
  const assumed: Assumed[] = [];
  /** Maximum number of tags that fit together with a policy. */
  const limits = { tags: 50 };

  const server = await loopback((call) => {
    const form = new URLSearchParams(call.body);
    if (form.get('Action') !== 'AssumeRole') return failure(400, 'InvalidAction', 'unknown action');
    if (form.get('RoleArn') !== roleArn || (externalId !== undefined && form.get('ExternalId') !== externalId)) {
      return failure(403, 'AccessDenied', `User is not authorized to perform sts:AssumeRole on ${form.get('RoleArn')}`);
    }
    const asked: Assumed = {
      sessionName: form.get('RoleSessionName') ?? '',
      sourceIdentity: form.get('SourceIdentity') ?? '',
      policy: form.get('Policy') ?? '',
      durationSeconds: Number(form.get('DurationSeconds')),
      tags: tagsOf(form),
    };
    const fits =
      identity.test(asked.sessionName) &&
      identity.test(asked.sourceIdentity) &&
      asked.durationSeconds >= 900 &&
      asked.durationSeconds <= 3600 &&
      /^[\x20-\xff]{1,2048}$/.test(asked.policy) &&
      Object.values(asked.tags).every((value) => tagValue.test(value));
    if (!fits) return failure(400, 'ValidationError', 'a value fails its constraint');
    if (Object.keys(asked.tags).length > limits.tags) {
      return failure(400, 'PackedPolicyTooLarge', 'Packed size of session policy and tags exceeds the limit');
    }
    assumed.push(asked);
    return granted(asked);
  }, 'text/xml');

  const granted = ({ durationSeconds }: Assumed): LoopbackAnswer => ({
    status: 200,
    body: `<AssumeRoleResponse xmlns="https://sts.amazonaws.com/doc/2011-06-15/"><AssumeRoleResult><Credentials>
<AccessKeyId>ASIA${String(assumed.length).padStart(16, 'X')}</AccessKeyId><SecretAccessKey>${'s3cr3t/+'.repeat(5)}</SecretAccessKey>
<SessionToken>${'tok+en/=='.repeat(20)}</SessionToken><Expiration>${new Date(now() + durationSeconds * 1000).toISOString()}</Expiration>
</Credentials></AssumeRoleResult><ResponseMetadata><RequestId>r</RequestId></ResponseMetadata></AssumeRoleResponse>`,
  });

  return { ...server, assumed, limits, failure };
}

const failure = (status: number, code: string, message: string): LoopbackAnswer => ({
  status,
  body: `<ErrorResponse xmlns="https://sts.amazonaws.com/doc/2011-06-15/"><Error><Type>Sender</Type><Code>${code}</Code><Message>${message}</Message></Error><RequestId>r</RequestId></ErrorResponse>`,
});

function tagsOf(form: URLSearchParams): Record<string, string> {
  const tags: Record<string, string> = {};
  for (let i = 1; form.has(`Tags.member.${i}.Key`); i++) {
    tags[form.get(`Tags.member.${i}.Key`)!] = form.get(`Tags.member.${i}.Value`) ?? '';
  }
  return tags;
}
