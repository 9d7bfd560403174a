/** Checks a manifest by itself, before entries are compared with it: shape, hash, signature. */
import { type SessionManifest, sessionManifestSchema } from '#core/contracts/evidence.ts';
import { describeIssue } from '#core/kernel/issue-words.ts';
import { manifestHash } from './session-manifest.ts';
import { type PublicKeys, signatureDefect } from './signature.ts';

export interface Seal {
  /** Whether a manifest was supplied. */
  readonly given: boolean;
  /** The manifest, if it is valid in itself. Entries are only ever compared with a valid manifest. */
  readonly manifest?: SessionManifest;
  readonly defect?: string;
  /** Whether the signature was checked with a trusted key. Also true if that check failed. */
  readonly originChecked: boolean;
}

interface SealParts {
  readonly manifest?: unknown;
  readonly trustedPublicKey?: PublicKeys | undefined;
  readonly accompanyingPublicKey?: PublicKeys | undefined;
}

/** Checks a manifest's shape, hash and signature. Never throws. */
export function examineSeal({ manifest, trustedPublicKey, accompanyingPublicKey }: SealParts): Seal {
  if (manifest === undefined) return { given: false, originChecked: false };
  const defect = innerDefect(manifest);
  if (defect) return { given: true, defect, originChecked: false };

  // Uses the original object, since a parsed copy might lack members that a forger added.
  const sound = manifest as SessionManifest;
  const key = trustedPublicKey ?? accompanyingPublicKey;
  const unsigned = key === undefined ? undefined : signatureDefect(sound, key);
  const originChecked = trustedPublicKey !== undefined;
  if (unsigned) return { given: true, defect: `the manifest's signature fails: ${unsigned}`, originChecked };
  return { given: true, manifest: sound, originChecked };
}

function innerDefect(manifest: unknown): string | undefined {
  try {
    const parsed = sessionManifestSchema.safeParse(manifest, { error: describeIssue });
    if (!parsed.success) {
      const [issue] = parsed.error.issues;
      return `the manifest is malformed at ${issue?.path.join('.') || 'its root'}: ${issue?.message}`;
    }
    const sound = manifest as SessionManifest;
    if (manifestHash(sound) !== sound.session_manifest_hash) return 'the manifest was altered: its hash does not match';
    return undefined;
  } catch (cause) {
    return `the manifest cannot be hashed: ${(cause as Error).message}`;
  }
}
