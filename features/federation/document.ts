/** A control plane's signed document, issued here and verified by data planes [federation.document]. */
import { createPublicKey } from 'node:crypto';
import { maxClockSkewMs } from '#core/configuration/store/staleness.ts';
import { keyIdOf } from '#core/configuration/supply-chain/keys.ts';
import type { Signer } from '#core/evidence/ports.ts';
import { signatureFault } from '#core/evidence/signature.ts';
import { canonicalize, digestOf } from '#core/kernel/canonical.ts';
import { describeIssue } from '#core/kernel/issue-words.ts';
import { isoTime } from '#core/kernel/ports.ts';
import { type DocumentHead, type FederationDocument, federationDocumentSchema, federationFormat } from './contract.ts';

/** Interval at which new documents are issued. It limits how long an old one can be replayed. */
const issueEveryMs = 10 * 60_000;

/** Domain separator. No other signature made by the gateway begins with these bytes. */
const domain = 'agent-governance/federation-config/1\n';

/** Returns the signed bytes: the head, whose digest binds the configuration. */
const signedBytes = ({ format, plane, version, digest, issued_at, expires_at }: DocumentHead): Uint8Array =>
  new TextEncoder().encode(domain + canonicalize({ format, plane, version, digest, issued_at, expires_at }));

/** Builds the head of a document. @param maxStalenessMs how long the configuration stays valid after its last issue. */
export function documentHead(
  given: Pick<DocumentHead, 'plane' | 'version' | 'digest'>,
  now: number,
  maxStalenessMs: number,
): DocumentHead {
  const issued = Math.floor(now / issueEveryMs) * issueEveryMs;
  return {
    format: federationFormat,
    ...given,
    issued_at: isoTime(issued),
    expires_at: isoTime(issued + issueEveryMs + maxStalenessMs),
  };
}

/** Returns a tag that identifies the head and its signing key. */
export const etagOf = (head: DocumentHead, keyId: string): string => `"${digestOf([head, keyId]).slice(0, 32)}"`;

export async function signDocument(
  head: DocumentHead,
  signer: Signer,
): Promise<Pick<FederationDocument, 'public_key' | 'signature'>> {
  const [value, public_key] = await Promise.all([signer.sign(signedBytes(head)), signer.publicKey()]);
  return { public_key, signature: { alg: 'ECDSA_P256_SHA256', key_id: signer.keyId, value } };
}

/**
 * Returns the SHA-256 digest that data planes pin, computed over the SPKI in DER form. @returns undefined for an
 * invalid public key.
 */
export function keyDigest(pem: string): string | undefined {
  try {
    return keyIdOf(createPublicKey(pem));
  } catch {
    return undefined;
  }
}

/** A data plane's requirements for a document. */
interface DocumentExpectation {
  readonly plane: string;
  readonly trustedKeys: readonly string[];
  /** The last valid document. Versions never decrease, and each version has exactly one configuration. */
  readonly last?: { readonly version: number; readonly digest: string } | undefined;
  readonly now: number;
}

type DocumentVerification =
  | { readonly ok: true; readonly document: FederationDocument }
  | { readonly ok: false; readonly reason: string };

/** Verifies a whole document before any part of it is used. Never throws. */
export function verifyDocument(
  value: unknown,
  { plane, trustedKeys, last, now }: DocumentExpectation,
): DocumentVerification {
  const bad = (reason: string): DocumentVerification => ({ ok: false, reason });
  const parsed = federationDocumentSchema.safeParse(value, { error: describeIssue });
  if (!parsed.success) {
    const issue = parsed.error.issues[0];
    return bad(`it is not a document of this format: ${issue?.path.join('.') || 'document'}: ${issue?.message}`);
  }
  const document = parsed.data;
  const key = keyDigest(document.public_key);
  if (key === undefined || !trustedKeys.includes(key))
    return bad(`it is signed by the key ${key ?? '(not a key)'}, which federation.trusted_keys does not list`);
  const fault = signatureFault(signedBytes(document), document.signature.value, document.public_key);
  if (fault) return bad(fault);
  if (document.plane !== plane)
    return bad(`it was made for the plane ${JSON.stringify(document.plane)}, and this one is ${JSON.stringify(plane)}`);
  if (digestOf(document.configuration) !== document.digest)
    return bad('its configuration is not the one that was signed');
  return timeFault(document, now) ?? versionFault(document, last) ?? { ok: true, document };

  function timeFault({ issued_at, expires_at }: FederationDocument, at: number): DocumentVerification | undefined {
    const ahead = Date.parse(issued_at) - at;
    if (ahead > maxClockSkewMs)
      return bad(`it was issued ${Math.round(ahead / 60_000)} minutes in the future: one of the two clocks is wrong`);
    const over = at - Date.parse(expires_at);
    return over > maxClockSkewMs
      ? bad(`it expired at ${expires_at}: it is an old document, or the clock here is wrong`)
      : undefined;
  }

  function versionFault(
    found: FederationDocument,
    before: DocumentExpectation['last'],
  ): DocumentVerification | undefined {
    if (!before || found.version > before.version) return undefined;
    if (found.version < before.version)
      return bad(
        `its version ${found.version} is older than ${before.version}, which was in force: the control plane was restored to an earlier state`,
      );
    return found.digest === before.digest
      ? undefined
      : bad(
          `its version ${found.version} has a different configuration from the version ${before.version} seen before`,
        );
  }
}
