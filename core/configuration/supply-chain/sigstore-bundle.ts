/** Sigstore bundles signed by a pinned key: another encoding of a DSSE envelope [supply-chain.sigstore]. */
import * as z from 'zod';
import { describeIssue } from '#core/kernel/issue-words.ts';
import { refuse } from './refusal.ts';

/** `…bundle.v0.3+json`, or the earlier form with the version as a parameter. */
const mediaType = /^application\/vnd\.dev\.sigstore\.bundle(\.v0\.3\+json|\+json;version=0\.[123])$/;

/** Log entries and timestamps are accepted but not used as proof: the pinned key is. */
const bundleSchema = z.strictObject({
  mediaType: z.string().regex(mediaType, 'allowed are bundles of the versions 0.1 to 0.3'),
  verificationMaterial: z.strictObject({
    publicKey: z.strictObject({ hint: z.string().max(128).optional() }),
    tlogEntries: z.array(z.unknown()).max(32).optional(),
    timestampVerificationData: z.unknown().optional(),
  }),
  dsseEnvelope: z.strictObject({
    payload: z.string(),
    payloadType: z.string(),
    signatures: z.array(z.strictObject({ sig: z.string(), keyid: z.string().max(128).optional() })).length(1),
  }),
});

export const isBundle = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && 'mediaType' in value;

/**
 * Returns the envelope in a bundle, with its signature under the key id that the bundle names.
 * @param keyIds ids of the keys that may sign: SHA-256 of the public key in hex. Bundles use hex or Base64.
 * @throws SupplyChainRefusal for bundles with certificates, other content or other keys
 */
export function envelopeOf(value: object, kind: string, keyIds: Iterable<string>): unknown {
  const material = (value as { verificationMaterial?: object }).verificationMaterial ?? {};
  if ('certificate' in material || 'x509CertificateChain' in material)
    return refuse(
      'envelope_malformed',
      `the ${kind} is a Sigstore bundle signed with a certificate; allowed is one signed with a key that is pinned here`,
    );
  const parsed = bundleSchema.safeParse(value, { error: describeIssue });
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    return refuse(
      'envelope_malformed',
      `the ${kind} is not a Sigstore bundle with a DSSE envelope: ${issue?.path.join('.')}: ${issue?.message}`,
    );
  }
  const { verificationMaterial, dsseEnvelope } = parsed.data;
  const [{ sig, keyid }] = dsseEnvelope.signatures as [{ sig: string; keyid?: string }];
  const names = [verificationMaterial.publicKey.hint, keyid].filter((name) => name !== undefined && name !== '');
  const isNamed = (id: string) =>
    names.every((name) => name === id || name === Buffer.from(id, 'hex').toString('base64'));
  const named = names.length === 0 ? undefined : [...keyIds].find(isNamed);
  if (named === undefined)
    return refuse(
      'unknown_key',
      `the ${kind} is signed by key ${names.join(' and ') || 'without a name'}, which is not trusted for it`,
    );
  return { ...dsseEnvelope, signatures: [{ keyid: named, sig }] };
}
