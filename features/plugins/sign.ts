/** Signs documents with publisher keys and the root key, after checking them against the schemas that readers use. */

import type { KeyObject } from 'node:crypto';
import {
  artifactPredicate,
  delegationsPredicate,
  indexPredicate,
  type PluginEntry,
  pluginEntry,
  revocationsPredicate,
} from '#core/configuration/supply-chain/documents.ts';
import {
  type DocumentKind,
  type Envelope,
  pae,
  payloadType,
  predicateTypes,
  statementType,
} from '#core/configuration/supply-chain/envelope.ts';
import { keyIdOf, signBytes } from '#core/configuration/supply-chain/keys.ts';
import { parseDocument } from '#core/configuration/supply-chain/verify-index.ts';
import { canonicalize, digestOf, sha256 } from '#core/kernel/canonical.ts';

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

/** Signs a predicate. The default subject is the predicate itself, identified by the digest of its canonical form. */
export function signStatement(
  key: KeyObject,
  kind: DocumentKind,
  predicate: unknown,
  subject = { name: kind as string, sha256: digestOf(predicate) },
): Envelope {
  const statement = {
    _type: statementType,
    subject: [{ name: subject.name, digest: { sha256: subject.sha256 } }],
    predicateType: predicateTypes[kind],
    predicate,
  };
  const payload = Buffer.from(canonicalize(statement));
  const sig = signBytes(key, pae(payloadType, payload)).toString('base64');
  return { payloadType, payload: payload.toString('base64'), signatures: [{ keyid: keyIdOf(key), sig }] };
}
