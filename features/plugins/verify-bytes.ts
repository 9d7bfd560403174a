/**
 * Verifies the bytes of a plugin whose entry was verified: size, digest, ABI, permissions [supply-chain.envelope].
 * Unverified bytes are never compiled.
 */
import type { PluginEntry } from '#core/configuration/supply-chain/documents.ts';
import { refuseDocument } from '#core/configuration/supply-chain/refusal.ts';
import { sha256 } from '#core/kernel/canonical.ts';

/** The module interface that this gateway runs. */
const supportedAbi = 'wasm-filter-1';
/** Data that a filter with this ABI may receive; a module gets no other data. */
const filterPermissions = ['content', 'metadata'] as const;

/**
 * Verifies the downloaded bytes.
 * @param compile compiles a module that follows the ABI and has no imports, or reads a pack; rejects with the error
 * @throws SupplyChainRefusal for the first check that failed
 */
export async function verifyBytes(
  entry: PluginEntry,
  bytes: Uint8Array,
  compile: (bytes: Uint8Array) => Promise<unknown>,
): Promise<void> {
  const { name, size, abi } = entry;
  if (bytes.byteLength !== size)
    refuseDocument('size_mismatch', `${name} has ${bytes.byteLength} bytes, signed ${size}`);
  const digest = sha256(bytes);
  if (digest !== entry.sha256)
    refuseDocument('digest_mismatch', `${name} has digest ${digest}, signed ${entry.sha256}`);
  if (entry.kind === 'policy_pack') {
    if (abi !== undefined || entry.phase !== undefined)
      refuseDocument(
        'abi_unsupported',
        `${name} is a policy pack with an ABI or a phase; a policy pack may have neither`,
      );
  } else if (abi !== supportedAbi || entry.phase === undefined)
    refuseDocument(
      'abi_unsupported',
      `${name} has ABI ${abi} and phase ${entry.phase}; it must have ABI ${supportedAbi} and a phase`,
    );
  await compile(bytes).catch((cause: Error) => refuseDocument('abi_mismatch', `${name}: ${cause.message}`, cause));
  checkPermissions(entry);
}

/** Checks the permissions. A pack decides on calls and receives no data. */
function checkPermissions({ name, kind, permissions }: PluginEntry): void {
  const known: readonly string[] = kind === 'policy_pack' ? [] : filterPermissions;
  const unknown = permissions.filter((permission) => !known.includes(permission));
  if (unknown.length > 0)
    refuseDocument(
      'permission_unknown',
      `${name} requires ${unknown.join(', ')}, allowed ${known.join(', ') || 'none'}`,
    );
  const undeclared = known.filter((permission) => !permissions.includes(permission));
  if (undeclared.length > 0)
    refuseDocument('permission_undeclared', `${name} is given ${undeclared.join(', ')} and does not declare it`);
}
