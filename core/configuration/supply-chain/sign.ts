/** Signs documents of publishers and of the root key, checked by the schemas that readers use. */

import type { KeyObject } from 'node:crypto';
import {
  artifactPredicate,
  delegationsPredicate,
  indexPredicate,
  type PluginEntry,
  pluginEntry,
  revocationsPredicate,
} from './documents.ts';
import { type Envelope, signStatement } from './envelope.ts';
import { sha256 } from './keys.ts';
import { parseDocument } from './verify-index.ts';

const rootSchemas = { index: indexPredicate, delegations: delegationsPredicate, revocations: revocationsPredicate };

/**
 * Signs a document with the root key.
 * @throws SupplyChainRefusal for a document that readers would reject.
 */
export const signRootDocument = (key: KeyObject, kind: keyof typeof rootSchemas, document: unknown): Envelope => {
  parseDocument<unknown>(rootSchemas[kind], document, kind);
  return signStatement(key, kind, document);
};

/** Returns the signed index entry of a module, with its digest, size and envelope. */
export function signEntry(key: KeyObject, about: unknown, bytes: Uint8Array): PluginEntry {
  const digest = sha256(bytes);
  const entry = parseDocument(
    pluginEntry,
    { ...(about as object), sha256: digest, size: bytes.byteLength, envelope: null },
    'artifact',
  );
  const { name, version, kind, abi, phase, permissions, size } = entry;
  const predicate = artifactPredicate.parse({
    name,
    version,
    kind,
    permissions,
    size,
    ...(abi !== undefined && { abi }),
    ...(phase !== undefined && { phase }),
  });
  return { ...entry, envelope: signStatement(key, 'artifact', predicate, { name, sha256: digest }) };
}
