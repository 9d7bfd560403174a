/** Signs and verifies SLSA provenance of a release file [supply-chain.provenance]. */
import type { KeyObject } from 'node:crypto';
import * as z from 'zod';
import { type Envelope, openEnvelope } from '#core/configuration/supply-chain/envelope.ts';
import { keyIdOf } from '#core/configuration/supply-chain/keys.ts';
import { refuseDocument } from '#core/configuration/supply-chain/refusal.ts';
import { parseDocument } from '#core/configuration/supply-chain/verify-index.ts';
import { sha256 } from '#core/kernel/canonical.ts';
import { signStatement } from './sign.ts';

const buildType = 'urn:agent-governance-gateway:npm-package:1';
const digest = z.string().regex(/^[0-9a-f]{64}$/, 'a SHA-256 in lower-case hex');
const byproduct = z.object({ name: z.string().min(1).max(200), digest: z.object({ sha256: digest }) });

/** The members of SLSA provenance v1 that are read; builders may write more. */
const provenancePredicate = z.object({
  buildDefinition: z.object({
    buildType: z.literal(buildType),
    externalParameters: z.object({ source: z.string().min(1).max(2048), version: z.string().min(1).max(64) }),
    resolvedDependencies: z
      .array(
        z.object({
          uri: z.string().min(1).max(2048),
          digest: z.object({
            gitCommit: z.string().regex(/^[0-9a-f]{40}(?:[0-9a-f]{24})?$/, 'a commit of Git in hex'),
          }),
        }),
      )
      .length(1),
  }),
  runDetails: z.object({
    builder: z.object({ id: z.string().min(1).max(2048) }),
    byproducts: z.array(byproduct).max(16),
  }),
});

interface Build {
  readonly version: string;
  /** Address of the source repository. */
  readonly source: string;
  readonly commit: string;
  /** Builder: the address of a CI job or a machine. */
  readonly builder: string;
  /** Files that describe the release, such as its SBOM, by name. */
  readonly byproducts: Readonly<Record<string, Uint8Array>>;
}

/**
 * Signs the provenance of a file.
 * @throws SupplyChainRefusal for members that readers would reject.
 */
export function signProvenance(key: KeyObject, name: string, file: Uint8Array, build: Build): Envelope {
  const { version, source, commit, builder, byproducts } = build;
  const predicate = parseDocument(
    provenancePredicate,
    {
      buildDefinition: {
        buildType,
        externalParameters: { source, version },
        resolvedDependencies: [{ uri: `git+${source}@${commit}`, digest: { gitCommit: commit } }],
      },
      runDetails: {
        builder: { id: builder },
        byproducts: Object.entries(byproducts).map(([each, bytes]) => ({
          name: each,
          digest: { sha256: sha256(bytes) },
        })),
      },
    },
    'provenance',
  );
  return signStatement(key, 'provenance', predicate, { name, sha256: sha256(file) });
}

/**
 * Verifies the provenance of a file.
 * @param byproducts files that came with the release; the builder must have named each of them
 * @throws SupplyChainRefusal for the first check that failed
 */
export function verifyProvenance(
  envelope: unknown,
  key: KeyObject,
  file: Uint8Array,
  byproducts: readonly Uint8Array[] = [],
) {
  const { keyId, subject, predicate } = openEnvelope(envelope, 'provenance', new Map([[keyIdOf(key), key]]));
  const found = sha256(file);
  if (subject.sha256 !== found)
    return refuseDocument(
      'digest_mismatch',
      `the file has digest ${found}, the builder signed ${subject.sha256} (${subject.name})`,
    );
  const said = parseDocument(provenancePredicate, predicate, 'provenance');
  const named = said.runDetails.byproducts;
  for (const bytes of byproducts)
    if (!named.some((each) => each.digest.sha256 === sha256(bytes)))
      return refuseDocument(
        'digest_mismatch',
        `a file with digest ${sha256(bytes)} is not among those the builder named`,
      );
  const { version, source } = said.buildDefinition.externalParameters;
  return {
    file: subject.name,
    sha256: subject.sha256,
    signer: keyId,
    version,
    source,
    commit: said.buildDefinition.resolvedDependencies[0]!.digest.gitCommit,
    builder: said.runDetails.builder.id,
    byproducts: named.map((each) => ({ name: each.name, sha256: each.digest.sha256 })),
  };
}
