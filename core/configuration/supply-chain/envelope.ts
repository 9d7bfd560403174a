/** DSSE envelopes over in-toto Statements [supply-chain.envelope]. */
import type { KeyObject } from 'node:crypto';
import * as z from 'zod';
import { digestOf, sha256 } from '#core/kernel/canonical.ts';
import { describeIssue } from '#core/kernel/issue-words.ts';
import { parseStrict } from '#core/kernel/json.ts';
import { verifies } from './keys.ts';
import { refuseDocument } from './refusal.ts';

export const payloadType = 'application/vnd.in-toto+json';
export const statementType = 'https://in-toto.io/Statement/v1';

/** Predicate types of statements. A document of one type is never read as another. */
export const predicateTypes = {
  index: 'urn:agent-governance-gateway:plugin-index:1',
  delegations: 'urn:agent-governance-gateway:delegations:1',
  revocations: 'urn:agent-governance-gateway:revocations:1',
  artifact: 'urn:agent-governance-gateway:artifact:1',
  provenance: 'https://slsa.dev/provenance/v1',
} as const;
export type DocumentKind = keyof typeof predicateTypes;

/** Kinds of documents whose subject is a file. For all other kinds, the subject is the predicate itself. */
const aboutFiles: ReadonlySet<DocumentKind> = new Set(['artifact', 'provenance']);

const envelopeSchema = z.strictObject({
  payloadType: z.string(),
  payload: z.base64(),
  signatures: z
    .array(z.strictObject({ keyid: z.string(), sig: z.base64() }))
    .min(1)
    .max(8),
});
export type Envelope = z.infer<typeof envelopeSchema>;

const statementSchema = z.strictObject({
  _type: z.literal(statementType),
  subject: z
    .array(
      z.strictObject({
        name: z.string().min(1),
        digest: z.strictObject({ sha256: z.string().regex(/^[0-9a-f]{64}$/) }),
      }),
    )
    .length(1),
  predicateType: z.string(),
  predicate: z.unknown(),
});

/** A statement with a verified signature. */
interface SignedStatement {
  readonly keyId: string;
  readonly subject: { readonly name: string; readonly sha256: string };
  readonly predicate: unknown;
  /** Digest of the signed bytes, used to distinguish two documents with the same sequence. */
  readonly payloadSha256: string;
}

/** Returns the pre-authentication encoding of DSSE 1, which also covers the type and the length. */
export function pae(type: string, payload: Uint8Array): Buffer {
  const head = `DSSEv1 ${Buffer.byteLength(type)} ${type} ${payload.byteLength} `;
  return Buffer.concat([Buffer.from(head), payload]);
}

/**
 * Verifies an envelope, either bare or in a Sigstore bundle. The payload is parsed only after the signature of a known
 * key has been verified.
 * @param keys the keys that may sign this document, by key id
 * @throws SupplyChainRefusal with the first check that failed
 */
export function openEnvelope(
  value: unknown,
  kind: DocumentKind,
  keys: ReadonlyMap<string, KeyObject>,
): SignedStatement {
  const parsed = envelopeSchema.safeParse(isBundle(value) ? envelopeOf(value, kind, keys.keys()) : value, {
    error: describeIssue,
  });
  if (!parsed.success)
    return refuseDocument('envelope_malformed', `the ${kind} is not a DSSE envelope: ${firstIssue(parsed.error)}`);
  const { payloadType: type, payload: encoded, signatures } = parsed.data;
  if (type !== payloadType)
    return refuseDocument('payload_type', `the payload type is ${type}, allowed ${payloadType}`);
  const payload = Buffer.from(encoded, 'base64');
  const known = signatures.find(({ keyid }) => keys.has(keyid));
  if (!known)
    return refuseDocument(
      'unknown_key',
      `the ${kind} is signed by key ${signatures[0]?.keyid}, which is not trusted for it`,
    );
  if (!verifies(keys.get(known.keyid)!, pae(type, payload), Buffer.from(known.sig, 'base64')))
    return refuseDocument('bad_signature', `the signature of the ${kind} by key ${known.keyid} is not valid`);
  return { keyId: known.keyid, payloadSha256: sha256(payload), ...readStatement(payload, kind) };
}

function readStatement(payload: Uint8Array, kind: DocumentKind): Pick<SignedStatement, 'subject' | 'predicate'> {
  let json: unknown;
  try {
    json = parseStrict(new TextDecoder('utf-8', { fatal: true }).decode(payload), { values: 500_000 });
  } catch (cause) {
    return refuseDocument(
      'statement_malformed',
      `the payload of the ${kind} is not strict JSON: ${(cause as Error).message}`,
      cause,
    );
  }
  const parsed = statementSchema.safeParse(json, { error: describeIssue });
  if (!parsed.success)
    return refuseDocument(
      'statement_malformed',
      `the ${kind} is not an in-toto Statement: ${firstIssue(parsed.error)}`,
    );
  const { predicateType, predicate, subject } = parsed.data;
  if (predicateType !== predicateTypes[kind])
    return refuseDocument(
      'predicate_type',
      `the statement is of type ${predicateType}, allowed ${predicateTypes[kind]}`,
    );
  const [{ name, digest } = { name: '', digest: { sha256: '' } }] = subject;
  if (!aboutFiles.has(kind) && digest.sha256 !== digestOf(predicate))
    return refuseDocument('statement_mismatch', `the subject and the predicate of the ${kind} are different documents`);
  return { subject: { name, sha256: digest.sha256 }, predicate };
}

/** Returns the path and message of the first schema issue. */
export const firstIssue = ({ issues: [issue] }: z.ZodError): string =>
  `${issue?.path.join('.') || 'document'}: ${issue?.message ?? 'not valid'}`;

/** `…bundle.v0.3+json`, or the earlier form with the version as a parameter. */
const mediaType = /^application\/vnd\.dev\.sigstore\.bundle(\.v0\.3\+json|\+json;version=0\.[123])$/;

/** Log entries and timestamps are accepted but not used as proof, because the pinned key is the proof. */
const bundleSchema = z.strictObject({
  mediaType: z.string().regex(mediaType, 'bundles of the versions 0.1 to 0.3 are allowed'),
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

/**
 * Checks for a Sigstore bundle signed by a pinned key, which is another encoding of a DSSE envelope
 * [supply-chain.envelope].
 */
const isBundle = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && 'mediaType' in value;

/**
 * Returns the envelope in a bundle, with its signature under the key id that the bundle names.
 * @param keyIds ids of the keys that may sign: SHA-256 of the public key in hex. Bundles use hex or Base64.
 * @throws SupplyChainRefusal for bundles with certificates, other content or other keys
 */
function envelopeOf(value: object, kind: string, keyIds: Iterable<string>): unknown {
  const material = (value as { verificationMaterial?: object }).verificationMaterial ?? {};
  if ('certificate' in material || 'x509CertificateChain' in material)
    return refuseDocument(
      'envelope_malformed',
      `the ${kind} is a Sigstore bundle signed with a certificate; it must be signed with a key that is pinned here`,
    );
  const parsed = bundleSchema.safeParse(value, { error: describeIssue });
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    return refuseDocument(
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
    return refuseDocument(
      'unknown_key',
      `the ${kind} is signed by key ${names.join(' and ') || 'without a name'}, which is not trusted for it`,
    );
  return { ...dsseEnvelope, signatures: [{ keyid: named, sig }] };
}
